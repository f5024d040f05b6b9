# SPDX-License-Identifier: Apache-2.0
"""The rules by which the papers' claims are judged: the verdicts, and what the papers' words are taken to mean.

They hold for all papers, and were chosen before the data: a claim falls where it falls. RULES.md has them as a page, which
`python rules.py` writes.
"""

from dataclasses import dataclass
from pathlib import Path

HOLDS, IN_PART, FAILS, OPEN, FITTED, NOT_MEASURED = "holds", "in part", "does not hold", "open", "fitted", "not measured"

VERDICTS = {
    HOLDS: "the whole 95 % interval of every number lies in the range in which the sentence is true",
    IN_PART: "the whole interval of some numbers lies outside, and that of others does not",
    FAILS: "the whole interval of every number lies outside; where the reason is known, the row has it",
    OPEN: "no interval lies wholly outside, and some reach over an end of the range",
    FITTED: "something that the paper leaves free was chosen so that the number comes out: it says nothing, and is no result",
    NOT_MEASURED: "the runs for it were left out",
}


@dataclass(frozen=True)
class Word:
    """The meaning of a word: a bound, and why it is that."""

    words: str
    bound: float
    unit: str  # "": a share of the value; otherwise the unit of the bound
    why: str


SAME = Word("independent of, the same, ignored", 0.01, "", "a hundredth, for quantities that no choice should change")
ALIKE = Word(
    "alike, similar, close, almost identical, essentially the same, scarcely influenced, indistinguishable", 0.10, "",
    "ours: two printed curves that are nearer than this cannot be told apart by eye",
)  # fmt: skip
SIGNIFICANTLY = Word(
    "significantly, clearly", 0.10, "", "the counterpart of *alike*"
)
ABOUT = Word("about, approximately, said of a number", 1 / 6, "", "one digit is given: half a unit of a 3 is a sixth of it")
MUCH = Word(
    "much, far, extremely; not competitive", 0.25, "",
    "ours: well beyond *significantly*, with room for an interval of some percent",
)  # fmt: skip
MAXIMUM = Word("close, said of a maximum", 0.25, "", "a maximum is the time of one request, and its interval is wider than that of a mean")
EXCESSIVELY = Word("excessively", 2.0, "times", "ours: beyond every other word")
SCARCELY_POINTS = Word("scarcely, said of missed deadlines", 1.0, "points", "ours: differences below it do not show in figures that reach to 100 %")
SLIGHTLY_POINTS = Word("slightly, said of missed deadlines", 3.0, "points", "ours: less than a reader would call a difference without the word")
WELL_POINTS = Word("well, reasonably good, said of missed deadlines", 5.0, "% missed", "ours: nineteen of twenty deadlines are met")
MEETS_POINTS = Word("meets the deadlines", 1.0, "% missed", "ours: one miss in a hundred does not show in figures that reach to 100 %")
CHAIN_POINTS = Word("percentages of a service time", 3.0, "points", "ours: the paper gives one run each, without an interval")
CHAIN_SHARE = Word("times in milliseconds with two digits", 0.05, "", "ours, for the same reason")

WORDS = (
    SAME, ALIKE, SIGNIFICANTLY, ABOUT, MUCH, MAXIMUM, EXCESSIVELY, SCARCELY_POINTS, SLIGHTLY_POINTS, WELL_POINTS, MEETS_POINTS,
    CHAIN_POINTS, CHAIN_SHARE,
)  # fmt: skip


def _bound(word: Word) -> str:
    if word.unit:
        return f"{word.bound:g} {word.unit}"
    return f"{100 * word.bound:.3g} %"


def page() -> str:
    """The text of RULES.md."""
    verdicts = "\n".join(f"| {verdict} | {meaning} |" for verdict, meaning in VERDICTS.items())
    words = "\n".join(f"| {word.words} | {_bound(word)} | {word.why} |" for word in WORDS)
    return f"""# The rules of the verdicts

Each claim of a paper is a row. It has the paper's sentence, our numbers, the range in which the sentence is true, and a verdict.
The rules below are the same for all five papers. They were chosen before the data, and [rules.py](rules.py) has them once.

| verdict | when |
|---|---|
{verdicts}

An interval is Student's t over the seeds. Where a quantity has a heavy tail, a row takes each run's own number, or a median. A
median's interval lies between two of the values; it needs no distribution. Of five values it is the whole range (94 %).

Papers use words where a row needs a number:

| word | bound | why |
|---|---|---|
{words}

A number that a paper gives itself is asked for within the bound of *about*, unless its row says otherwise. "No better than" with a
difference that is significant, and smaller than *alike*, is told as *similar*, with the difference.
"""


if __name__ == "__main__":
    (Path(__file__).resolve().parent / "RULES.md").write_text(page(), encoding="utf-8")
