# SPDX-License-Identifier: Apache-2.0
"""The declaration of real-drives.toml: what is refused, and with which remedy."""

import math
import re
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from support import ROOT
from comparison import bus_note
from declaration import (
    Word, bus_can_do, check_bus, expected_bus, expected_cache, load_declaration, nearest_step_ns, published_byte_ns, undeclared, with_bus,
)
from errors import FidelityError
from estimates import Line

SHIPPED = ROOT / "host/fidelity/real-drives.toml"
DRIVES = ROOT / "sim/drives"


class Declaration(unittest.TestCase):
    """Read and checked."""

    def load(self, text: str) -> None:
        """Loads a file with this text."""
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "real-drives.toml"
            file.write_text(text, encoding="utf-8")
            load_declaration(file, DRIVES)

    def test_the_shipped_one_has_the_three_measured_drives(self) -> None:
        drives = {drive.description: drive for drive in load_declaration(SHIPPED, DRIVES)}
        self.assertEqual(sorted(drives), ["cheetah_9lp", "hp_c2247a", "hp_c3323a"])
        # 10,045 rpm; DiskSim's figures are those of [published].
        self.assertAlmostEqual(drives["cheetah_9lp"].revolution_ms, 5.9731, places=4)
        self.assertEqual(drives["hp_c2247a"].disksim_demerit_ms, 0.090)
        self.assertEqual(drives["cheetah_9lp"].disksim_demerit_ms, 0.107)

    def test_what_is_wrong_is_named_with_its_remedy(self) -> None:
        text = SHIPPED.read_text(encoding="utf-8")
        cases = [
            # replaced (first place), by, what the message has
            ('description = "hp_c2247a"\n', "", "drives 1: 'description' is missing; give a text"),
            ('trace = "hp_c2247a.trace"', "speed = 1", "unknown key 'speed'; the keys are description, trace"),
            ('trace = "hp_c2247a.trace"', 'trace = "t"\nspeed = 1', "drives 1: unknown key 'speed'"),
            ('description = "hp_c2247a"', 'description = "no_such"', "no_such.toml"),
            ('description = "hp_c2247a"', 'description = "hp_c3323a"', "drives 1: run: cache: 'words': "),
            ('from = "measured-load"', 'from = "fitted"', "drives 1: run: policy: 'from' is 'fitted', but must be one of measured-load"),
            ('1"\nfrom = "description"\n[drives.bounds]', '1"\nfrom = "fitted"\n[drives.bounds]',
             "drives 1: run: bus: 'from' is 'fitted', but must be one of description, trace-hits"),
            ("read-ahead=128", "read-ahead=96", "says read:segments=1,segment-blocks=256,read-ahead=128; say the same"),
            ("sync:324:in", "sync:320:in", "[published.bus] says sync:324:in=332.227:out=364.961; say the same"),
            ('words = "sync:324:in=332.227:out=364.961"\nfrom = "description"', 'words = "fast"\nfrom = "trace-hits"',
             "'fast' is no sync:PERIOD_NS"),
            ('words = "sync:324:in=332.227:out=364.961"\nfrom = "description"', 'words = "sync:0"\nfrom = "trace-hits"',
             "'sync:0' is no sync:PERIOD_NS"),
            ('words = "fcfs"', "words = 3", "drives 1: run: policy: 'words' is 3, but must be a text"),
            ('words = "sync:200:in=205.078:out=205.078"', 'words = "sync:200"',
             "[published.bus] says sync:200:in=205.078:out=205.078; say the same"),
            ("mean_percent = 6", "mean_percent = 0", "drives 1: bounds: 'mean_percent' is 0, but must be a number above 0"),
            ("[[drives]]", "[[drives", "correct it"),
        ]
        for old, new, message in cases:
            with self.subTest(new=new):
                self.assertIn(old, text)
                with self.assertRaises(FidelityError) as raised:
                    self.load(text.replace(old, new, 1))
                self.assertIn(message, str(raised.exception))

    def test_a_users_own_lies_anywhere(self) -> None:
        text = SHIPPED.read_text(encoding="utf-8")
        first = text[text.index("[[drives]]") : text.index("[[drives]]", text.index("[[drives]]") + 1)]
        bounds = first.index("[drives.bounds]")
        mine = first[:bounds].replace('"hp_c2247a"', '"copies/mine.toml"', 1)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "copies").mkdir()
            (folder / "copies/mine.toml").write_bytes((DRIVES / "hp_c2247a.toml").read_bytes())
            (folder / "user.toml").write_text(mine, encoding="utf-8")
            [drive] = load_declaration(folder / "user.toml", DRIVES)
            self.assertEqual((drive.description, drive.file), ("mine", folder / "copies/mine.toml"))
            self.assertEqual((drive.demerit_bound_ms, drive.mean_bound_percent), (math.inf, math.inf))
            with self.assertRaisesRegex(FidelityError, "^user.toml: mine: run.bus: "):
                check_bus(drive, 200.0, "the reads from the buffer")

    def test_without_a_declaration_the_description_has_the_words(self) -> None:
        drive = undeclared(DRIVES / "cheetah_9lp.toml", Path("some.trace"))
        [declared] = [one for one in load_declaration(SHIPPED, DRIVES) if one.description == "cheetah_9lp"]
        self.assertEqual(drive.run, declared.run)
        # DiskSim's 0.105 ms for 512 bytes are 205.078 ns a byte.
        self.assertEqual(drive.run["bus"], Word("sync:200:in=205.078:out=205.078", "description"))
        with tempfile.TemporaryDirectory() as name:
            # This one has no bus: its own stands in, 10 MB/s, until the trace's hits are known. 331 ns are nearest to 325.
            silent = Path(name) / "silent.toml"
            text = (DRIVES / "hp_c2247a.toml").read_text(encoding="utf-8")
            silent.write_text(re.sub(r"(?m)^host_(read|write)_ms_.*\n", "", text), encoding="utf-8")
            drive = undeclared(silent, Path("some.trace"))
            self.assertEqual(drive.run["bus"], Word("sync:100", "design"))
            self.assertEqual(with_bus(drive, 331.0).run["bus"], Word("sync:325", "trace-hits"))
            bare = Path(name) / "bare.toml"
            bare.write_bytes((DRIVES / "eagle.toml").read_bytes())
            with self.assertRaisesRegex(FidelityError, r"bare.toml: \[published.cache\]: no segments.*add it"):
                undeclared(bare, Path("some.trace"))

    def test_what_the_hits_say_of_the_bus_is_said_of_every_drive(self) -> None:
        drives = {one.description: one for one in load_declaration(SHIPPED, DRIVES)}
        line = lambda ns, given: Line(0.1, (ns * 512 / 1e6,), given, given, 0.01)
        hp = drives["hp_c2247a"]
        hits = replace(hp, run=hp.run | {"bus": Word("sync:324", "trace-hits")})
        self.assertEqual(
            bus_note(hp, line(331.0, 100)), "100 reads from the buffer say 331.0 ns a byte, published are 332.2 ns"
        )
        self.assertIn("too few reads from the buffer to tell (none, of 100", bus_note(hp, None))
        self.assertIn("too few reads from the buffer to tell (99, of 100", bus_note(hits, line(999.0, 99)))
        self.assertIn("331.0 ns a byte, as declared", bus_note(hits, line(331.0, 100)))
        with self.assertRaisesRegex(FidelityError, "declare the nearest step, 375 ns"):
            bus_note(hits, line(370.0, 100))

    def test_the_published_bus_is_the_drives_step_and_the_hosts_pace(self) -> None:
        # DiskSim's hp_c2247a.parv, BUS1: 0.17010 and 0.18686 ms for a block of 512 bytes, read and written.
        drives = {one.description: one for one in load_declaration(SHIPPED, DRIVES)}
        self.assertAlmostEqual(published_byte_ns(drives["hp_c2247a"], "read"), 0.17010e6 / 512)
        self.assertAlmostEqual(published_byte_ns(drives["hp_c2247a"], "write"), 0.18686e6 / 512)
        # The step of 25 ns below the faster of both is 325; SDTR's unit is 4 ns.
        self.assertEqual(expected_bus(drives["hp_c2247a"]), "sync:324:in=332.227:out=364.961")
        # BUS1 of the Cheetah takes no time: the drive's own 0.105 ms are what its data take, both ways.
        self.assertEqual(expected_bus(drives["cheetah_9lp"]), "sync:200:in=205.078:out=205.078")

    def test_the_published_bus_may_be_wide_or_too_fast_or_in_one_way_alone(self) -> None:
        # A block of 512 bytes; a bus of Fast-10 takes 100 ns for a byte, or for two where it is wide.
        [cheetah] = [one for one in load_declaration(SHIPPED, DRIVES) if one.description == "cheetah_9lp"]
        cases = [
            # ms, width, words
            ({"ms_per_512B_sector": 0.0512}, 8, "sync:100"),
            ({"ms_per_512B_sector": 0.0512}, 16, "sync:100"),
            ({"ms_per_512B_sector": 0.0384}, 16, "sync:148:wide"),
            ({"ms_per_512B_sector": 0.0384}, 8, "sync:100"),
            ({"ms_per_512B_sector": 0.0128}, 16, "sync:100:wide"),
            ({"ms_per_512B_sector": 1.024}, 8, "sync:1020:in=2000.000:out=2000.000"),
            ({"ms_per_512B_sector": 0, "host_read_ms_per_512B_sector": 0.17}, 8, None),
            ({"ms_per_512B_sector": 0.1, "host_read_ms_per_512B_sector": 0.1024}, 8, "sync:172:in=200.000:out=195.312"),
        ]
        for bus, width, words in cases:
            with self.subTest(bus=bus, width=width):
                drive = replace(cheetah, published={"bus": bus}, design={"bus": {"width_bits": width}})
                self.assertEqual(expected_bus(drive), words)

    def test_what_the_trace_says_of_the_bus_is_only_used_where_a_bus_can_be_so(self) -> None:
        # hosts.bus sync takes 100 to 1020 ns in steps of the clock's 25.
        for byte_ns, can in ((0.0, False), (87.4, False), (87.6, True), (1012.4, True), (1012.6, False)):
            self.assertEqual(bus_can_do(byte_ns), can, byte_ns)

    def test_both_levels_of_fast_writes_report_from_the_buffer(self) -> None:
        # DiskSim's manual: 0 disables write-back; 1 and 2 enable it for writes that find no other dirty data.
        cache = {"segments": 3, "segment_sectors": 282, "max_readahead_sectors": 128}
        for level, mode in ((0, "read"), (1, "read-write"), (2, "read-write")):
            with self.subTest(level=level):
                words = expected_cache({"cache": {**cache, "fast_write_level": level}})
                self.assertEqual(words, f"{mode}:segments=3,segment-blocks=282,read-ahead=128")

    def test_no_cache_and_no_read_ahead_are_what_was_published(self) -> None:
        # DiskSim's manual: "Enable caching in buffer" 0, and "Buffer continuous read" 0, which disables prefetching.
        cache = {"segments": 3, "segment_sectors": 282, "max_readahead_sectors": 128, "fast_write_level": 0}
        self.assertEqual(expected_cache({"cache": {**cache, "enable": 0}}), "off")
        for enable in (1, 2):
            self.assertIn("read:", expected_cache({"cache": {**cache, "enable": enable}}))
        for mode, ahead in ((0, 0), (1, 128), (3, 128), (4, 128)):
            self.assertIn(f"read-ahead={ahead}", expected_cache({"cache": {**cache, "readahead_mode": mode}}))

    def test_what_a_description_must_have_is_named(self) -> None:
        text = (DRIVES / "hp_c2490a.toml").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "mine.toml"
            for key in ("segments", "segment_sectors", "max_readahead_sectors", "fast_write_level", "ms_per_512B_sector"):
                file.write_text(re.sub(rf"(?m)^{key} = .*\n", "", text), encoding="utf-8")
                with self.assertRaisesRegex(FidelityError, f"mine.toml: .*: no {key}, .*; add it"):
                    undeclared(file, Path("some.trace"))

    def test_a_segment_for_writes_alone_is_none_of_the_reads(self) -> None:
        # DiskSim's manual, "Use separate write segment": one of the buffer's segments serves all writes, and no read.
        cache = {"segments": 3, "segment_sectors": 282, "max_readahead_sectors": 128, "fast_write_level": 0}
        for separate, segments in ((0, 3), (1, 2)):
            with self.subTest(separate=separate):
                words = expected_cache({"cache": {**cache, "separate_write_segment": separate}})
                self.assertEqual(words, f"read:segments={segments},segment-blocks=282,read-ahead=128")
        # Its disk module sets one apart only where there are several.
        self.assertIn("segments=1,", expected_cache({"cache": {**cache, "segments": 1, "separate_write_segment": 1}}))

    def test_a_drive_stands_there_once(self) -> None:
        text = SHIPPED.read_text(encoding="utf-8")
        first = text[text.index("[[drives]]") : text.index("[[drives]]", text.index("[[drives]]") + 1)]
        with self.assertRaisesRegex(FidelityError, "hp_c2247a is listed twice"):
            self.load(text + first)

    def test_cache_words_come_from_the_description(self) -> None:
        cache = {"segments": 3, "segment_sectors": 561, "max_readahead_sectors": 561, "fast_write_level": 2}
        self.assertEqual(
            expected_cache({"cache": cache}), "read-write:segments=3,segment-blocks=561,read-ahead=561"
        )
        self.assertEqual(
            expected_cache({"cache": cache | {"fast_write_level": 0}}),
            "read:segments=3,segment-blocks=561,read-ahead=561",
        )

    def test_the_bus_is_the_nearest_step_just_inside_and_just_outside(self) -> None:
        # Steps of 25 ns: 325 is nearest from 312.5 to 337.5.
        for byte_ns, step in ((312.4, 300), (312.6, 325), (325, 325), (337.4, 325), (337.6, 350)):
            self.assertEqual(nearest_step_ns(byte_ns), step)
        drive = next(one for one in load_declaration(SHIPPED, DRIVES) if one.description == "hp_c2247a")
        self.assertEqual(drive.bus_period_ns(), 325)
        check_bus(drive, 337.4, "hits")
        with self.assertRaisesRegex(FidelityError, "hits say 337.6 ns; declare the nearest step, 350 ns"):
            check_bus(drive, 337.6, "hits")


if __name__ == "__main__":
    unittest.main()
