# SPDX-License-Identifier: Apache-2.0
"""Makes a trace of a natural workload: walkers on a Markov chain of virtual cylinders (chain.py).

    synth.py FRONT_END -o TRACE (--drive DRIVE | --groups N) [--chain natural|uniform|COUNTS.json] [--seed N] [--walk N] [--count N]
                       [--walkers K] [--gap MS|steady:MS|exp:MS] [--closed] [--drift SHARE] [--in-order] [--force]

Exit status: 0 done; 1 unusable input; 2 a bad command line.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.chain import KINDS, NATURAL, Chain, estimated_chain, make_chain  # noqa: I001
from remap.common import (
    UNIT_BLOCKS,
    add_force,
    add_grid_options,
    capacity_of,
    carry_out,
    check_outputs,
    command,
    share,
    whole_number,
)
from remap.counts import read_counts
from remap.errors import RemapError
from remap.walk import Gap, Walk, make_requests, trace_lines, write_walk
from result_files import run

MOST_GROUPS, MOST_REQUESTS, MOST_WALKERS = 1 << 16, 10_000_000, 4096


def gap(text: str) -> Gap:
    """Parses a gap: MS, steady:MS or exp:MS."""
    try:
        return Gap.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no gap; give MS, steady:MS or exp:MS, as in exp:20") from None


def parser() -> Any:
    """The command line."""
    made = command("synth", "Make a trace of a natural workload: walkers on a Markov chain of virtual cylinders.")
    made.add_argument("--chain", default=NATURAL, metavar="CHAIN",
                      help=f"{' or '.join(KINDS)}, or a file of counts, used as transition frequencies")  # fmt: skip
    made.add_argument("--drive", metavar="DRIVE", help="drive that the virtual cylinders cover")
    made.add_argument("--groups", type=whole_number(2, MOST_GROUPS), metavar="N", help="number of virtual cylinders")
    add_grid_options(made)
    made.add_argument("--blocks", type=whole_number(1, 65_535), default=UNIT_BLOCKS, metavar="N", help="length of each request in blocks")
    made.add_argument("--count", type=whole_number(1, MOST_REQUESTS), default=163_681, metavar="N", help="number of requests")
    made.add_argument("--seed", type=whole_number(0, 1 << 31), default=1, metavar="N", help="seed of all draws")
    made.add_argument("--walk", type=whole_number(0, 1 << 31), default=0, metavar="N",
                      help="number of the walk; another number is another walk on the same chain, to test a learned map")  # fmt: skip
    made.add_argument("--walkers", type=whole_number(1, MOST_WALKERS), default=1, metavar="K",
                      help="number of concurrent walks, each with one outstanding request")  # fmt: skip
    made.add_argument("--gap", type=gap, default=Gap("steady", 0.0), metavar="GAP",
                      help="time from a request's end to its walker's next request: MS or steady:MS (within a tenth), exp:MS (exponential); "
                      "0: up to 0.1 ms")  # fmt: skip
    made.add_argument("--closed", action="store_true", help="closed loop without gaps, for any queue depth")
    made.add_argument("--drift", type=share, default=0.0, metavar="SHARE", help="fraction of the files that have moved")
    made.add_argument("--in-order", action="store_true", help="files are read in order, piece by piece")
    made.add_argument("-o", "--output", type=Path, metavar="FILE", help="file for the trace (default: standard output)")
    add_force(made)
    return made


def chain_of(options: argparse.Namespace) -> tuple[Chain, int, int]:
    """The chain, its first block, and the number of blocks per group. Raises RemapError."""
    if options.chain not in KINDS and not options.chain.endswith(".json"):
        raise RemapError(f"--chain {options.chain}: there is no such chain; give {', '.join(KINDS)} or a .json file of counts")
    if options.chain in KINDS:
        if (options.drive is None) == (options.groups is None):
            raise RemapError("how many virtual cylinders? give one of --drive and --groups")
        groups = options.groups
        if options.drive:
            groups = (capacity_of(options.front_end, options.drive) - options.first_block) // options.group_blocks
        return make_chain(options.chain, groups, options.seed, options.drift), options.first_block, options.group_blocks
    if options.drive or options.groups or options.drift or options.in_order:
        raise RemapError("counts have their own groups, and no files; leave --drive, --groups, --drift and --in-order out")
    counts = read_counts(Path(options.chain))
    return estimated_chain(counts), counts.first_block, counts.group_blocks


def synth(options: argparse.Namespace) -> None:
    """Writes the trace. Raises RemapError and OutputError."""
    check_outputs(options, [options.output], [Path(options.chain)])
    chain, first_block, group_blocks = chain_of(options)
    walk = Walk(options.seed, options.walk, options.count, options.walkers, options.gap, options.in_order)
    requests = make_requests(chain, walk, group_blocks, options.blocks, first_block)
    about = f"headstack remap synth, chain {Path(options.chain).name}, seed {options.seed}, walk {options.walk}"
    if options.output:
        write_walk(options.output, requests, options.blocks, options.closed, about)
    else:
        sys.stdout.writelines(trace_lines(requests, options.blocks, options.closed, about))


def main(words: Sequence[str] | None = None) -> int:
    """The file's head has the exit statuses."""
    return carry_out(synth, parser(), words)


if __name__ == "__main__":
    run(main)
