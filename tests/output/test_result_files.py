# SPDX-License-Identifier: Apache-2.0
"""host/output/result_files.py: whole files or none, and one sentence for what went wrong."""

import os
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/output"))

from result_files import OutputError, alone_in, keep_inputs, keep_others, make_folder, write_bytes, write_text, writing  # noqa: E402

FULL = Path("/dev/full")  # full(4): writing there fails with ENOSPC
NO_SPACE = "cannot be written: No space left on device; make room on its disk"


class InAFolder(unittest.TestCase):
    """Each test in a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def names(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir())


class Files(InAFolder):
    def test_are_as_written_and_nothing_else_is_left(self) -> None:
        write_text(self.folder / "text", "ä\r\nb\n")
        write_bytes(self.folder / "bytes", b"\0\xff")
        self.assertEqual((self.folder / "text").read_bytes(), "ä\r\nb\n".encode())
        self.assertEqual((self.folder / "bytes").read_bytes(), b"\0\xff")
        self.assertEqual(self.names(), ["bytes", "text"])

    def test_older_one_stays_until_the_new_one_is_whole(self) -> None:
        file = self.folder / "page"
        write_text(file, "old")
        with self.assertRaisesRegex(ZeroDivisionError, ""), writing(file) as part:
            part.write_text("half of the n")
            raise ZeroDivisionError
        self.assertEqual((file.read_text(), self.names()), ("old", ["page"]))
        write_text(file, "new")
        self.assertEqual(file.read_text(), "new")

    def test_keep_their_permissions_and_links_lead_where_they_led(self) -> None:
        file, link = self.folder / "page", self.folder / "link"
        write_text(file, "old")
        file.chmod(0o600)
        link.symlink_to(file)
        write_text(link, "new")
        self.assertTrue(link.is_symlink())
        self.assertEqual((file.read_text(), file.stat().st_mode & 0o777), ("new", 0o600))

    def test_devices_are_written_to_as_they_are(self) -> None:
        write_text(Path("/dev/null"), "gone")
        self.assertTrue(Path("/dev/null").is_char_device())

    def test_full_disk_is_told(self) -> None:
        link = self.folder / "link"
        link.symlink_to(FULL)
        for file in (FULL, link):
            with self.assertRaisesRegex(OutputError, f"^{file}: {NO_SPACE}"):
                write_text(file, "x")

    def test_a_limit_for_files_is_told_and_leaves_the_older_file(self) -> None:
        file = self.folder / "page"
        write_text(file, "old")
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
        try:
            write_text(self.folder / "fits", "x" * 100)
            with self.assertRaisesRegex(OutputError, "page: cannot be written: File too large; lift the limit"):
                write_text(file, "x" * 101)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        self.assertEqual((file.read_text(), self.names()), ("old", ["fits", "page"]))

    def test_places_that_are_none_are_told_with_the_remedy(self) -> None:
        with self.assertRaisesRegex(OutputError, "no/page: cannot be written: No such file.*; make its folder"):
            write_text(self.folder / "no/page", "x")
        with self.assertRaisesRegex(OutputError, "cannot be written: Is a directory; give another name"):
            write_text(self.folder, "x")
        write_text(self.folder / "file", "x")
        with self.assertRaisesRegex(OutputError, "file: cannot be written: File exists; give another name"):
            make_folder(self.folder / "file")

    def test_what_a_command_reads_is_never_written_over(self) -> None:
        file, link = self.folder / "trace", self.folder / "link"
        write_text(file, "x")
        link.symlink_to(file)
        keep_inputs(self.folder / "other", file)
        keep_inputs(Path("/dev/null"), Path("/dev/null"))
        for name in (file, link, self.folder / "." / "trace"):
            with self.assertRaisesRegex(OutputError, f"^{name}: is what the command reads; give another name$"):
                keep_inputs(name, self.folder / "missing", file)

    def test_what_is_there_stays_unless_a_command_wrote_it(self) -> None:
        file = self.folder / "page"
        keep_others(file)
        keep_others(Path("/dev/full"))
        keep_others(self.folder)  # told when it is written
        write_text(file, "")
        keep_others(file, b"mine")
        write_text(file, "<!-- mine -->")
        keep_others(file, b"mine")
        with self.assertRaisesRegex(OutputError, f"^{file}: exists; give --force to overwrite it$"):
            keep_others(file)
        with self.assertRaisesRegex(OutputError, f"^{file}: exists, and this command did not write it; remove it$"):
            keep_others(file, b"theirs", "remove it")

    def test_errors_of_other_files_are_not_taken_for_it(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "elsewhere"), writing(self.folder / "page"):
            (self.folder / "elsewhere").read_text()


class Folders(InAFolder):
    def test_are_one_commands_alone_whose_process_others_are_told(self) -> None:
        out = self.folder / "out"
        code = (
            f"import sys; sys.path.insert(0, {str(ROOT / 'host/output')!r})\n"
            "from pathlib import Path; from result_files import alone_in\n"
            f"with alone_in(Path({str(out)!r})): print('in', flush=True); sys.stdin.read()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-B", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other:
            assert other.stdout is not None
            self.assertEqual(other.stdout.readline(), "in\n")
            words = f"--out {out}: (process {other.pid}|another process) is writing there; wait for its end"
            with self.assertRaisesRegex(OutputError, words), alone_in(out):
                self.fail("let in")
            other.communicate("")
        with alone_in(out):
            self.assertEqual(list(out.iterdir()), [])


class Programs(InAFolder):
    """What run() makes of the end of a program."""

    def end(self, body: str, stdout: str = "/dev/null") -> tuple[int, str]:
        code = (
            f"import sys; sys.path.insert(0, {str(ROOT / 'host/output')!r})\n"
            f"from result_files import *; import os\ndef main():\n    {body}\nrun(main)\n"
        )
        with open(stdout, "w", encoding="ascii") as out:
            done = subprocess.run(
                [sys.executable, "-B", "-c", code], stdout=out, stderr=subprocess.PIPE, text=True, check=False
            )
        return done.returncode, done.stderr

    def test_status_is_what_main_says(self) -> None:
        for body, status in (("pass", 0), ("return 3", 3), ("sys.exit(2)", 2), ("sys.exit()", 0)):
            self.assertEqual(self.end(body), (status, ""))

    def test_full_standard_output_is_one_line_and_status_1(self) -> None:
        told = "headstack: error: standard output: cannot be written: No space left on device; make room"
        # Little is held back until the end, much is not; help ends a program from within.
        for body in ("print('x')", "print('x' * 100000); return 0", "print('x'); sys.exit(0)"):
            status, stderr = self.end(body, "/dev/full")
            self.assertEqual((status, stderr.count("\n"), stderr[: len(told)]), (1, 1, told))
        self.assertNotEqual(self.end("print('x'); return 3", "/dev/full")[0], 0)

    def test_full_file_is_one_line_and_status_1(self) -> None:
        status, stderr = self.end("write_text(Path('/dev/full'), 'x')")
        self.assertEqual((status, stderr.count("\n")), (1, 1))
        self.assertIn(f"headstack: error: /dev/full: {NO_SPACE}", stderr)

    def test_reader_that_leaves_is_no_error_to_tell(self) -> None:
        code = f"import sys; sys.path.insert(0, {str(ROOT / 'host/output')!r})\nfrom result_files import run\n"
        code += "run(lambda: print('x' * 1000000))\n"
        reader, writer = os.pipe()
        with subprocess.Popen([sys.executable, "-B", "-c", code], stdout=writer, stderr=subprocess.PIPE) as program:
            os.close(writer)
            os.read(reader, 1)
            os.close(reader)
            self.assertEqual(program.communicate()[1], b"")
        self.assertEqual(program.returncode, 141)


if __name__ == "__main__":
    unittest.main()
