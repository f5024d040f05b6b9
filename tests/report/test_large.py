# SPDX-License-Identifier: Apache-2.0
"""A million commands: bounded memory, a small page, exact percentiles, thinned pictures that say so."""

import html
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PS_PER_MS, ROOT, header, write_run  # noqa: I001

COMMANDS = 1_000_000
PS_PER_US = 10**6
# What Python with matplotlib takes before it has read a line is 100 MB; a command may take 60 bytes, a piece of the
# file some ten times its 8 MB.
MOST_MEMORY_MB = 350
MOST_PAGE_BYTES = 3_000_000

# The report in a process of its own, which says how much memory it ever had.
MEASURED = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import report
status = report.main(sys.argv[2:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
sys.exit(status)
"""


class Large(unittest.TestCase):
    """Commands one after another, each 10 ms after the one before; response times 1 to 1,000 us, over and over."""

    def test_a_million_commands(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            folder = write_run(Path(place) / "a", [])
            with open(folder / "records.csv", "w", encoding="ascii") as out:
                out.write(header())
                for number in range(COMMANDS):
                    begin, took = number * 10 * PS_PER_MS, (1 + number * 7 % 1000) * PS_PER_US
                    out.write(
                        f"{number},read,{number % 200},1,{begin},{begin + took},{took},0,"
                        f"0,0,0,0,0,0,0,0,0,{took},0,0,0,0\n"
                    )
            summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
            summary["result"] |= {"commands": COMMANDS, "elapsed_ps": COMMANDS * 10 * PS_PER_MS}
            (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")

            page = Path(place) / "page.html"
            done = subprocess.run(
                [sys.executable, "-B", "-c", MEASURED, str(ROOT / "host/report"), str(folder), "-o", str(page)],
                capture_output=True, text=True, check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            memory_mb = int(done.stdout.split()[-1]) / 1000
            print(f"{memory_mb:.0f} MB, page of {page.stat().st_size} bytes")
            self.assertLess(memory_mb, MOST_MEMORY_MB)
            self.assertLess(page.stat().st_size, MOST_PAGE_BYTES)
            text = html.unescape(page.read_text(encoding="utf-8"))
        for name, value in (("mean", "0.500"), ("median", "0.500"), ("95 %", "0.950"), ("99 %", "0.990"),
                            ("99.9 %", "0.999"), ("maximum", "1.000")):
            self.assertIn(f'<tr><th scope="row">response, {name}, ms</th><td>{value}</td></tr>', text)
        thinned = re.search(r"Thinned out by a hash of the command's number, the same each time: a: ([0-9.]+) %", text)
        assert thinned
        # 12,000 of a million, give or take four standard deviations of such a choice.
        self.assertAlmostEqual(float(thinned[1]), 1.2, delta=0.05)


if __name__ == "__main__":
    unittest.main()
