"""The regression guard of the kernels: each against a plain loop in the same process.

    python3 run.py bench kernels --record

measures all of them and writes what is expected from then on, for kernels that changed on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from benchmarks.guard import FILE, LIMIT, Expected, Verdict, judged, ratio
from benchmarks.measuring import processor
from benchmarks.tables import Plan, Say, Table
from benchmarks.workloads import Work, Workload, workloads
from benchmarks.yardstick import sweep_once, walk_once
from genoku.errors import GenokuError
from genoku.jit import JIT_IS_ON

YARDSTICKS: dict[str, Work] = {"sweep": sweep_once, "walk": walk_once}
ROUNDS, QUICK_ROUNDS = 60, 25
RECORDED = 4  # times


def measure(plan: Plan, say: Say) -> list[Table]:
    expected = Expected.read()
    rounds = QUICK_ROUNDS if plan.quick else ROUNDS
    return [table(verdicts(workloads(), expected, rounds, say), expected)]


def verdicts(
    everything: Iterable[Workload], expected: Expected, rounds: int, say: Say
) -> list[Verdict]:
    """Every kernel, judged by the rule."""
    refuse_plain_python()
    found = []
    for workload in everything:
        say(workload.name)
        known = expected.ratios.get(workload.name)
        found.append(judged(workload.name, known, partial(measured, workload), rounds))
    return found


def refuse_plain_python() -> None:
    if not JIT_IS_ON:
        raise GenokuError("kernels are not compiled here (NUMBA_DISABLE_JIT), so no ratio holds")


def measured(workload: Workload, rounds: int) -> float:
    yardstick = YARDSTICKS[workload.yardstick]
    yardstick()  # loads it
    return ratio(workload.work, yardstick, rounds)


def table(found: list[Verdict], expected: Expected) -> Table:
    here = processor()
    elsewhere = "" if expected.processor == here else f", and this is {here}"
    slow = [verdict.kernel for verdict in found if verdict.regressed]
    return Table(
        "Kernels beside a plain loop",
        ("kernel", "ratio", "expected", "of the expected", "verdict"),
        tuple(
            (
                verdict.kernel,
                f"{verdict.ratio:.3g}",
                "" if verdict.expected is None else f"{verdict.expected:.3g}",
                "" if verdict.times is None else f"{verdict.times:.2f}×",
                "**regressed**" if verdict.regressed else "" if verdict.times else "new",
            )
            for verdict in found
        ),
        legend=(
            "What a call takes, divided by what a round of a fixed loop takes in the same process, "
            "measured in turns; the quickest of many rounds counts for both. A kernel has "
            f"regressed if its ratio is more than {LIMIT:g} times the expected one, and again when "
            "it is measured a second time. What is expected was recorded on "
            f"{expected.processor}{elsewhere}. "
            + (f"Regressed: {', '.join(slow)}." if slow else "None has regressed.")
        ),
        figures={
            **{f"{each.kernel}.ratio": each.ratio for each in found},
            **{f"{each.kernel}.times_expected": each.times for each in found if each.times},
            "regressed": len(slow),
        },
    )


def record() -> None:
    """Measure all kernels, and write what is expected from then on.

    The lowest of several counts, each with arrays of its own: where they lie, and what else the
    machine does, can only make a kernel look slower.
    """
    refuse_plain_python()
    ratios: dict[str, float] = {}
    for several in zip(*(list(workloads()) for _ in range(RECORDED)), strict=True):
        name = several[0].name
        ratios[name] = min(measured(each, RECORDED * ROUNDS) for each in several)
        print(f"{name:20} {ratios[name]:.3g}", flush=True)
    FILE.write_text(Expected(processor(), ratios).text(), "utf-8")
    print(f"wrote {FILE}")
