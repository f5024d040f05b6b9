# SPDX-License-Identifier: Apache-2.0
"""Completion in real shells."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import ROOT, call


def in_bash(line: str, *, folder: Path = ROOT, environment: dict[str, str] | None = None) -> list[str]:
    """What bash offers at the end of a line that begins with ./headstack."""
    words = line.split(" ")
    program = f"""
source <("{ROOT}/headstack" completion bash)
specification=$(complete -p headstack) || exit 9
compopt() {{ printf 'files %s\\n' "$2"; }}  # bash has it in completions alone
COMP_WORDS=({' '.join(f"'{word}'" for word in words)})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
function=${{specification#*-F }}
"${{function%% *}}" '{words[0]}' '{words[-1]}' ''
(( ${{#COMPREPLY[@]}} == 0 )) || printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, check=False, cwd=folder,
                          env={**os.environ, **(environment or {})})  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split("\n")[:-1]


class Bash(unittest.TestCase):
    def test_the_script_is_bash(self) -> None:
        script = call("completion", "bash")
        self.assertEqual(script.returncode, 0)
        checked = subprocess.run(["bash", "-n"], input=script.stdout, capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_lines_are_completed(self) -> None:
        for line, offered in (
            ("./headstack dr", ["drive"]),
            ("./headstack re", ["references", "regress", "remap", "report"]),
            ("./headstack fuzz ", ["coverage", "drive", "platforms", "power", "traces"]),
            ("./headstack trace sy", ["synth"]),
            # Of programs in C++, in Python, and of neither.
            ("./headstack run --pol", ["--policy"]),
            ("./headstack debug --lau", ["--launch"]),
            ("./headstack run stop.w", ["files nospace", "stop.watchdog="]),
            ("./headstack torture --cut", ["--cuts", "--cut-seed"]),
            ("./headstack drive locate --lb", ["--lba"]),
            ("./headstack regress --rtl-", ["--rtl-share", "--rtl-seed"]),
            ("./headstack build --pre", ["--preset"]),
            # Values.
            ("./headstack run --platform ", ["rtl", "vp", "native"]),
            ("./headstack run --policy gst", ["gstf"]),
            ("./headstack run --drive cheetah_9", ["cheetah_9lp"]),
            ("./headstack drive info cheetah", ["cheetah_4lp", "cheetah_9lp"]),
            ("./headstack experiment run mov", ["movable-head"]),
            ("./headstack sweep --policy gst", ["gstf"]),
            ("./headstack completion z", ["zsh"]),
        ):
            with self.subTest(line):
                self.assertEqual(sorted(in_bash(line)), sorted(offered))

    def test_files_may_stand_where_names_do(self) -> None:
        self.assertEqual(in_bash("./headstack run --trace tra"), ["files default"])
        self.assertEqual(in_bash("./headstack run --drive ./my"), ["files default"])
        self.assertEqual(in_bash("./headstack regress --out bu"), ["files dirnames"])

    def test_a_tree_that_is_not_set_up_offers_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            shutil.copy(ROOT / "headstack", name)
            for file in (".ci/apt-packages", "host/python/requirements.lock"):
                (Path(name) / file).parent.mkdir(parents=True)
                shutil.copy(ROOT / file, Path(name) / file)
            self.assertEqual(in_bash("./headstack dr", folder=Path(name)), [])
            self.assertFalse((Path(name) / "build").exists())


class Zsh(unittest.TestCase):
    def setUp(self) -> None:
        if shutil.which("zsh") is None:
            self.skipTest("no zsh here: apt-get install zsh")

    def test_the_script_is_zsh(self) -> None:
        script = call("completion", "zsh")
        checked = subprocess.run(["zsh", "-n"], input=script.stdout, capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_lines_are_completed(self) -> None:
        """compadd and _describe are replaced by what prints: zsh has them in its line editor alone."""
        for line, offered in (("./headstack dr", "drive"), ("./headstack run --plat", "--platform"),
                              ("./headstack fuzz tr", "traces"),
                              ("./headstack run --platform nat", "native")):  # fmt: skip
            program = f"""
compdef() {{ function=$1 }}
source <("{ROOT}/headstack" completion zsh)
compadd() {{ print -rl -- $plain }}
_describe() {{ print -rl -- $described }}
words=({' '.join(line.split(' '))}) CURRENT={len(line.split(' '))}
$function
"""
            done = subprocess.run(["zsh", "-f", "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual([one.split(":")[0] for one in done.stdout.split("\n")[:-1]], [offered])


if __name__ == "__main__":
    unittest.main()
