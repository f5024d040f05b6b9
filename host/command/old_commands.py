# SPDX-License-Identifier: Apache-2.0
"""Commands that had other names: they work for one release more, with a warning."""

import os
from collections.abc import Sequence

from bootstrap import ROOT, warn

# What was typed, and what is: README.md and the man page have this table.
OLD_COMMANDS = (
    ("test --fuzz [SECONDS [FORMAT...]]", "fuzz traces [--seconds SECONDS] [FORMAT...]"),
    ("test --loads [SEEDS]", "fuzz platforms [SEEDS]"),
    ("fuzz [OPTION...]", "fuzz drive [OPTION...]"),
    ("fuzz --coverage [MINUTES]", "fuzz coverage [--minutes MINUTES]"),
    ("experiment NAME [OPTION...]", "experiment run NAME [OPTION...]"),
)


def renew(words: Sequence[str]) -> list[str]:
    """The words that are typed today, with a warning; as they are when they are not old."""
    makers = {"test": _renew_test, "fuzz": _renew_fuzz, "experiment": _renew_experiment}
    maker = makers.get(words[0])
    new = maker(list(words[1:])) if maker is not None else None
    if new is None:
        return list(words)
    old = " ".join(words[: 1 + (len(words) > 1 and words[1].startswith("--"))])
    warn(f"'headstack {old}' will be removed in the next release; use 'headstack {' '.join(new)}'")
    return new


def _without_preset(words: list[str]) -> tuple[list[str], list[str]]:
    """`--preset P`, wherever it stands, and the others."""
    for place, word in enumerate(words):
        if word == "--preset":
            return words[place : place + 2], words[:place] + words[place + 2 :]
        if word.startswith("--preset="):
            return [word], words[:place] + words[place + 1 :]
    return [], words


def _renew_test(words: list[str]) -> list[str] | None:
    preset, rest = _without_preset(words)
    if rest[:1] == ["--fuzz"]:
        return ["fuzz", "traces", *(["--seconds", rest[1]] if rest[1:] else []), *rest[2:]]
    if rest[:1] == ["--loads"]:
        if preset:
            os.environ["HEADSTACK_PRESET"] = preset[-1].rpartition("=")[2]
        return ["fuzz", "platforms", *rest[1:]]
    return None


def _renew_fuzz(words: list[str]) -> list[str] | None:
    if words[:1] == ["--coverage"]:
        return ["fuzz", "coverage", *(["--minutes"] if words[1:] else []), *words[1:]]
    is_option = bool(words) and words[0].startswith("-") and words[0] not in ("-h", "--help")
    return ["fuzz", "drive", *words] if not words or is_option else None


def _renew_experiment(words: list[str]) -> list[str] | None:
    names = [word for word in words if not word.startswith("-")]
    is_name = any(
        name.endswith(".toml") or os.path.exists(os.path.join(ROOT, "host/experiment", f"{name}.toml")) for name in names
    )
    return ["experiment", "run", *words] if is_name and words[0] not in ("run", "list") else None
