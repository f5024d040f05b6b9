# SPDX-License-Identifier: Apache-2.0
"""The conclusion at the top of a report: how the runs differ and why, or where a run's time goes, as sentences.

The reasons are those of the response time, whose stages are known. If commands waited in their host, times from arrival are
named, too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anatomy_pictures import parts
from commands import service_stages
from looks import stage_name
from measures import Measures
from report_tables import CHOICES, CONFIGURATION, NOTABLE, change, ms, percent, signed_ms, waited_in_hosts
from spread import Spread

WAITS = ("queued", "search_exposed")  # A command waits while the drive serves others, or searches.
# Rows of the configuration that follow from others, or from the firmware.
_FOLLOWS = ("hash of the firmware's events", "headstack", "policy, with its parameters")
_WORDS = {
    "queued": "the wait in the drive's queue",
    "search_exposed": "the wait for the scheduler's search",
    "chosen": "the firmware's start",
    "media_transfer": "the media transfer",
}
MOST_STAGES = 2  # stages of the service that a sentence names, at most
LEAST_SHARE = 0.05  # least share of the service's change that a named stage has


@dataclass(frozen=True)
class Split:
    """A run's mean response time in ms, split into parts that sum to it."""

    response: Spread
    from_arrival: Spread  # times from arrival; the response times if no command waited in its host
    parts_ms: dict[str, float]
    service_ms: dict[str, float]
    rate: float  # commands per second

    @property
    def service(self) -> float:
        """The mean service time."""
        return sum(self.service_ms.values())


def split(one: Measures) -> Split:
    """The parts of one run's mean."""
    service = {stage: one.stage_ms[stage] for stage in service_stages(one.run.stages())}
    rate = one.response.count / one.elapsed_s
    return Split(one.response, one.from_arrival or one.response, parts(one.stage_ms), service, rate)


def differences(first: Measures, other: Measures) -> list[str]:
    """Settings besides the policy that differ, by the configuration's names."""
    a, b = first.run.summary, other.run.summary
    found = [name for name, text in CONFIGURATION if name not in _FOLLOWS and text(a) != text(b)]
    return found + [name for name, key, _, _ in CHOICES if a.get(key) != b.get(key)]


def conclusions(runs: Sequence[Measures]) -> list[tuple[str, str]]:
    """Pairs of result and reason as sentences ("": no reason is known).

    A single run has the stages of its time. Of several runs, each but the first is compared with the first.
    """
    waited = waited_in_hosts(runs)
    splits = [split(one) for one in runs]
    if len(runs) == 1:
        what, why = _alone(splits[0], waited=waited)
        return [(_unbroken(f"{runs[0].run.summary['policy']}: {what}"), _unbroken(why))]
    policies = [one.run.summary["policy"] for one in runs]
    told_by_policy = len(set(policies)) == len(runs) and not any(differences(runs[0], one) for one in runs[1:])
    names = policies if told_by_policy else [one.run.label for one in runs]
    sentences = []
    for name, one, cut in list(zip(names, runs, splits, strict=True))[1:]:
        text = f"{name} against {names[0]}: {_beside(splits[0], cut, waited=waited)}"
        found = differences(runs[0], one)
        text += f" The runs differ in: {', '.join(found)}." if found else ""
        if runs[0].deadlines and one.deadlines:
            text += f" Deadlines missed: {_missed(runs[0])} before, {_missed(one)} after."
        sentences.append((_unbroken(text), _unbroken(" ".join(_why(runs[0], one, splits[0], cut)))))
    return sentences


# --- One run


def _alone(cut: Split, *, waited: bool) -> tuple[str, str]:
    mean = cut.response.mean
    what = f"mean response {ms(mean)} ms, 99 % {ms(cut.response.p99)} ms, {cut.rate:,.1f} commands/s"
    if waited:
        what += f"; from arrival in the host, mean {ms(cut.from_arrival.mean)} ms, 99 % {ms(cut.from_arrival.p99)} ms"
    what += "."
    if not mean > 0:
        return what, ""
    most = max(cut.parts_ms, key=cut.parts_ms.__getitem__)
    name = _name(most)
    why = f"{name[0].upper()}{name[1:]} makes {_share(cut.parts_ms[most], mean)} of the response."
    if most in WAITS and cut.service > 0:
        stages = sorted(cut.service_ms, key=lambda stage: -cut.service_ms[stage])[:MOST_STAGES]
        shares = ", ".join(f"{_name(stage)} {_share(cut.service_ms[stage], cut.service)}" for stage in stages)
        why += f" Once chosen, a command takes {ms(cut.service)} ms: {shares}."
    return what, why


# --- Two runs


def _beside(a: Split, b: Split, *, waited: bool) -> str:
    what = f"mean response {_spread(a.response, b.response)}, throughput {_change(a.rate, b.rate)}"
    return what + (f"; from arrival in the host, mean {_spread(a.from_arrival, b.from_arrival)}." if waited else ".")


def _spread(a: Spread, b: Spread) -> str:
    return f"{_change(a.mean, b.mean)}, 99 % {_change(a.p99, b.p99)}"


def _why(first: Measures, other: Measures, a: Split, b: Split) -> list[str]:
    total = b.response.mean - a.response.mean
    if abs(total) <= NOTABLE * a.response.mean:
        return []
    changes = _changes(a.parts_ms, b.parts_ms)
    most = max(changes, key=lambda part: changes[part] * total)
    found = [f"The mean response changes by {signed_ms(total)} ms; {_name(most)} alone changes by {signed_ms(changes[most])} ms."]
    if most in WAITS:
        found.append(_why_of_wait(a, b, total))
    missed = [one.run.summary.get("missed_revolutions") for one in (first, other)]
    if None not in missed and missed[0] != missed[1]:
        found.append(f"Missed revolutions: {missed[0]:,} before, {missed[1]:,} after.")
    return found


def _why_of_wait(a: Split, b: Split, total: float) -> str:
    """The reason of a change in waiting: a command waits for others, so its wait follows from their service."""
    service = b.service - a.service
    if abs(service) <= NOTABLE * a.service or service * total < 0:
        return f"The service of a command does not explain that: it takes {ms(a.service)} ms before, {ms(b.service)} ms after."
    changes = _changes(a.service_ms, b.service_ms)
    ranked = sorted(changes, key=lambda stage: -changes[stage] * total)
    stages = [stage for stage in ranked if changes[stage] / service > LEAST_SHARE]
    named = ", ".join(f"{_name(stage)} {signed_ms(changes[stage])} ms" for stage in stages[:MOST_STAGES])
    longer = "longer" if service > 0 else "shorter"
    return f"A command waits for others, and the service of each is {ms(abs(service))} ms {longer}: {named}."


def _changes(a: dict[str, float], b: dict[str, float]) -> dict[str, float]:
    return {part: b.get(part, 0.0) - a.get(part, 0.0) for part in dict.fromkeys([*a, *b])}


# --- Words


def _name(part: str) -> str:
    """The name of a part of the mean in sentences."""
    return _WORDS.get(part, stage_name(part))


def _change(reference: float, value: float) -> str:
    return change(value, reference) or f"{ms(reference)} before, {ms(value)} after"


def _unbroken(text: str) -> str:
    """The text with no-break spaces between numbers and units."""
    return re.sub(r"(?<=\d) (?=%|ms\b)", "\N{NO-BREAK SPACE}", text)


def _missed(one: Measures) -> str:
    return f"{percent(sum(due.missed for due in one.deadlines) / sum(due.count for due in one.deadlines))} %"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %"
