# SPDX-License-Identifier: Apache-2.0
"""Changes of times as lines of a commit's message: 'Timing: 9 cycles more in seek_start(), 41 cases'.

Such a line accepts the changes whose first cause is this function, in each comparison that has the commit. An expectation that does
not hold, or a run that fails, is accepted by none.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from causes import causes_of
from divergence import Divergence, cycles_text
from source_lines import source_name
from verdict import State, Verdict

MARK = "Timing:"
_FUNCTION = re.compile(rf"^{MARK} .*\bin (\w+)\(\)", re.M)
ELSEWHERE = "other times, in no function"
_NO_FUNCTION = re.compile(rf"^{MARK} {ELSEWHERE}", re.M)


def _work_text(divergence: Divergence) -> str:
    """The change of work as text: '9 cycles more in seek_start()'."""
    if divergence.culprit is None:
        return ELSEWHERE
    name = divergence.culprit.function
    more = sum(pair.found.cycles - pair.expected.cycles for pair in divergence.work if source_name(pair.function) == name)
    if more == 0:
        return f"other work in {name}()"
    return f"{cycles_text(abs(more))} {'more' if more > 0 else 'fewer'} in {name}()"


def _is_timing(verdict: Verdict) -> bool:
    """Whether a message may accept the verdict."""
    return verdict.state is State.CHANGED and verdict.divergence is not None and not verdict.message


def timing_lines(verdicts: Iterable[Verdict]) -> list[str]:
    """A line for each function whose work changed. Runs on rtl repeat those on vp."""
    changed = [verdict for verdict in verdicts if _is_timing(verdict) and not verdict.accepted]
    lines = []
    for cause in causes_of(changed):
        first = cause.verdicts[0].divergence
        assert first is not None
        count = len({verdict.case.folder for verdict in cause.verdicts})
        lines.append(f"{MARK} {_work_text(first)}, {count} case{'' if count == 1 else 's'}")
    return lines


def accept_all_times(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Marks all changes that a message could accept."""
    return [replace(verdict, accepted="by --accept-times") if _is_timing(verdict) and not verdict.accepted else verdict for verdict in verdicts]


def accept_timing(verdicts: Iterable[Verdict], messages: dict[str, str]) -> list[Verdict]:
    """Marks changes that a message accepts. `messages` has commits' messages by the commits' names."""
    by_function = {name: commit for commit, text in messages.items() for name in _FUNCTION.findall(text)}
    elsewhere = next((commit for commit, text in messages.items() if _NO_FUNCTION.search(text)), "")

    def commit_for(verdict: Verdict) -> str:
        if not _is_timing(verdict):
            return ""
        assert verdict.divergence is not None
        culprit = verdict.divergence.culprit
        return by_function.get(culprit.function, "") if culprit else elsewhere

    return [
        replace(verdict, accepted=f"commit {commit} has this timing") if (commit := commit_for(verdict)) else verdict
        for verdict in verdicts
    ]
