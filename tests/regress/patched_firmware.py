# SPDX-License-Identifier: Apache-2.0
"""The drive's firmware with one source changed, built beside the tree by the very commands that built it there."""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _commands(build: Path) -> list[str]:
    line = ["ninja", "-C", str(build), "-t", "commands", "drive"]
    return subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def _gcc_words(command: str) -> list[str]:
    """The words of the compiler's call among the steps of one rule."""
    steps = [shlex.split(step) for step in command.split(" && ")]
    return next(words for words in steps if words and words[0].endswith("riscv64-unknown-elf-gcc"))


def _replaced(words: list[str], option: str, value: str) -> list[str]:
    words = list(words)
    words[words.index(option) + 1] = value
    return words


def build_patched(build: Path, folder: Path, source: str, old: str, new: str) -> Path:
    """Builds the ELF file in `folder` with `new` in the place of `old`, which occurs once in `source` (firmware/...)."""
    text = (ROOT / source).read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{source}: '{old}' stands there {text.count(old)} times, but must once: mend the test")
    copy = folder / source
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text.replace(old, new), encoding="utf-8")

    commands = _commands(build)
    compiling = _gcc_words(next(one for one in commands if f" -c {ROOT / source} " in one))
    before, fresh = compiling[compiling.index("-o") + 1], folder / "patched.o"
    compiling = _replaced(_replaced(compiling, "-o", str(fresh)), "-c", str(copy))
    lines = [_replaced(compiling, "-MF", str(folder / "patched.d"))]
    # The files made from the object: the whole program, if it is optimised as one, and drive.elf.
    objects = Path(before).parent
    for result in (objects / "whole.o", objects.parent / "drive.elf"):
        making = [one for one in commands if f" -o {result} " in one]
        for command in making:
            words = _gcc_words(command)
            if before not in words:
                continue  # compiled by itself, and not part of the whole program
            words = [str(fresh) if word == before else word for word in words]
            before, fresh = str(result), folder / result.name
            words = _replaced(words, "-o", str(fresh))
            lines.append([f"-Wl,-Map={folder / 'drive.map'}" if word.startswith("-Wl,-Map=") else word for word in words])
    for line in lines:
        subprocess.run(line, cwd=build, check=True)
    return fresh


def main() -> int:
    """`patched_firmware.py SOURCE OLD NEW -o FOLDER`, for trying a change by hand; the tree stays unchanged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="a source of the firmware: firmware/...")
    parser.add_argument("old", help="text that stands there once")
    parser.add_argument("new", help="what to put in its place")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="FOLDER", help="where drive.elf goes")
    usual = ROOT / "build" / os.environ.get("HEADSTACK_PRESET", "release")
    parser.add_argument("--build", type=Path, default=usual, help="the build whose commands are taken")
    options = parser.parse_args()
    try:
        elf = build_patched(options.build, options.out.resolve(), options.source, options.old, options.new)
    except subprocess.CalledProcessError:
        print("patched_firmware.py: error: the changed firmware does not compile; see above", file=sys.stderr)
        return 2
    except (ValueError, OSError) as error:
        print(f"patched_firmware.py: error: {error}", file=sys.stderr)
        return 2
    print(options.out / elf.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
