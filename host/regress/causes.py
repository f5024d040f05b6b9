# SPDX-License-Identifier: Apache-2.0
"""Groups of changed cases with one cause: a change in one place of the firmware changes many cases."""

from dataclasses import dataclass

from verdict import State, Verdict, failures_first


@dataclass(frozen=True)
class Cause:
    """A cause that some cases have in common."""

    text: str  # the function whose work changed, if there is one; else a description
    verdicts: tuple[Verdict, ...]  # not empty


def _text(verdict: Verdict) -> str:
    divergence = verdict.divergence
    if verdict.state is State.WRONG:
        return "expectations that do not hold: " + ", ".join(
            finding.kind for finding in verdict.findings if not finding.holds
        )
    if verdict.state is State.CHANGED and verdict.message:
        return verdict.message
    if divergence is None:
        return f"{verdict.state.value}: {verdict.message}"
    if divergence.culprit is not None:
        return f"the work of {divergence.culprit} changed"
    # Without a function, the cause is the first difference of the command, or the event that the firmware waited for.
    stage = next((pair.stage.replace("_", " ") for pair in divergence.stages if pair.differs), "")
    text = "times changed, without a function to name"
    return f"{text}: first {stage}" if stage else text


def causes_of(verdicts: list[Verdict]) -> list[Cause]:
    """The causes of cases that did not pass: failures first, and within a state the cause of most cases first."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in failures_first(verdicts):
        if verdict.state is not State.PASSED:
            groups.setdefault(_text(verdict), []).append(verdict)
    causes = [Cause(text, tuple(group)) for text, group in groups.items()]
    states = list(State)
    return sorted(causes, key=lambda cause: (states.index(cause.verdicts[0].state), -len(cause.verdicts)))


def causes_text(causes: list[Cause]) -> list[str]:
    """A line for each cause."""
    return [f"{len(cause.verdicts)} case{'' if len(cause.verdicts) == 1 else 's'}: {cause.text}" for cause in causes]
