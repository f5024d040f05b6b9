# SPDX-License-Identifier: Apache-2.0
"""Files that are fetched: what is right stays, what is wrong is told and writes nothing."""

import contextlib
import hashlib
import http.server
import io
import tempfile
import threading
import unittest
from pathlib import Path

from support import ROOT
from references import load_references, main

RIGHT = b"R Hit 12 4 1000.0 2000.0\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Fetching(unittest.TestCase):
    """Fetching from a server of this test, on this machine."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.there, self.here = Path(folder.name, "there"), Path(folder.name, "here")
        self.there.mkdir()
        (self.there / "a.trace").write_bytes(RIGHT)
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *words: Quiet(*words, directory=str(self.there))
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.address = f"http://127.0.0.1:{server.server_address[1]}"
        self.file = self.here / "traces/a.trace"

    def fetch(self, *words: str, content: bytes = RIGHT, name: str = "a.trace", more: str = "") -> tuple[int, str, str]:
        """Fetches a list with one file and its expected content. @return status, output, errors."""
        listed = self.there / "list.toml"
        listed.write_text(
            f'[[files]]\nname = "traces/a.trace"\nbytes = {len(content)}\nsha256 = "{hashlib.sha256(content).hexdigest()}"\n'
            f'address = "{self.address}/{name}"\nlicence = "free"\nneeded_by = ["nobody"]\n{more}'
        )
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = main(["--list", str(listed), "--to", str(self.here), *words])
        return status, out.getvalue(), errors.getvalue()

    def test_a_missing_file_is_fetched_once(self) -> None:
        self.assertEqual((0, "traces/a.trace: fetched; free\n", ""), self.fetch())
        self.assertEqual(RIGHT, self.file.read_bytes())
        (self.there / "a.trace").unlink()
        self.assertEqual((0, "traces/a.trace: is there; free\n", ""), self.fetch())

    def test_check_fetches_nothing(self) -> None:
        status, _, errors = self.fetch("--check")
        self.assertEqual(1, status)
        self.assertIn(f"{self.file}: is not there; 'headstack references' gets it from {self.address}", errors)
        self.assertFalse(self.here.exists())

    def test_another_content_is_refused_and_leaves_nothing(self) -> None:
        for content, words in ((RIGHT + b"x", "it has 25 bytes, not 26"), (b"W" + RIGHT[1:], "its SHA-256 is ")):
            status, _, errors = self.fetch(content=content)
            self.assertEqual(1, status)
            self.assertIn(words, errors)
            self.assertFalse(self.here.exists())

    def test_a_file_that_differs_is_told_and_stays(self) -> None:
        self.file.parent.mkdir(parents=True)
        self.file.write_bytes(b"mine")
        status, _, errors = self.fetch()
        self.assertEqual(1, status)
        self.assertIn(f"{self.file}: it has 4 bytes, not 25; move it away", errors)
        self.assertEqual(b"mine", self.file.read_bytes())

    def test_what_the_server_lacks_is_told_with_the_remedy(self) -> None:
        status, _, errors = self.fetch(name="b.trace")
        self.assertEqual(1, status)
        self.assertIn("/b.trace: ", errors)
        self.assertIn(f"get it another way, and put it at {self.file}", errors)

    def test_an_unknown_key_of_the_list_is_an_error(self) -> None:
        status, _, errors = self.fetch(more='size = 3\n')
        self.assertEqual(1, status)
        self.assertIn("unknown key 'size'", errors)


class Shipped(unittest.TestCase):
    """The list of the tree."""

    def test_each_file_has_an_address_that_names_a_commit(self) -> None:
        references = load_references(ROOT / "host/fidelity/references.toml")
        self.assertGreaterEqual(len(references), 3)
        for reference in references:
            self.assertRegex(reference.address, r"^https://[^ ]*/[0-9a-f]{40}/")
            self.assertRegex(reference.sha256, "^[0-9a-f]{64}$")

    def test_the_shared_files_are_those_of_the_list(self) -> None:
        folder = ROOT.parent / "shared"
        if not (folder / "traces/disksim-valid").is_dir():
            self.skipTest(f"no {folder}; './headstack references' gets its traces")
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(0, main(["--check"]))


if __name__ == "__main__":
    unittest.main()
