# SPDX-License-Identifier: Apache-2.0
"""The output for GitHub Actions: an annotation at the source line of the function whose work changed, and a page.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

import sys
from pathlib import Path

from causes import Cause, causes_of, causes_text
from verdict import State, Verdict, failures_first
from report_text import totals, verdict_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import output_error  # noqa: E402


def _data(text: str) -> str:
    """The text of a workflow command, with the characters escaped that would end its line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _relative(file: str, workspace: Path) -> str:
    path = Path(file)
    return str(path.relative_to(workspace)) if path.is_relative_to(workspace) else file


def annotation(cause: Cause, workspace: Path) -> str:
    """The annotation of a cause, at the changed function if there is one, else at the first case. GitHub shows ten
    annotations.
    """
    verdict = cause.verdicts[0]
    divergence = verdict.divergence
    file, line = str(verdict.case.file), 1
    if divergence and divergence.culprit and divergence.culprit.line:
        file, line = divergence.culprit.file, divergence.culprit.line
    others = f" and {len(cause.verdicts) - 1} more" if cause.verdicts[1:] else ""
    title = f"{verdict.case.name}{others} {verdict.state.value}"
    text = "\n".join([verdict.summary, *(divergence.why if divergence else ())])
    level = "notice" if verdict.is_good else "error"
    return f"::{level} file={_property(_relative(file, workspace))},line={line},title={_property(title)}::{_data(text)}"


def summary(verdicts: list[Verdict], chosen: int) -> str:
    """The text for $GITHUB_STEP_SUMMARY, in Markdown."""
    lines = [f"### headstack regress: {totals(verdicts, chosen)}", ""]
    troubles = [verdict for verdict in failures_first(verdicts) if verdict.state is not State.PASSED]
    if troubles:
        lines += [*(f"- {line}" for line in causes_text(causes_of(verdicts))), ""]
        lines += ["| case | verdict | first divergence |", "|---|---|---|"]
        for verdict in troubles:
            cell = verdict.summary.replace("|", "\\|").replace("\n", " ")
            lines.append(f"| `{verdict.case.name}` | {verdict.state.value} | {cell} |")
        for verdict in troubles:
            text = verdict_text(verdict).rstrip()
            lines += ["", f"<details><summary>{verdict.case.name}</summary>", "", "```", text, "```", "</details>"]
    return "\n".join(lines) + "\n"


def report_to_github(verdicts: list[Verdict], chosen: int, environment: dict[str, str]) -> list[str]:
    """The annotations, to be printed. The summary is written to its file."""
    workspace = Path(environment.get("GITHUB_WORKSPACE", "."))
    if file := environment.get("GITHUB_STEP_SUMMARY"):
        try:
            with open(file, "a", encoding="utf-8") as page:
                page.write(summary(verdicts, chosen))
        except OSError as error:
            raise output_error(file, error) from None
    return [annotation(cause, workspace) for cause in causes_of(verdicts)]
