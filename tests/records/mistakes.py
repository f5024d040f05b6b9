# SPDX-License-Identifier: Apache-2.0
"""Writes a copy of host/observe/stage_log.cpp that can make mistakes: the proof that the record audit notices them.

    mistakes.py STAGE_LOG_CPP OUTPUT

The copy makes the mistake that the environment variable HEADSTACK_MISTAKE names, and none without it. Each is one change of
the text. A text that does not stand there once is an error: mend the table.
"""

import sys
from pathlib import Path

# Name, text, and what stands in its place.
MISTAKES = (
    ("seek-is-rotation", "heard->changes.push_back({at, Stage::kSeek});", "heard->changes.push_back({at, Stage::kRotation});"),
    ("settle-is-seek", "heard->changes.push_back({at + parts.seek, Stage::kSettle});", ""),
    ("seek-late", "heard->changes.push_back({at, Stage::kSeek});", "heard->changes.push_back({at + 1, Stage::kSeek});"),
    ("transfer-late", "run_.began.push_back(run_.sector_began);", "run_.began.push_back(run_.sector_began + 1);"),
    ("transfer-short", "end = std::max(run_.ended[done - 1], heard->chosen_at);",
     "end = std::max(run_.ended[done > 1 ? done - 2 : 0], heard->chosen_at);"),
    ("last-change-dropped", "  sort_by_time(changes);\n", "  sort_by_time(changes);\n  changes.pop_back();\n"),
    ("behind-the-end", "note(std::max(times.data_last, times.status), Stage::kStatus);", "note(times.finished + 1, Stage::kStatus);"),
    ("before-submission", "note(times.arbitration_won, Stage::kSelection);", "note(times.submitted - 1, Stage::kSelection);"),
    ("commands-swapped", "name_of_task_[task] = with_tag(received_, argument >> 16);",
     "name_of_task_[task] = with_tag(received_, argument >> 16);\n  if (task > 0) std::swap(name_of_task_[task], name_of_task_[task - 1]);"),
    ("queued-early", "heard->changes.push_back({at, Stage::kQueued});",
     "heard->changes.push_back({at - 100 * kPicosecondsPerMicrosecond, Stage::kQueued});"),
    ("bus-late", "  heard->data_phases.push_back({at, begins});",
     "  at += kPicosecondsPerMillisecond / 5;\n  heard->data_phases.push_back({at, begins});"),
    ("flush-on-media", "heard->operation != traces::Operation::kFlush", "true"),
    ("joined-late", "join(*heard);", "heard->changes.push_back({at + 1, Stage::kMediaTransfer});"),
)

HEAD = """#include <cstdlib>
#include <string_view>
namespace {
bool mistake(std::string_view name) {
  static const char* const kMade = std::getenv("HEADSTACK_MISTAKE");
  return kMade != nullptr && name == kMade;
}
}  // namespace
"""


def guarded(name: str, old: str, new: str) -> str:
    """Either of the two: as statements, or as the expressions that they are."""
    if old.rstrip().endswith((";", "}")):
        return f'{{ if (mistake("{name}")) {{ {new} }} else {{ {old} }} }}'
    return f'(mistake("{name}") ? {new} : ({old}))'


def main() -> None:
    source, output = map(Path, sys.argv[1:])
    text = source.read_text(encoding="utf-8")
    changed = text
    for old in dict.fromkeys(old for _, old, _ in MISTAKES):
        if text.count(old) != 1:
            sys.exit(f"mistakes.py: '{old}' stands {text.count(old)} times in {source}, but must once: mend the table")
        code = old
        for name, _, new in (one for one in MISTAKES if one[1] == old):
            code = guarded(name, code, new)
        changed = changed.replace(old, code)
    output.write_text(HEAD + changed, encoding="utf-8")


if __name__ == "__main__":
    main()
