# SPDX-License-Identifier: Apache-2.0
"""The build's report on a firmware, on programs of a few functions made for it.

Stack frames are expected as the compiler's other record has them (-fstack-usage), those of start.S
by its FRAME: 64 bytes.

    test_report.py GCC OBJDUMP
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "firmware/tools"))
from call_graph import pointer_name  # noqa: E402
from elf import Elf  # noqa: E402

GCC, OBJDUMP = "", ""  # from the command line
TRAP_FRAME_BYTES = 64
FLAGS = [
    "-march=rv32imc_zicsr", "-mabi=ilp32", "-ffreestanding", "-std=c11", "-O2",
    "-ffunction-sections", "-fdata-sections", "-fcallgraph-info=su", "-fstack-usage",
]  # fmt: skip

TRAPS = """
typedef unsigned int word;
#define APART __attribute__((noinline, noclone))
void trap_external(void) { volatile word room[16]; room[0] = 1; }
word trap_exception(word cause, word pc, word value) {
  volatile word room[8];
  room[0] = cause + pc + value;
  return room[0];
}
"""

CHAIN = TRAPS + """
APART word deep(word x) { volatile word room[100]; room[x] = x; return room[0]; }
APART word side(word x) { volatile word room[110]; room[x] = x; return room[0]; }
APART word middle(word x) { volatile word room[50]; room[0] = deep(x); return room[0] + 1; }
int main(void) { return (int)(middle(1) + side(2)); }
"""

POINTER = TRAPS + """
struct row { word (*act)(word); };
APART static word small(word x) { volatile word room[10]; room[x] = x; return room[0]; }
APART static word large(word x) { volatile word room[90]; room[x] = x; return room[0]; }
static const struct row rows[] = {{small}, {large}};
volatile word which;
int main(void) { return (int)rows[which].act(3) + 1; }
"""

CIRCLE = TRAPS + """
volatile word busy;
APART word walk(word x);
APART word step(word x) { volatile word room[20]; room[0] = walk(x); return room[0] + 1; }
APART word walk(word x) {
  volatile word room[30];
  room[0] = 0;
  if (busy) return room[0];
  busy = 1;
  room[0] = step(x);
  busy = 0;
  return room[0] + 1;
}
int main(void) { return (int)walk(1) + 1; }
"""

TABLE = """
[memory]
above_the_stack = "somebody else's"
[roots]
program = "start"
interrupt = "trap_entry_external"
exception = "trap_entry_exception"
[pointers]
{pointers}
[limits]
{limits}
"""


class Report(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def build(self, source: str, *link_options: str) -> None:
        (self.folder / "program.c").write_text(source)
        for file in (self.folder / "program.c", ROOT / "firmware/start/start.S"):
            object_file = self.folder / f"{file.stem}.o"
            subprocess.run([GCC, *FLAGS, "-c", file, "-o", object_file], check=True)
        subprocess.run(
            [GCC, "-march=rv32imc", "-mabi=ilp32", "-nostdlib", "-static", "-Wl,--gc-sections",
             *link_options, "-T", ROOT / "firmware/start/soc.ld", self.folder / "program.o",
             self.folder / "start.o", "-lgcc", "-o", self.folder / "program.elf"],
            check=True,
        )  # fmt: skip

    def report(self, pointers: str = "", limits: str = "") -> subprocess.CompletedProcess:
        (self.folder / "table.toml").write_text(TABLE.format(pointers=pointers, limits=limits))
        return subprocess.run(
            [sys.executable, "-B", ROOT / "firmware/tools/report.py",
             "--elf", self.folder / "program.elf",
             "--objects", self.folder / "program.o", self.folder / "start.o",
             "--table", self.folder / "table.toml", "--objdump", OBJDUMP,
             "--out", self.folder / "program.report.txt"],
            check=False, capture_output=True, text=True,
        )  # fmt: skip

    def frame(self, function: str) -> int:
        usage = (self.folder / "program.su").read_text()
        return int(re.search(rf":{function}\t(\d+)\t", usage)[1])

    def traps(self) -> int:
        return (
            2 * TRAP_FRAME_BYTES + self.frame("trap_external") + self.frame("trap_exception")
        )

    def need_and_room(self, printed: str) -> tuple[int, int]:
        need, room = re.search(r"stack ([\d,]+) of ([\d,]+) at worst", printed).groups()
        return int(need.replace(",", "")), int(room.replace(",", ""))

    def test_the_deepest_chain_counts_and_the_traps_on_top_of_it(self):
        self.build(CHAIN)
        done = self.report()
        self.assertEqual(done.returncode, 0, done.stderr)
        chain = self.frame("main") + self.frame("middle") + self.frame("deep")
        self.assertGreater(chain, self.frame("main") + self.frame("side"))
        need, room = self.need_and_room(done.stdout)
        self.assertEqual(need, chain + self.traps())
        text = (self.folder / "program.report.txt").read_text()
        chain_text = text[text.index("  program:") :]
        self.assertRegex(text, rf"RAM 4,194,304 bytes: {room - need:,} of them \(\d+%\) free")
        names = re.findall(r"^ +\d+  (\w+)$", chain_text.split("\n\n")[0], re.MULTILINE)
        self.assertEqual(names, ["start", "main", "middle", "deep"])

    def test_a_stack_that_just_fits_passes_and_a_word_less_fails(self):
        self.build(CHAIN)
        need, room = self.need_and_room(self.report().stdout)
        data_end = 0x400000 - room
        for spare, status in ((0, 0), (-4, 1)):
            self.build(
                CHAIN, "-Wl,--defsym=__stack_bytes=0",
                f"-Wl,--defsym=__ram_top={data_end + need + spare}",
            )  # fmt: skip
            done = self.report()
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn("the stack does not fit", done.stderr)

    def test_an_unlisted_call_through_a_pointer_is_an_error(self):
        self.build(POINTER)
        done = self.report()
        self.assertEqual(done.returncode, 1)
        self.assertIn("calls through the pointer 'act'", done.stderr)

    def test_a_listed_call_through_a_pointer_counts_the_deepest_target(self):
        self.build(POINTER)
        done = self.report(pointers='act = ["small", "large"]')
        self.assertEqual(done.returncode, 0, done.stderr)
        chain = self.frame("main") + self.frame("large")
        self.assertEqual(self.need_and_room(done.stdout)[0], chain + self.traps())

    def test_a_star_stands_for_every_file_that_has_the_function(self):
        self.build(POINTER)
        listed = self.need_and_room(self.report(pointers='act = ["small", "large"]').stdout)
        starred = self.report(pointers='act = ["prog*.c:small", "*.c:large"]')
        self.assertEqual(starred.returncode, 0, starred.stderr)
        self.assertEqual(self.need_and_room(starred.stdout), listed)
        missed = self.report(pointers='act = ["prog*.c:small", "other*.c:large"]')
        self.assertEqual(missed.returncode, 1)
        self.assertIn("other*.c:large: there is no such function", missed.stderr)

    def test_a_column_of_a_table_stands_for_what_is_in_it(self):
        self.build(POINTER)
        listed = self.need_and_room(self.report(pointers='act = ["small", "large"]').stdout)
        (self.folder / "rows.def").write_text(
            "// ROW(number, act)\n// LONG_ROW(number, act, more...)\n"
            "ROW(1, small)\n// A remark.\nLONG_ROW(2,\n         large, 3, 4)\nROW(3, small)\n"
        )
        done = self.report(pointers='act = ["@rows.def:act"]')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.need_and_room(done.stdout), listed)
        wrong = self.report(pointers='act = ["@rows.def:handler"]')
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("rows.def: the comment at its head names no column 'handler'", wrong.stderr)

    def test_a_function_whose_address_is_taken_must_be_listed(self):
        self.build(POINTER)
        done = self.report(pointers='act = ["small"]')
        self.assertEqual(done.returncode, 1)
        self.assertIn("large: its address is taken", done.stderr)

    def test_recursion_is_an_error(self):
        self.build(CIRCLE)
        done = self.report()
        self.assertEqual(done.returncode, 1)
        self.assertIn("recursion without a limit: walk > step > walk", done.stderr)

    # The second call finds `busy` set and returns: its frame counts, nothing below it.
    def test_recursion_with_a_limit_counts_the_call_that_ends_it(self):
        self.build(CIRCLE)
        done = self.report(limits='walk = { times = 1, why = "busy" }')
        self.assertEqual(done.returncode, 0, done.stderr)
        chain = self.frame("main") + 2 * self.frame("walk") + self.frame("step")
        self.assertEqual(self.need_and_room(done.stdout)[0], chain + self.traps())

    def test_a_frame_without_a_fixed_size_is_an_error(self):
        self.build(
            TRAPS
            + "APART word fill(word n) { volatile word room[n]; room[0] = n; return room[0]; }\n"
            "volatile word count = 4;\n"
            "int main(void) { return (int)fill(count) + 1; }\n"
        )
        done = self.report()
        self.assertEqual(done.returncode, 1)
        self.assertIn("fill: its stack frame has no fixed size", done.stderr)

    def test_a_function_of_the_compilers_library_is_read_off_the_disassembly(self):
        self.build(
            TRAPS
            + "volatile unsigned long long a = 1, b = 1;\n"
            "int main(void) { return (int)(a / b) + 1; }\n"
        )
        done = self.report()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex((self.folder / "program.report.txt").read_text(), r"\d+  __udivdi3")


class ElfFile(unittest.TestCase):
    def test_what_is_none_for_the_core_is_an_error_with_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "some.o"
            compiled = subprocess.run(
                [GCC, *FLAGS, "-xc", "-", "-c", "-o", file], input=CHAIN, text=True, check=False
            )
            self.assertEqual(compiled.returncode, 0)
            whole = file.read_bytes()
            self.assertIn("middle", [symbol.name for symbol in Elf(file).symbols])
            # e_ident: the class at 4, the byte order at 5.
            for content in (
                b"", whole[:3], whole[:60], whole[:-1], b"text" + whole[4:],
                whole[:4] + b"\2" + whole[5:], whole[:5] + b"\2" + whole[6:],
            ):  # fmt: skip
                file.write_bytes(content)
                with self.assertRaisesRegex(ValueError, "some.o: not a 32-bit ELF file"):
                    Elf(file)


class PointerName(unittest.TestCase):
    def test_the_name_called_last(self):
        for text, name in (
            ("idle(context);\n next(1);", "idle"),
            ("policy->which_next(state, &view)", "which_next"),
            ("a->b.c[i](x[1], f(2));", "c"),
            ("find_row(cdb[0])->handler(scsi,\n  command);", "handler"),
            ("table[f(i)].put (config)", "put"),
            ("nothing + more", None),
        ):
            self.assertEqual(pointer_name(text), name, text)


if __name__ == "__main__":
    GCC, OBJDUMP = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
