"""What we ask of ourselves, and how it went."""

from __future__ import annotations


class Bars:
    """Judges figures as they come, and remembers what was missed."""

    def __init__(self) -> None:
        self.missed: list[str] = []
        self.met = 0

    def least(self, name: str, value: float, bar: float) -> str:
        return self._judged(name, value >= bar, f"≥ {bar:g}")

    def most(self, name: str, value: float, bar: float) -> str:
        return self._judged(name, value <= bar, f"≤ {bar:g}")

    def _judged(self, name: str, met: bool, bar: str) -> str:
        if met:
            self.met += 1
            return f"bar {bar}: met"
        self.missed.append(name)
        return f"bar {bar}: MISSED"

    def __str__(self) -> str:
        missed = f", {len(self.missed)} missed: {', '.join(self.missed)}" if self.missed else ""
        return f"bars: {self.met} met{missed}"
