# SPDX-License-Identifier: Apache-2.0
"""Figures of a trace or a run for remapping: its Markov model, tests of the order, energies, grids and gaps.

    analyse.py FRONT_END TRACE|RUN [--group-blocks N] [--first-block LBA] [--unit-blocks N] [--drive DRIVE] [--map FILE]...
                         [-o COUNTS.json] [--picture FILE] [--force] [--json]

Exit status: 0 done; 1 unusable input; 2 a bad command line.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.arrangement import Map, identity, pipe_organ, read_map  # noqa: I001
from remap.common import (
    UNIT_BLOCKS,
    add_force,
    add_grid_options,
    add_reading_options,
    capacity_of,
    carry_out,
    check_divides,
    check_outputs,
    command,
    reading_words,
    whole_number,
)
from remap.counts import Counts, count_stream, write_counts
from remap.errors import RemapError
from remap.markov import Order, OrderTest, energy_if_independent, energy_of, energy_of_units, order_of
from remap.requests import Requests, of_groups, read_requests, span_shares
from result_files import run

MOST_GROUPS = 1 << 16
LONGEST_UNIT = 1024


def parser() -> Any:
    """The command line."""
    made = command("analyse", "Analyse the order of accesses in a trace or a run: Markov model, energies, grids, gaps.")
    made.add_argument("input", type=Path, metavar="TRACE|RUN", help="trace, or folder of a run made by 'headstack run --out'")
    add_grid_options(made)
    made.add_argument("--unit-blocks", type=whole_number(1, LONGEST_UNIT), default=UNIT_BLOCKS, metavar="N",
                      help="blocks per unit, for the search of the best grid")  # fmt: skip
    made.add_argument("--drive", metavar="DRIVE", help="drive that the groups cover (default: the run's drive, or the trace's address range)")
    made.add_argument("--map", type=Path, action="append", default=[], metavar="FILE",
                      help="map to compare with the others; may be given several times")  # fmt: skip
    made.add_argument("-o", "--output", type=Path, metavar="FILE", help="file for the access counts, input of 'headstack remap arrange'")
    made.add_argument("--picture", type=Path, metavar="FILE", help="picture (.png or .svg) of transitions and arrangements")
    add_reading_options(made)
    add_force(made)
    made.add_argument("--json", action="store_true", help="print the figures as JSON")
    return made


def groups_on(capacity: int, exact: bool, first_block: int, group_blocks: int) -> int:
    """The number of groups: whole ones on a drive, otherwise all that are used. Raises RemapError."""
    blocks = capacity - first_block
    groups = blocks // group_blocks if exact else math.ceil(blocks / group_blocks)
    if groups < 2:
        raise RemapError(f"blocks {first_block} to {capacity} have {max(groups, 0)} groups of {group_blocks}; give smaller ones")
    if groups > MOST_GROUPS:
        raise RemapError(f"{groups} groups of {group_blocks} blocks are more than {MOST_GROUPS}; give larger ones")
    return groups


def energies(counts: Counts, maps: Sequence[tuple[str, Map]]) -> dict[str, dict[str, float]]:
    """Energies of the identity, the pipe organ and the given maps. Raises RemapError."""
    found = {
        name: {"energy": energy_of(counts, places), "independent": energy_if_independent(counts, places)}
        for name, places in (("identity", identity(counts.groups)), ("pipe organ", pipe_organ(counts.visits)))
    }
    for name, one in maps:
        slots, parts = _of_groups(name, one, counts)
        if parts == 1:
            found[name] = {"energy": energy_of(counts, slots), "independent": energy_if_independent(counts, slots)}
        else:
            found[name] = {"energy": energy_of_units(counts, slots, parts), "independent": math.nan}
    return found


def _of_groups(name: str, one: Map, counts: Counts) -> tuple[Any, int]:
    """The slots of all groups' units, and the number of units per group. Raises RemapError."""
    check_divides(one.unit_blocks, counts.group_blocks, f"{name}: 'unit_blocks'", "--group-blocks")
    if one.first_block != counts.first_block:
        raise RemapError(f"{name}: 'first_block' is {one.first_block}, but groups begin at {counts.first_block}; give --first-block")
    parts = counts.group_blocks // one.unit_blocks
    units = counts.groups * parts
    if len(one.slots) > units:
        raise RemapError(f"{name}: {len(one.slots)} units are more than the {units} of {counts.groups} groups; give --drive")
    # Units beyond the map stay in their own slots.
    slots = identity(units)
    slots[: len(one.slots)] = one.slots
    return slots, parts


def best_offset(requests: Requests, unit_blocks: int) -> dict[str, Any]:
    """The share of requests that span units, for each offset of the grid, and the offset with the fewest."""
    shares = span_shares(requests, unit_blocks)
    best = int(shares.argmin())
    return {"unit_blocks": unit_blocks, "best": best, "share_at_best": float(shares[best]), "shares": shares.tolist()}


def order_figures(order: Order) -> dict[str, Any]:
    """The figures of the tests of both orders."""

    def figures(test: OrderTest) -> dict[str, Any]:
        return {"chi2": test.chi2, "degrees": test.degrees, "z": test.z if test.degrees else None, "rejects": test.rejects}

    return {
        "order_0_as_printed": figures(order.first),
        "order_0_as_seen": figures(order.first_seen),
        "order_1_as_printed": figures(order.second),
        "order_1_as_seen": figures(order.second_seen),
        "order_1_most_chi2": order.second_most,
        "order_1_most_z": order.second_most_z,
        "order_1_printed_test_can_reject": order.second_can_reject,
    }


def analyse(options: argparse.Namespace) -> dict[str, Any]:
    """Returns all figures, and writes the files. Raises RemapError and OutputError."""
    check_outputs(options, [options.output, options.picture], [options.input, *options.map])
    check_divides(options.unit_blocks, options.group_blocks, "--unit-blocks", "--group-blocks")
    maps = [(str(file), read_map(file)) for file in options.map]
    requests = read_requests(options.input, options.front_end, reading_words(options))
    capacity = capacity_of(options.front_end, options.drive) if options.drive else requests.capacity
    exact = bool(options.drive) or requests.order == "service"
    groups = groups_on(capacity, exact, options.first_block, options.group_blocks)
    stream, outside = of_groups(requests, groups, options.first_block, options.group_blocks)
    if len(stream) < 3:
        raise RemapError(f"{options.input}: {len(stream)} accesses to the groups; give a longer trace, or other groups")
    counts = count_stream(stream, groups, options.first_block, options.group_blocks, requests.gaps_us)
    found = energies(counts, maps)
    figures = {
        "input": str(options.input),
        "order_of": requests.order,
        "requests": len(requests),
        "requests_outside": outside,
        "first_block": options.first_block,
        "group_blocks": options.group_blocks,
        "groups": groups,
        "accesses": counts.accesses,
        "groups_visited": int((counts.visits > 0).sum()),
        "pairs": len(counts.pairs),
        "order": order_figures(order_of(stream, groups)),
        "energies": {name: {key: None if math.isnan(one) else one for key, one in both.items()} for name, both in found.items()},
        "grid": best_offset(requests, options.unit_blocks),
        "gaps_us": [list(bin_) for bin_ in counts.gaps],
    }
    if options.output:
        write_counts(options.output, counts)
    if options.picture:
        from remap.picture import draw_counts

        draw_counts(options.picture, counts, [(Path(name).stem, *_of_groups(name, one, counts)) for name, one in maps])
    return figures


def text_of(figures: dict[str, Any]) -> str:
    """The figures as text."""
    order = figures["order"]
    lines = [
        f"{figures['input']}: {figures['requests']:,} requests in the order of {figures['order_of']}",
        f"  {figures['groups']:,} groups of {figures['group_blocks']} blocks from {figures['first_block']:,} on: "
        f"{figures['accesses']:,} accesses to {figures['groups_visited']:,} of them, {figures['pairs']:,} different transitions",
    ]
    if figures["requests_outside"]:
        lines.append(f"  {figures['requests_outside']:,} requests lie outside of the groups, at least in part")
    lines += ["", f"  {'order of the chain':<28}{'chi2':>16}{'degrees':>16}{'z':>14}  at level 0.001"]
    for key, name in (("order_0_as_printed", "0 against 1, as printed"), ("order_0_as_seen", "0 against 1, cells seen"),
                      ("order_1_as_printed", "1 against 2, as printed"), ("order_1_as_seen", "1 against 2, cells seen")):  # fmt: skip
        test = order[key]
        z = "-" if test["z"] is None else f"{test['z']:,.1f}"
        verdict = "rejected" if test["rejects"] else "not rejected"
        lines.append(f"  {name:<28}{test['chi2']:>16,.1f}{test['degrees']:>16,}{z:>14}  {verdict}")
    if not order["order_1_printed_test_can_reject"]:
        lines.append(
            f"  As printed, 1 against 2 can reject nothing: chi2 is at most {order['order_1_most_chi2']:,.0f}, and z "
            f"{order['order_1_most_z']:,.0f}"
        )
    lines += ["", f"  {'arrangement':<28}{'energy, groups':>16}{'if independent':>16}"]
    for name, both in figures["energies"].items():
        independent = "-" if both["independent"] is None else f"{both['independent']:,.3f}"
        lines.append(f"  {name:<28}{both['energy']:>16,.3f}{independent:>16}")
    grid = figures["grid"]
    lines += [
        "",
        f"  grid of units of {grid['unit_blocks']} blocks: {100 * grid['shares'][0]:.2f} % of the requests span two or more; "
        f"{100 * grid['share_at_best']:.2f} % from block {grid['best']} on",
    ]
    total = sum(count for _, count in figures["gaps_us"])
    lines.append(f"  gaps between a command's end and the next arrival: {total:,}")
    lines += [f"    from {from_us:>10,.1f} us {count:>10,}  {100 * count / total:5.1f} %" for from_us, count in figures["gaps_us"]]
    return "\n".join(lines) + "\n"


def show(options: argparse.Namespace) -> None:
    """Carries out the command, and prints its result."""
    figures = analyse(options)
    print(json.dumps(figures, indent=2) if options.json else text_of(figures), end="\n" if options.json else "")


def main(words: Sequence[str] | None = None) -> int:
    """The file's head has the exit statuses."""
    return carry_out(show, parser(), words)


if __name__ == "__main__":
    run(main)
