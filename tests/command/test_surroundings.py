# SPDX-License-Identifier: Apache-2.0
"""What surrounds a command: descriptors that are closed, a full disk behind standard output, Ctrl-C at any time, variables."""

import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import ROOT, TRACE, headstack

SCRIPT = str(ROOT / "headstack")
INTERRUPTED = 130
# For scripts of the tests: what ends a program.
LIBRARY = f"sys.path.insert(1, {str(ROOT / 'host/output')!r})\nfrom result_files import run\n"


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """A line of bash; "$0" is the script."""
    return subprocess.run(["bash", "-c", line, SCRIPT], capture_output=True, text=True, check=False)


class Descriptors(unittest.TestCase):
    def test_without_standard_input_a_command_works(self) -> None:
        for words in (f"trace info {TRACE}", "drive list", "experiment list"):
            done, wanted = shell(f'"$0" {words} <&-'), headstack(*words.split())
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, wanted.stdout, ""), words)

    def test_without_standard_output_there_is_one_line(self) -> None:
        for words in ("drive list", "help", "experiment list"):
            done = shell(f'"$0" {words} >&-')
            told = "headstack: error: standard output is closed; redirect it to a file, or to /dev/null\n"
            self.assertEqual((done.returncode, done.stderr), (1, told), words)

    def test_a_full_disk_is_one_line(self) -> None:
        for words in ("help", "help compare", "completion bash", "version", "man --roff", "man"):
            with self.subTest(words):
                done = shell(f'"$0" --quiet {words} >/dev/full')
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"^headstack: error: standard output: cannot be written: No space left [^\n]*\n$")


class Interrupts(unittest.TestCase):
    """Ctrl-C at any time: what it ends says nothing. A shell tells both exit statuses as 130."""

    ENDED = -signal.SIGINT

    def started(self, body: str, **modules: str) -> subprocess.Popen[str]:
        """A script that is started as commands are, with its modules beside it."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in {**modules, "script": body}.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        line = [sys.executable, "-B", str(ROOT / "host/command/start.py"), str(folder / "script.py"), "a", "--b"]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result(self, body: str, **modules: str) -> tuple[str, str, int]:
        """The result of such a script: standard output and error, and the exit status."""
        process = self.started(body, **modules)
        return (*process.communicate(timeout=20), process.returncode)

    def test_while_a_script_still_loads_it_is_silent(self) -> None:
        process = self.started("import time\nprint('loading', flush=True)\ntime.sleep(20)\n")
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "loading\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual((*process.communicate(timeout=20), process.returncode), ("", "", self.ENDED))

    def test_inside_an_import_it_waits_for_the_end_of_that(self) -> None:
        """Python would tell RuntimeError ("Error calling __set_name__"), and the module would not be whole."""
        module = (
            "import os, signal\n\nclass Attribute:\n    def __set_name__(self, owner, name):\n"
            "        os.kill(os.getpid(), signal.SIGINT)\n\nclass Owner:\n    it = Attribute()\n\nprint('module whole', flush=True)\n"
        )
        body = (
            f"import sys, time\n{LIBRARY}\n"
            "def main():\n    try:\n        import module\n        time.sleep(20)\n"
            "    finally:\n        print('left in order', flush=True)\n\nrun(main)\n"
        )
        self.assertEqual(self.result(body, module=module), ("module whole\nleft in order\n", "", INTERRUPTED))

    def test_behind_the_end_of_main_it_is_silent(self) -> None:
        """Python would tell "Exception ignored in atexit callback"."""
        body = (
            f"import atexit, os, signal, sys\n{LIBRARY}"
            "atexit.register(os.kill, os.getpid(), signal.SIGINT)\nrun(lambda: print('done'))\n"
        )
        self.assertEqual(self.result(body), ("done\n", "", self.ENDED))

    def test_a_command_without_a_terminal_may_ignore_it(self) -> None:
        """As nohup and a shell's & do for their programs."""
        body = (
            f"import os, signal, sys\n{LIBRARY}"
            "run(lambda: (os.kill(os.getpid(), signal.SIGINT), print('done'))[1])\n"
        )
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "script.py").write_text(body, encoding="utf-8")
        line = f"trap '' INT; exec {sys.executable} -B {ROOT / 'host/command/start.py'} {folder / 'script.py'}"
        done = shell(line)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))

    def test_a_script_is_as_if_started_itself(self) -> None:
        body = (
            '"""Its text."""\nfrom __future__ import annotations\nimport sys, pickle\n\nclass Mine: pass\n\n'
            "print(__name__, __doc__, sys.argv[1:], sys.argv[0] == __file__, sys.path[0] in __file__, "
            "type(pickle.loads(pickle.dumps(Mine()))) is Mine)\nsys.exit(7)\n"
        )
        self.assertEqual(self.result(body), ("__main__ Its text. ['a', '--b'] True True True\n", "", 7))

    def test_of_the_interpreter_itself_it_is_held_back(self) -> None:
        """A signal that comes before the script's first line is taken by it."""
        code = (
            "import os, sys; sys.path.insert(0, sys.argv[1]); import bootstrap, signal\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]); os.kill(os.getpid(), signal.SIGINT)\n"
            "bootstrap.become([sys.executable, '-B', sys.argv[1] + '/start.py', '/dev/null/x.py'], holds_interrupts=True)\n"
        )
        done = subprocess.run(
            [sys.executable, "-B", "-c", code, str(ROOT / "host/command")], capture_output=True, text=True, check=False, timeout=20
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (self.ENDED, "", ""))

    def test_at_any_time_of_a_command_it_is_silent(self) -> None:
        """Spread evenly over what the command takes, from the shell's first line to the interpreter's last."""
        for words in (("experiment", "run", "eagle", "--help"), ("regress", "--list"), ("report", "--help"), ("help",)):
            begin = time.monotonic()
            headstack(*words)
            takes = time.monotonic() - begin
            for part in range(16):
                process = subprocess.Popen([SCRIPT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                time.sleep(takes * part / 16)
                process.send_signal(signal.SIGINT)
                _, error = process.communicate(timeout=60)
                # It may have been done.
                self.assertIn(process.returncode, (0, INTERRUPTED, self.ENDED), (words, part))
                self.assertEqual(error, "", (words, part))


class Variables(unittest.TestCase):
    def test_of_python_change_nothing(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("argparse", "numpy", "click", "json"):
            (folder / f"{name}.py").write_text("raise SystemExit('another module')\n", encoding="ascii")
        wanted = {words: headstack(*words) for words in (("help",), ("experiment", "list"), ("report", "--help"))}
        for name, value in (
            ("PYTHONSAFEPATH", "1"), ("PYTHONOPTIMIZE", "2"), ("PYTHONPATH", str(folder)), ("PYTHONHOME", "/tmp"),
            ("PYTHONIOENCODING", "latin-1"), ("PYTHONWARNINGS", "error"),
        ):  # fmt: skip
            for words, plain in wanted.items():
                with self.subTest(name, words=words):
                    done = headstack(*words, environment={name: value})
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, plain.stdout, ""))


class HelpOfMore(unittest.TestCase):
    def test_a_word_behind_a_command_is_no_command(self) -> None:
        done = headstack("help", "run", "x")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'headstack run' has no commands below it", done.stderr)
        self.assertEqual(headstack("help", "trace", "info").stdout, headstack("trace", "info", "--help").stdout)
        self.assertIn("did you mean 'info'?", headstack("help", "trace", "inof").stderr)


if __name__ == "__main__":
    unittest.main()
