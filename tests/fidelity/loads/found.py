# SPDX-License-Identifier: Apache-2.0
"""Loads that have differed once, made smaller: what was wrong, and the load."""

from .drives import shipped
from .load import Load
from .traces import Trace

FOUND: list[Load] = []

# Over all of a mvax_71mb.
READS_OF_A_BLOCK = [
    "R 120220 1",
    "R 137356 1",
    "R 8348 1",
    "R 64301 1",
    "R 74036 1",
    "R 54089 1",
    "R 33652 1",
    "R 91328 1",
    "R 72645 1",
    "R 115543 1",
    "R 7505 1",
    "R 138279 1",
]


def found(
    name: str,
    drive: str,
    words: str,
    *,
    columns: str,
    requests: list[str],
    loop: str = "closed",
    tables: tuple[list[str], ...] = (),
    changes: dict[str, object] | None = None,
    rtl_words: str = "",
) -> None:
    """`words` are groups of keys, joined by ';'; `rtl_words` is one more group for rtl alone."""
    groups = (("load.map=fold",), *(tuple(group.split()) for group in words.split(";")))
    trace = Trace(loop, tuple(columns.split()), tuple(requests))
    rtl_groups = (tuple(rtl_words.split()),) if rtl_words else ()
    FOUND.append(Load(name, shipped(drive), tables, changes or {}, trace, groups, rtl_groups))


# ATN rises between the bytes of an asynchronous data phase: ACK waited for it on rtl alone.
found(
    "ATN between the bytes of an asynchronous data phase",
    "hp_c3323a",
    "settings.policy=gstf ; hosts.depth=1 ; hosts.number=1 ; hosts.bus=async ; hosts.cdb=16 ; settings.qerr=1 ; "
    "settings.reordering=unrestricted ; hosts.seed=164 ; load.loop=closed ; hosts.every.head_of_queue=11 ; "
    "hosts.every.ordered=4 ; hosts.every.flush=7 ; hosts.every.clear_queue=8",
    columns="operation lba blocks",
    requests=[
        "W 0 16",
        "R 16 16",
        "R 32 16",
        "R 48 16",
        "W 64 16",
        "R 80 16",
        "W 96 16",
        "R 112 16",
        "R 128 16",
        "R 144 16",
        "W 160 16",
        "R 176 16",
        "W 192 16",
        "W 208 16",
        "R 224 16",
        "R 240 16",
        "W 256 16",
        "W 272 16",
        "R 288 16",
        "R 304 16",
    ],
)


# With QERR 1 a MODE SENSE of one host met a unit attention, which dropped the read of another host. Nobody asked for that host.
found(
    "an errand that fails drops another host's read",
    "atlas_10k",
    "hosts.seed=221067 ; settings.policy=['wstf:m=0.05','gstf:group=7','eschenbach'] hosts.every.policy=7ms ; hosts.depth=1 ; "
    "hosts.bus=sync:500:1 hosts.number=2 ; settings.cache=['read','off'] hosts.every.cache=5 ; drive.controller=published ; "
    "hosts.every.no_disconnect=5 ; hosts.every.verify=9 ; hosts.every.flush=7 ; settings.qerr=1 settings.reordering=unrestricted",
    columns="operation lba blocks initiator class stream priority",
    loop="closed",
    requests=[
        "W 3117926 4 0 - 5 6",
        "R 16063995 4 0 - 4 11",
        "V 17965826 4 0 - 5 5",
        "W 17965830 4 2 - 4 8",
        "W 17965834 4 3 - 1 13",
        "W 17965838 4 0 - 4 1",
        "W 15448128 4 3 - 3 10",
        "W 17965842 4 0 - 1 9",
        "W 6833416 4 1 - 2 6",
        "W 10541172 4 3 - 1 13",
        "W 3885244 4 1 - 0 1",
        "W 12275926 4 0 - 4 13",
        "W 6357734 4 0 - 2 1",
        "W 17965846 4 2 - 1 11",
        "W 6224204 4 1 - 2 13",
        "W 17965850 4 2 - 1 1",
        "W 17965854 4 3 - 4 14",
        "W 2542159 4 3 - 4 13",
        "F 0 0 1 - 1 12",
        "W 9386823 4 0 - 2 6",
        "W 17965862 4 0 - 1 15",
        "W 12744058 4 3 - 3 1",
        "W 17965866 4 3 - 3 3",
        "W 17965870 4 2 - 3 4",
        "W 9296238 4 3 - 1 7",
        "W 17965874 4 0 - 4 14",
        "W 17965878 4 0 - 0 7",
        "F 0 0 3 - 1 0",
        "W 11015356 4 0 - 4 8",
        "W 17965882 4 3 - 5 8",
    ],
    tables=(
        ["[specimen]", "speed_error_ppm = -1739", "flaw_seed = 339202"],
        ["[[specimen.index_faults]]", "first_turn = 0", "turns = 8", "every = 2"],
        ["[[specimen.flaws]]", 'kind = "correctable"', "retries = 2", "lba = 10541172"],
        ["[[specimen.flaws]]", 'kind = "decaying"', "half_reads = 2", "lba = 16063995"],
        ["[[specimen.flaws]]", 'kind = "weak_write"', "retries = 1", "lba = 17965862"],
        ["[[specimen.flaws]]", 'kind = "intermittent"', "probability = 0.4", "lba = 17965866"],
        ["[[specimen.flaws]]", 'kind = "decaying"', "half_reads = 2", "lba = 6357734"],
        ["[[specimen.flaws]]", 'kind = "intermittent"', "probability = 0.4", "lba = 17965874"],
    ),
    changes={"spin_up_ms": "400", "head_switch_ms": "0.166"},
)


# The spindle was back at its speed between two clock edges, and vp told the edge.
found(
    "a dropout that strikes a command in service",
    "mvax_71mb",
    "hosts.depth=2",
    columns="operation lba blocks",
    requests=READS_OF_A_BLOCK,
    tables=(["[specimen]", "speed_error_ppm = -5000"], ["[[specimen.spindle_faults]]", 'kind = "dropout"', "at_ms = 77.9713", "for_ms = 16.2337"]),
    changes={"spin_up_ms": "400"},
)


# STATUS.taken_messages counted bytes of MESSAGE OUT that were still to come.
found(
    "messages on their way",
    "hp_c2490a",
    "drive.controller=published ; settings.policy=cello ; hosts.depth=3 ; hosts.number=7 hosts.bus=fast-wide ; "
    "settings.cache=read-write ; load.warm_up=1 ; hosts.every.flush=2 ; hosts.every.save=5 ; observe.accesses=true",
    columns="operation lba blocks initiator",
    requests=[
        "W 544731 8 0",
        "W 847179 64 1",
        "W 1932173 8 2",
        "R 3323727 64 3",
        "R 476488 16 4",
        "R 607363 64 5",
        "W 3492244 64 6",
        "R 1708702 8 0",
        "R 3065788 16 1",
        "R 3094012 8 2",
        "R 682009 64 3",
        "R 2917103 16 4",
        "R 3290444 8 5",
        "W 882736 16 6",
    ],
)

# The electronics had run on behind the power cut, and their cycles counted.
found(
    "a power cut after a command",
    "mvax_71mb",
    "hosts.depth=4 ; faults.power_cut=cmd:2 ; faults.power_loss=torn",
    columns="operation lba blocks",
    requests=READS_OF_A_BLOCK,
)


# The ABORT of a request that is given up at once came before the adapter reached for the bus on rtl, and after it on vp.
found(
    "an abort at once",
    "mvax_71mb",
    "hosts.number=7 ; load.loop=think load.think=3ms ; hosts.every.abort=4:0ms ; hosts.every.ordered=3",
    columns="operation lba blocks initiator",
    requests=["R 35364 8 2", "R 60387 8 1", "R 36185 256 2", "R 117444 33 0"],
    changes={"spin_up_ms": "400"},
)

# On vp the host that resets the bus was not the first to see the reset, and the others came in another order.
found(
    "a bus reset that ends commands of several hosts",
    "eagle",
    "hosts.depth=3 ; hosts.bus=fast hosts.number=3 ; settings.cache=read:segments=1,read-ahead=0 ; hosts.every.bus_reset=7:2ms "
    "hosts.every.device_reset=19ms ; hosts.every.clear_queue=23ms ; hosts.every.untagged=10 hosts.every.head_of_queue=9 ; "
    "hosts.every.fua=6 ; hosts.every.dpo=2 ; hosts.every.flush=7 ; hosts.cdb=6 ; "
    "settings.qerr=3 settings.reordering=restricted ; hosts.retry=none",
    columns="operation lba blocks initiator",
    requests=[
        "R 574734 33 2",
        "W 574767 256 3",
        "R 575023 33 2",
        "R 575056 8 0",
        "R 575064 8 1",
        "R 575072 8 2",
        "R 575080 8 1",
        "R 575121 8 3",
        "W 575129 8 3",
    ],
    changes={"spin_up_ms": "400"},
)

# Without power the media finished its sector, and so the waves ended later than the run: an assertion failed.
found(
    "waves of a run that ends with its power",
    "hp_c3323a",
    "load.loop=think load.think=3ms ; hosts.every.flush=9 ; faults.power_cut=cmd:1",
    columns="operation lba blocks initiator",
    requests=["R 885233 120 3", "R 885353 17 1", "R 500596 120 2"],
    changes={"spin_up_ms": "400"},
    rtl_words="observe.waves.file=wave.fst observe.waves.windows=cmd:2..2 observe.waves.after=50us",
)

# Both platforms: the heads were ready to write only within the first sector, and the record's transfer ended there.
found(
    "heads that are ready within the first sector",
    "hp_c2247a",
    "hosts.seed=442930 ; settings.policy=kamel:price=exact ; hosts.depth=8 ; hosts.bus=fast hosts.number=1 ; load.loop=think "
    "load.think=0.77ms ; settings.cache=read ; drive.controller=published ; hosts.every.device_reset=9 ; "
    "settings.streams=[{number=3,u=0.1,period='50ms'},{number=1,u=0.2,period='200ms'}] ; hosts.every.ordered=9 ; hosts.cdb=6 ; "
    "settings.qerr=3 settings.reordering=unrestricted ; hosts.retry=all",
    columns="operation lba blocks initiator class stream priority",
    requests=[
        "W 744019 16 0 - 5 15",
        "R 1687986 16 2 - 0 2",
        "R 1805131 16 1 - 1 14",
        "R 856679 16 2 - 4 11",
        "R 248397 16 0 - 0 10",
        "R 2043747 16 3 - 5 6",
        "R 400159 16 3 - 0 5",
        "R 1267949 16 2 - 1 3",
        "W 1924157 16 0 - 5 5",
        "R 876416 16 1 - 0 9",
        "W 1594423 16 1 - 3 10",
        "R 58963 16 1 - 3 2",
        "R 1098082 16 2 - 2 12",
        "W 63736 16 2 - 0 7",
    ],
    tables=(["[specimen]", "speed_error_ppm = 626"],),
    changes={"spin_up_ms": "400", "head_switch_ms": "1.143"},
)

# Both platforms: each repetition of a refused write took the time of a published controller, which so never came to the task in the way.
found(
    "a refused write that comes again and again",
    "hp_c3323a",
    "settings.policy=wscan ; hosts.depth=64 ; hosts.bus=sync:200:3:out=999.9 hosts.number=3 ; drive.controller=published ; "
    "hosts.every.save=3 ; hosts.every.reassign=2",
    columns="operation lba blocks initiator think options",
    loop="think",
    requests=[
        "R 571550 120 1 2.049 ordered+dpo+cdb=6+device-reset=17",
        "R 1620811 700 3 1.970 fua+clear-queue=2.5",
        "R 702351 120 0 0.176 untagged+fua",
        "W 384360 700 1 0.386 untagged",
        "R 397181 120 2 6.226 clear-queue=17",
        "R 397301 120 3 0.374 fua+cdb=16",
        "W 724264 120 2 1.769 abort=0.013",
        "W 1420142 700 0 1.467 untagged+dpo+bus-reset=0",
        "R 397421 120 1 7.150 head-of-queue",
        "W 529114 120 0 2.488 head-of-queue+cdb=16+bus-reset=17",
        "R 1621511 120 1 12.452 no-disconnect+cdb=16",
        "R 1177524 120 3 0.189 head-of-queue+fua",
        "W 705296 700 2 13.456 dpo+no-disconnect",
        "R 397541 120 3 0.661 dpo",
        "R 963587 120 1 1.751 ordered+fua+no-disconnect+device-reset=0.013",
    ],
    tables=(["[specimen]", "speed_error_ppm = -811"], ["[[specimen.index_faults]]", "first_turn = 10", "turns = 0", "every = 1"]),
    changes={"spin_up_ms": "400"},
)

# Resets of the device each 19 ms, which come in a burst after a long transfer. Each has the other hosts ask the drive, and in the
# end no tag was free: the run waited for one for ever.
found(
    "resets in quick succession, after which no tag was free",
    "mvax_71mb",
    "hosts.seed=299571 ; settings.policy=[\"walk:m=1\",\"dmscan:price=exact\"] hosts.every.policy=7ms ; hosts.depth=16 ; "
    "hosts.bus=sync:100:15:wide hosts.number=3 ; load.loop=think load.think=0.77ms ; "
    "hosts.every.bus_reset=9:2ms hosts.every.device_reset=19ms ; settings.deadlines=message ; hosts.cdb=mixed ; "
    "load.warm_up=9ms stop.allow_empty=true",
    columns="operation lba blocks initiator deadline",
    requests=[
        "W 8642 120 2 43.487",
        "W 8762 700 3 191.058",
        "R 126402 120 0 0.145",
        "W 31217 120 1 75.098",
        "R 31337 120 0 209.507",
        "W 9462 120 3 13.512",
        "W 27551 700 2 4.391",
        "W 31457 120 1 8.855",
        "W 9582 120 3 0.236",
        "W 31577 700 0 70.547",
        "W 9702 120 2 169.683",
        "R 9822 120 2 -",
        "F 0 0 3 -",
        "W 10642 700 3 140.214",
        "R 32277 700 0 -",
        "W 11342 700 1 7.151",
        "W 12042 120 2 338.586",
        "W 12162 120 0 -",
        "V 32977 700 3 -",
        "W 33677 120 1 0.028",
    ],
    tables=(["[specimen]", "speed_error_ppm = -1836", "flaw_seed = 242884"], ["[[specimen.flaws]]", 'kind = "no_sync"', "lba = 27551"]),
    changes={"spin_up_ms": 400, "head_switch_ms": "0.000"},
)
