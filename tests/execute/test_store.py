# SPDX-License-Identifier: Apache-2.0
"""Entries of the store: whole, damaged, and told twice."""

import json
import unittest

from support import InAFolder  # noqa: I001
from execute.errors import ExecuteError
from execute.store import Store, address_of

SPEC = {"work": "a run", "seed": 7, "words": ["--trace", {"reads": "0-a"}]}
RESULT = {"mean": 1 / 3, "order": [1, 2], "text": "\N{MINUS SIGN}"}


class Entries(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.store = Store(self.folder / "store")

    def test_what_comes_back_is_what_was_put_to_the_last_bit(self) -> None:
        self.assertIsNone(self.store.get(SPEC))
        self.assertEqual(self.store.put(SPEC, RESULT), RESULT)
        self.assertEqual(self.store.get(SPEC), (RESULT,))
        entry = json.loads(self.store.file(SPEC).read_text())
        self.assertEqual((entry["spec"], entry["result"]), (SPEC, RESULT), "people can read it")

    def test_the_order_of_keys_is_no_part_of_a_spec_and_everything_else_is(self) -> None:
        self.assertEqual(address_of(dict(reversed(SPEC.items()))), address_of(SPEC))
        for other in ({"seed": 8}, {"work": "a runs"}, {"words": ["--trace", {"writes": "0-a"}]}, {"more": None}):
            self.assertNotEqual(address_of(SPEC | other), address_of(SPEC))

    def test_no_damage_of_a_byte_gives_another_result(self) -> None:
        self.store.put(SPEC, RESULT)
        file = self.store.file(SPEC)
        whole = file.read_bytes()
        noticed = 0
        for place in range(len(whole)):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            found = self.store.get(SPEC)
            noticed += found is None
            self.assertIn(found, (None, (RESULT,)), place)  # a blank may be another blank
        self.assertGreater(noticed, len(whole) // 2)
        for end in range(len(whole) - 1):
            file.write_bytes(whole[:end])
            self.assertIn(self.store.get(SPEC), (None, (RESULT,)), end)

    def test_an_entry_under_anothers_name_is_not_there_and_is_mended(self) -> None:
        other = SPEC | {"seed": 8}
        self.store.put(other, {"mean": 2})
        self.store.file(other).rename(self.store.file(SPEC))
        self.assertIsNone(self.store.get(SPEC))
        self.store.put(SPEC, RESULT)
        self.assertEqual(self.store.get(SPEC), (RESULT,))

    def test_the_same_result_twice_is_nothing_and_another_one_is_an_error(self) -> None:
        self.store.put(SPEC, RESULT)
        written = self.store.file(SPEC).stat().st_mtime_ns
        self.store.put(SPEC, RESULT)
        self.assertEqual(self.store.file(SPEC).stat().st_mtime_ns, written)
        with self.assertRaisesRegex(ExecuteError, "the same work had another result before; report this as a bug"):
            self.store.put(SPEC, RESULT | {"mean": 1 / 7})
        self.assertEqual(self.store.get(SPEC), (RESULT,))


if __name__ == "__main__":
    unittest.main()
