# SPDX-License-Identifier: Apache-2.0
"""The natural workload against its definition: shares of steps within five binomial standard errors; structure; walks; gaps."""

import math
import unittest
from collections import Counter

from support import random_stream  # noqa: I001
import numpy as np

from remap.chain import (
    FILES,
    HABITS,
    REGION_THETA,
    REGIONS,
    SHAPES,
    Chain,
    estimated_chain,
    make_chain,
    make_file_system,
    natural_chain,
    probabilities,
    region_starts,
    uniform_chain,
    weights_of_ranks,
)
from remap.counts import count_stream
from remap.errors import RemapError
from remap.markov import order_of
from remap.walk import Gap, Walk, make_requests, pieces_of, stream_of, trace_lines

VCS = 2181
SHAPE = SHAPES["natural"]
ERRORS = 5  # standard errors: of some thousand checks, none is expected beyond


class Structure(unittest.TestCase):
    def test_each_vc_has_one_purpose(self) -> None:
        for seed in range(1, 9):
            for drift in (0.0, 0.3):
                system = make_file_system(VCS, seed, drift)
                every = system.inode + [vc for data in system.data for vc in data]
                self.assertEqual(sorted(every), list(range(VCS)))
                for data, files in zip(system.data, system.files, strict=True):
                    self.assertEqual(len(files), FILES)
                    self.assertLessEqual(set(files), set(data))

    def test_inodes_are_the_first_vcs_of_regions_of_equal_size(self) -> None:
        starts = region_starts(VCS)
        sizes = np.diff([*starts, VCS])
        self.assertEqual((starts[0], len(starts)), (0, 45))
        self.assertEqual({48, 49}, set(sizes.tolist()))

    def test_weights_are_those_of_ranks(self) -> None:
        for rank, weight in enumerate(sorted(make_file_system(VCS, 4).weight, reverse=True), 1):
            self.assertAlmostEqual(weight, rank**-REGION_THETA, delta=2**-30)
        for rank, weight in enumerate(weights_of_ranks(FILES, SHAPE.file_theta), 1):
            self.assertAlmostEqual(weight, rank**-SHAPE.file_theta, delta=2**-30)

    def test_as_many_vcs_serve_another_region_as_are_shared_out(self) -> None:
        """A shared one may come back to its own region: one in 45, as it is drawn."""
        away = 0
        for seed in range(1, 9):
            system = make_file_system(VCS, seed)
            regions = np.searchsorted(system.inode, np.arange(VCS), side="right") - 1
            away += sum(int(regions[vc]) != region for region, data in enumerate(system.data) for vc in data)
        count, share = 8 * (VCS - REGIONS), SHAPE.elsewhere * (1 - 1 / REGIONS)
        self.assertLess(abs(away - count * share), ERRORS * math.sqrt(count * share * (1 - share)))

    def test_drift_moves_that_share_of_each_regions_files_and_nothing_else(self) -> None:
        for drift, moved in ((0.1, 9), (0.3, 27)):
            before, after = make_file_system(VCS, 3), make_file_system(VCS, 3, drift)
            for old, new in zip(before.files, after.files, strict=True):
                self.assertEqual(sum(a != b for a, b in zip(old, new, strict=True)), moved)
            self.assertEqual((before.weight, before.data, before.inode), (after.weight, after.data, after.inode))

    def test_too_few_vcs(self) -> None:
        with self.assertRaisesRegex(RemapError, "179 virtual cylinders are too few for 45 regions; use 180"):
            natural_chain(179, 1)
        self.assertEqual(natural_chain(180, 1, 0.1).vcs, 180)
        with self.assertRaisesRegex(RemapError, "use 90 or more"):
            uniform_chain(89, 1)
        with self.assertRaisesRegex(RemapError, "--drift"):
            make_chain("uniform", VCS, 1, 0.1)


class Steps(unittest.TestCase):
    def test_rows_add_up_to_the_definitions_shares(self) -> None:
        for seed in (1, 2):
            chain, system = natural_chain(VCS, seed), make_file_system(VCS, seed)
            inodes = set(system.inode)
            total = sum(rank**-SHAPE.file_theta for rank in range(1, FILES + 1))
            for region, (vc, data) in enumerate(zip(system.inode, system.data, strict=True)):
                steps = probabilities(chain.rows[vc])
                self.assertAlmostEqual(sum(steps.values()), 1)
                self.assertAlmostEqual(steps[vc], 0.12)
                self.assertAlmostEqual(sum(share for to, share in steps.items() if to in inodes - {vc}), 0.08)
                files = system.files[region]
                for to in set(files):
                    weight = sum(rank**-SHAPE.file_theta for rank, lies in enumerate(files, 1) if lies == to)
                    self.assertAlmostEqual(steps[to], 0.80 * weight / total, delta=1e-8)
                for one, after in zip(data, data[1:] + data[:1], strict=True):
                    steps = probabilities(chain.rows[one])
                    habits = [to for to in steps if to in inodes - {vc}]
                    self.assertAlmostEqual(steps[one], 0.39)
                    self.assertAlmostEqual(steps[after], 0.02)
                    self.assertAlmostEqual(steps[vc], 0.45)
                    self.assertEqual((len(habits), len(steps)), (HABITS, HABITS + 3))
                    for habit in habits:
                        self.assertAlmostEqual(steps[habit], 0.14 / 3)

    def test_a_walk_steps_with_the_probabilities_of_its_rows(self) -> None:
        """Each transition of the busy vcs: its share against the binomial standard error."""
        for kind in ("natural", "uniform"):
            chain = make_chain(kind, VCS, 5)
            counts = count_stream(stream_of(chain, Walk(5, count=200_000), 0), VCS, 0, 160)
            found = {(a, b): count for a, b, count in counts.pairs.tolist()}
            checked = 0
            for vc, departures in enumerate(counts.departures().tolist()):
                if departures < 50:
                    continue
                for to, probability in probabilities(chain.rows[vc]).items():
                    expected = departures * probability
                    error = math.sqrt(expected * (1 - probability))
                    self.assertLess(abs(found.get((vc, to), 0) - expected), ERRORS * error + 3, (kind, vc, to))
                    checked += 1
            self.assertGreater(checked, 2000)
            self.assertTrue(all(b in chain.rows[a].targets for a, b in found), "a step that no row has")

    def test_the_uniform_chain_visits_all_alike(self) -> None:
        """Its columns add up to 1, so the uniform distribution is its steady state."""
        chain = uniform_chain(VCS, 3)
        columns = np.zeros(VCS)
        for row in chain.rows.values():
            for to, probability in probabilities(row).items():
                columns[to] += probability
        np.testing.assert_allclose(columns, 1)

    def test_the_natural_day_is_like_the_papers(self) -> None:
        """The comparison's day has some 7,400 to 7,570 different transitions; the paper's chi2 is 41.49 million. Five seeds."""
        pairs, chi2 = [], []
        for seed in range(1, 6):
            stream = stream_of(natural_chain(VCS, seed), Walk(seed), 0)
            counts = count_stream(stream, VCS, 0, 160)
            self.assertEqual(counts.accesses, 163_681)
            pairs.append(len(counts.pairs))
            chi2.append(order_of(stream, VCS).first.chi2)
        self.assertLess(abs(np.mean(pairs) / 7485 - 1), 0.1)
        self.assertLess(abs(np.mean(chi2) / 41.49e6 - 1), 0.1)

    def test_an_estimated_chain_has_the_shares_that_were_counted(self) -> None:
        stream = random_stream(2, 20, 3000)
        counts = count_stream(stream, 20, 0, 160)
        chain = estimated_chain(counts)
        for a, b, count in counts.pairs.tolist():
            self.assertAlmostEqual(probabilities(chain.rows[a])[b], count / counts.departures()[a])

    def test_a_group_that_nothing_followed_leads_on(self) -> None:
        counts = count_stream(np.array([0, 1, 0, 1, 2]), 4, 0, 160)
        chain = estimated_chain(counts)
        again = stream_of(chain, Walk(1, count=2000), 0)
        self.assertEqual({0, 1, 2}, set(again.tolist()))
        self.assertEqual(probabilities(chain.rows[2]), probabilities(chain.starts))
        with self.assertRaisesRegex(RemapError, "no pairs"):
            estimated_chain(count_stream(np.array([3]), 4, 0, 160))


class Walks(unittest.TestCase):
    chain: Chain

    @classmethod
    def setUpClass(cls) -> None:
        cls.chain = natural_chain(VCS, 1)

    def test_same_words_same_bits_and_other_walks_differ(self) -> None:
        one = make_requests(self.chain, Walk(1, count=500), 160, 16)
        again = make_requests(self.chain, Walk(1, count=500), 160, 16)
        self.assertEqual(one.lba.tolist(), again.lba.tolist())
        for other in (Walk(1, 1, 500), Walk(2, 0, 500)):
            self.assertNotEqual(one.lba.tolist(), make_requests(self.chain, other, 160, 16).lba.tolist())

    def test_a_shorter_walk_is_the_beginning_of_a_longer_one(self) -> None:
        for walkers in (1, 3):
            short = make_requests(self.chain, Walk(1, count=100, walkers=walkers), 160, 16)
            longer = make_requests(self.chain, Walk(1, count=301, walkers=walkers), 160, 16)
            self.assertEqual(short.lba.tolist(), longer.lba[:100].tolist())
            np.testing.assert_array_equal(short.gap_us, longer.gap_us[:100])

    def test_walkers_are_independent_and_take_turns(self) -> None:
        walk = Walk(1, count=50, walkers=4)
        made = make_requests(self.chain, walk, 160, 16)
        self.assertEqual(made.walker.tolist(), [number % 4 for number in range(50)])
        for walker in range(4):
            own = made.lba[walker::4] // 160
            self.assertEqual(own.tolist(), stream_of(self.chain, walk, walker).tolist())
            self.assertEqual(len(own), walk.share(walker))
        self.assertNotEqual(made.lba[::4].tolist(), made.lba[1::4].tolist())

    def test_requests_lie_in_their_vc(self) -> None:
        made = make_requests(self.chain, Walk(1, count=5000), 160, 16, first_block=40)
        self.assertTrue(np.all((made.lba - 40) % 16 == 0))
        pieces = Counter(((made.lba - 40) % 160 // 16).tolist())
        for count in (pieces[piece] for piece in range(10)):
            self.assertLess(abs(count - 500), ERRORS * math.sqrt(5000 * 0.1 * 0.9))
        with self.assertRaisesRegex(RemapError, "requests of 12 blocks do not divide groups of 160"):
            make_requests(self.chain, Walk(1, count=5), 160, 12)

    def test_files_are_read_in_order(self) -> None:
        walk = Walk(1, count=5000, in_order=True)
        stream = stream_of(self.chain, walk, 0)
        pieces = pieces_of(self.chain, walk, 0, stream, 10).tolist()
        checked = 0
        for (before, at), (vc_before, vc) in zip(zip(pieces, pieces[1:]), zip(stream, stream[1:])):
            if int(vc) in self.chain.next_vc:
                self.assertEqual(at, (before + 1) % 10 if vc == vc_before else 0)
                checked += 1
        self.assertGreater(checked, 2000)

    def test_gaps(self) -> None:
        draw = np.random.default_rng(1)
        for text, low, high, mean, deviation in (
            ("0", 0, 100, 50, 100 / math.sqrt(12)), ("steady:0", 0, 100, 50, 100 / math.sqrt(12)),
            ("5", 4500, 5500, 5000, 1000 / math.sqrt(12)), ("exp:2", 0, math.inf, 2000, 2000),
        ):  # fmt: skip
            gaps = Gap.parse(text).draw_us(draw, 20_000)
            self.assertTrue(low <= gaps.min() and gaps.max() <= high, text)
            self.assertLess(abs(gaps.mean() - mean), ERRORS * deviation / math.sqrt(20_000), text)
            self.assertLess(abs(gaps.std() / deviation - 1), 0.05, text)
        for text in ("", "x", "exp:0", "exp:", "steady:-1", "poisson:3", "inf", "nan", "exp:1e9"):
            with self.assertRaises(ValueError, msg=text):
                Gap.parse(text)

    def test_trace_texts(self) -> None:
        made = make_requests(self.chain, Walk(1, count=2, walkers=2), 160, 16)
        text = "".join(trace_lines(made, 16, closed=False, about="x")).splitlines()
        self.assertEqual(text[:6], ["headstack-trace 2", "time-unit us", "loop think", "source x",
                                    "columns operation lba blocks initiator think", "requests"])  # fmt: skip
        self.assertEqual([line.split()[:4] for line in text[6:]], [["R", str(lba), "16", str(i)] for i, lba in enumerate(made.lba)])
        closed = "".join(trace_lines(made, 16, closed=True, about="x")).splitlines()
        self.assertEqual(closed[-1], f"- R {made.lba[-1]} 16 -")


if __name__ == "__main__":
    unittest.main()
