"""The answer in plain words, which claims no more than the tests allow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from genoku.engine.race import unsearched
from genoku.lab.page import Notice, Part, literal
from genoku.lab.report.comparisons import (
    Contrast,
    Overall,
    Pair,
    Ranking,
    could_differ,
    hint_for,
    too_many,
)
from genoku.lab.report.data import Gathered, Unit, spent
from genoku.lab.statistics import LEVEL, Proportion, ert, magnitude, p_text, share_text
from genoku.words import listed, percent, plural, rounded

MOST_NAMED = 6
MOST_LEADING = 3
UNKNOWN = "some losses are not known, as histories do not tell or runs are too short for a clock"


def _bold(text: str) -> str:
    """A name of the study."""
    return f"**{literal(text)}**"


def summary(
    gathered: Gathered,
    found: dict[Unit, list[Pair]],
    ranking: Ranking | str,
    over_puzzles: list[Overall] | str,
    effects: list[Contrast],
) -> tuple[Part, ...]:
    """What was found, sentence by sentence: of all puzzles first, then of each."""
    parts: list[Part] = [*incomplete(gathered)]
    if not len(gathered.results):
        return (*parts, "There are no runs yet, so nothing can be said.")
    parts.append("\n".join(_successes(gathered)))
    if gathered.names != tuple(arm.name for arm in gathered.study.arms):
        keys = dict.fromkeys(key for arm in gathered.study.arms for key in arm.settings)
        words = listed([f"`{key}`" for key in keys])
        parts.append(f"Points of a grid are named by what they set: {words}.")
    if len(gathered.study.arms) == 1:
        parts.append("There is one algorithm only, so nothing is compared.")
        return tuple(parts)
    parts += answers(gathered, effects)
    parts += _over_puzzles(gathered, ranking, over_puzzles)
    parts += _differences(gathered, found[gathered.primary])
    parts += _otherwise(gathered, found)
    parts += _caveats(gathered)
    return tuple(parts)


def incomplete(gathered: Gathered) -> Iterator[Notice]:
    """What is missing, if anything is."""
    planned, there = len(gathered.study), len(gathered.results)
    if there < planned:
        share = percent(there / planned)
        yield Notice(
            f"**{there:,} of {planned:,} planned runs are in the store** ({share} %). This page is "
            "about those; algorithms may have different numbers of runs."
        )
    if failed := len(gathered.failures):
        first = gathered.failures[0]
        were = "run came" if failed == 1 else "runs came"
        yield Notice(
            f"**{failed:,} {were} to nothing** and count nowhere on this page. The first: "
            f"{gathered.bold(first.arm)} on {gathered.italic(first.instance)}, seed {first.seed}: "
            f"`{first.message.splitlines()[0].replace('`', chr(39)) if first.message else ''}`"
        )


def _successes(gathered: Gathered) -> Iterator[str]:
    """Who solved how much, best first; the extremes if there are many."""
    study = gathered.study
    told = []
    for arm in range(len(study.arms)):
        own = gathered.results.of(arm)
        if len(own):
            success = Proportion.of(own.solved)
            expected = ert(spent(own, gathered.primary), own.solved)
            told.append((-success.share, expected, arm, success))
    told.sort(key=lambda item: item[:3])
    solved = sum(success.successes for *_, success in told)
    runs = sum(success.runs for *_, success in told)
    if not solved:
        yield (
            f"None of the {runs:,} runs was solved." if runs > 1 else "The only run was not solved."
        )
        return
    if solved == runs and runs > 1:
        yield f"All {runs:,} runs were solved.\n"
    shown = told if len(told) <= MOST_NAMED else told[: MOST_NAMED - 1]
    for _, expected, arm, success in shown:
        share = share_text(success) if len(study.instances) == 1 else f"{percent(success.share)} %"
        interval = ", 95 % interval in brackets" if len(study.instances) == 1 else ""
        one = f"- {gathered.bold(arm)} solved {success.successes:,} of "
        one += f"{plural(success.runs, 'run')}: {share}{interval if arm == shown[0][2] else ''}"
        if math.isfinite(expected) and len(study.instances) == 1:
            effort = f"{rounded(expected)} evaluations"
            if gathered.primary == "CPU time":
                effort = f"{rounded(1000 * expected)} ms of CPU time"
            one += f"; {effort} are expected until a solution"
        yield one + "."
    if rest := told[len(shown) :]:
        most = rest[0][-1]
        up_to = f"up to {percent(most.share)} % each" if most.successes else "none"
        yield f"- The other {len(rest)} algorithms solved {up_to}."


def _differences(gathered: Gathered, found: list[Pair]) -> Iterator[Part]:
    """What the tests on single puzzles say, at equal effort by the study's measure."""
    if not found:
        yield too_many(gathered) or "No two algorithms have runs on the same puzzle yet."
        return
    sure = [pair for pair in found if pair.differs]
    tests = plural(len(found), "comparison")
    if not sure:
        yield from _nothing_found(gathered, found)
        return
    if len(sure) <= MOST_NAMED:
        sentences = [f"- {_sentence(gathered, pair)}" for pair in sure]
        rest = len(found) - len(sure)
        if rest:
            others = "comparison" if rest == 1 else f"{rest:,} comparisons"
            sentences.append(
                f"- The other {others} cannot be decided with these runs, which does not mean that "
                "there is no difference."
            )
        corrected = f", after Holm's correction for {tests}" if len(found) > 1 else ""
        yield f"At equal {gathered.primary}{corrected}:\n\n" + "\n".join(sentences)
        return
    better = Counter(pair.better for pair in sure)
    worse = Counter(pair.worse for pair in sure)
    yield (
        f"At equal {gathered.primary} {len(sure):,} of {tests} between two algorithms on one "
        f"puzzle are significant after Holm's correction; most often better: "
        f"{_most(gathered, better)}; most often worse: {_most(gathered, worse)}. "
        f"The other {len(found) - len(sure):,} cannot be decided with these runs."
    )


def _most(gathered: Gathered, times: Counter[int]) -> str:
    """Whom most comparisons name; how many, where they are many."""
    ((_, most),) = times.most_common(1)
    arms = sorted(arm for arm, count in times.items() if count == most)
    if len(arms) > MOST_LEADING:
        return f"{len(arms)} algorithms, in {most:,} each"
    each = " each" if len(arms) > 1 else ""
    return f"{listed([gathered.bold(arm) for arm in arms])} in {most:,}{each}"


def _sentence(gathered: Gathered, pair: Pair) -> str:
    instances = gathered.study.instances
    where = f"On {gathered.italic(pair.instance)} " if len(instances) > 1 else ""
    better, worse = (gathered.bold(arm) for arm in (pair.better, pair.worse))
    return (
        f"{where}{better} does better than {worse}: {p_text(pair.corrected)}, "
        f"A12 = {pair.effect:.2f} ({magnitude(pair.effect)})."
    )


def _nothing_found(gathered: Gathered, found: list[Pair]) -> Iterator[Part]:
    most = max(max(pair.sizes) for pair in found)
    closest = max(found, key=lambda pair: (abs(pair.a12 - 0.5), -pair.p))
    instances = gathered.study.instances
    if closest.a12 == 0.5:
        same = gathered.one_fitness() and gathered.knows_losses(gathered.primary)
        what = "what counts here" if same else "solving, and losses where these can be compared"
        yield (
            f"At equal {gathered.primary} no algorithm does better than another: by {what}, their "
            "runs are alike."
        )
        return
    each = f"With {plural(most, 'run')} of each algorithm"
    each = f"On single puzzles, w{each[1:]}," if len(instances) > 1 else each
    if could_differ(found):
        said = f"{each} no difference is significant at equal {gathered.primary}"
    else:
        said = f"{each} nothing can be told apart, however large the difference"
    if len(found) > 1:
        said += f" (Holm's correction for {len(found):,} comparisons)"
    pair = f"{gathered.bold(closest.first)} and {gathered.bold(closest.second)}"
    if len(instances) > 1:
        pair += f" on {gathered.italic(closest.instance)}"
    hinted = hint_for(gathered, gathered.primary, closest, len(found))
    yield (
        f"{said}. That is no proof that there is none. The largest difference seen is between "
        f"{pair}: {hinted[0].lower()}{hinted[1:]}"
    )


def answers(gathered: Gathered, found: list[Contrast]) -> Iterator[Part]:
    """What each setting does, in plain words."""
    if not found:
        return
    puzzles = len(gathered.study.instances)
    spans = ["all combinations of the other settings"] * _several(found)
    spans += [f"{puzzles} puzzles"] * (puzzles > 1)
    over = f" over {listed(spans)}" if spans else ""
    corrected = f", after Holm's correction for {len(found)} comparisons" if len(found) > 1 else ""
    lead = (
        f"What the settings do at equal {gathered.primary}{over} (van Elteren's test{corrected}):"
    )
    lead += "\n\n"
    chosen = found if len(found) <= MOST_NAMED else [each for each in found if each.differs]
    lines = [f"- {_contrast(each)}" for each in chosen[:MOST_NAMED]]
    if len(lines) < len(found):
        lines.append(f"- All {len(found)} comparisons stand below, under *Main effects*.")
    yield lead + "\n".join(lines)


def _several(found: list[Contrast]) -> bool:
    return len({each.key for each in found}) > 1


def _contrast(each: Contrast) -> str:
    first, second = (_bold(value) for value in each.values)
    one, two = (f"{percent(share.share)} %" for share in each.shares)
    low, high = each.effect.interval
    rarer = each.differs and each.shares[0].share < each.shares[1].share
    figures = (
        f"{p_text(each.corrected)}, A12 = {each.effect.a12:.2f} ({low:.2f}–{high:.2f}, "
        f"{magnitude(each.effect.a12)}); solved {one} and {two}"
        f"{', less often but sooner' if rarer else ''}"
    )
    said = f"`{each.key}`: {first} does better than {second} ({figures})."
    if not each.differs:
        said = (
            f"`{each.key}`: {first} and {second} cannot be told apart ({figures}), which is no "
            "proof that they are alike."
        )
    sure = [turn for turn in each.turned if turn.p < LEVEL]
    if sure:
        where = [f"`{turn.key}` = {turn.value} ({p_text(turn.p)})" for turn in sure]
        return f"{said} It depends: with {listed(where)} {second} does better."
    if each.turned and each.differs:
        where = [f"`{turn.key}` = {turn.value}" for turn in each.turned]
        return f"{said} With {listed(where)} {second} seems better, which these runs do not prove."
    return said


def _over_puzzles(
    gathered: Gathered, ranking: Ranking | str, over_puzzles: list[Overall] | str
) -> Iterator[Part]:
    """What the tests over all puzzles say."""
    arms = gathered.study.arms
    if isinstance(ranking, Ranking):
        test = ranking.test
        order = sorted(range(len(arms)), key=lambda arm: test.ranks[arm])
        best = order[0]
        over = f"Over {test.puzzles} puzzles"
        if test.p >= LEVEL:
            yield f"{over} the algorithms do not differ significantly (Friedman, {p_text(test.p)})."
            return
        same = [
            arm
            for arm in order[1:]
            if test.ranks[arm] - test.ranks[best] < ranking.critical_difference
        ]
        told = (
            f"{over} the algorithms differ (Friedman, {p_text(test.p)}). "
            f"{gathered.bold(best)} has the best mean rank, {test.ranks[best]:.2f}"
        )
        if not same:
            yield f"{told}, and is better than every other (Nemenyi, 5 %)."
        elif len(same) == len(order) - 1:
            yield f"{told}, but cannot be told apart from any other (Nemenyi, 5 %)."
        else:
            names = [gathered.bold(arm) for arm in same[:MOST_NAMED]]
            if len(same) > MOST_NAMED:
                names.append(f"{len(same) - MOST_NAMED} more")
            others = [gathered.bold(arm) for arm in order[1:] if arm not in same]
            rest = others[0] if len(others) == 1 else f"the other {len(others)}"
            yield (
                f"{told}; it cannot be told apart from {listed(names)}, and is better than {rest} "
                "(Nemenyi, 5 %)."
            )
    elif isinstance(over_puzzles, list):
        tests = len(over_puzzles)
        corrected = f", after Holm's correction for {tests} pairs" if tests > 1 else ""
        sure = [each for each in over_puzzles if each.corrected < LEVEL]
        for each in sure:
            yield (
                f"Over the puzzles, {gathered.bold(each.better)} does better than "
                f"{gathered.bold(each.worse)} (Wilcoxon, {p_text(each.corrected)}"
                f"{corrected}): it is ahead on {each.ahead} of {len(gathered.study.instances)}, "
                f"and behind on {each.behind}."
            )
        if over_puzzles and not sure:
            least = min(each.corrected for each in over_puzzles)
            yield (
                f"Over the {len(gathered.study.instances)} puzzles no two algorithms differ "
                f"significantly (Wilcoxon, {p_text(least)}{corrected})."
            )


def _otherwise(gathered: Gathered, found: dict[Unit, list[Pair]]) -> Iterator[Part]:
    """Whether the other measure of effort tells another story."""
    unit: Unit = "CPU time" if gathered.primary == "evaluations" else "evaluations"
    pairs = found[unit]
    if not pairs:
        return
    before = {
        (p.first, p.second, p.instance): p.better for p in found[gathered.primary] if p.differs
    }
    now = {(p.first, p.second, p.instance): p.better for p in pairs if p.differs}
    why = "" if gathered.knows_losses(unit) else f"; {UNKNOWN}, so solving alone counts"
    turned = [key for key, better in now.items() if before.get(key, better) != better]
    if turned:
        first, second, instance = turned[0]
        tell = "tells" if unit == "CPU time" else "tell"
        better, worse = now[turned[0]], first if now[turned[0]] == second else second
        more = f", and so in {len(turned) - 1} more" if len(turned) > 1 else ""
        yield (
            f"Equal {unit} {tell} another story: there {gathered.bold(better)} does "
            f"better than {gathered.bold(worse)} on "
            f"{gathered.italic(instance)}{more}."
        )
    elif now == before:
        if now:
            yield f"At equal {unit} the same comparisons are significant."
    elif now:
        yield (
            f"At equal {unit} {len(now):,} of {plural(len(pairs), 'comparison')} "
            f"{'is' if len(now) == 1 else 'are'} significant, none the other way round{why}."
        )
    else:
        yield f"At equal {unit} no comparison is significant{why}."


def _caveats(gathered: Gathered) -> Iterator[Part]:
    for instance in range(len(gathered.study.instances)):
        arms = [arm for arm, place in sorted(gathered.unsearched) if place == instance]
        if arms:
            where = f"On {gathered.italic(instance)}: " if len(gathered.study.instances) > 1 else ""
            yield where + unsearched([gathered.bold(arm) for arm in arms])
    kinds = sorted({facts.kind for facts in gathered.arms})
    if len(kinds) > 1:
        yield (
            f"The algorithms are of different kinds ({listed(kinds)}), for which an evaluation is "
            "not the same work: CPU time is the measure here, on the machines that made the runs."
        )
    if not gathered.one_fitness():
        functions = listed([literal(each) for each in gathered.fitness_names()])
        yield (
            f"The algorithms have different fitness functions ({functions}), whose losses "
            "do not mean the same. Where two differ in it they are compared by solving alone."
        )
    if not gathered.knows_losses(gathered.primary):
        yield f"At equal {gathered.primary} {UNKNOWN}, so there they are compared by solving alone."
