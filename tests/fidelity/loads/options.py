# SPDX-License-Identifier: Apache-2.0
"""Every option of `run`: how a random load draws it, or why it cannot. A test compares this list with the program's.

A drawer returns the words of a group of options that only make sense together; the shrinker leaves out groups. A feature is what
pairs are made of: each load has all groups of two features, and of the others what chance gives.
"""

import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from policy_table import policies  # noqa: E402

from .drives import Shipped  # noqa: E402
from .traces import Trace  # noqa: E402

Words = list[str]

# Options that each load has, and those of one platform.
ALWAYS = {
    "--drive": "each load has one: a copy of a shipped drive",
    "--trace": "each load has one",
    "--platform": "each load runs on rtl and on vp",
    "--out": "each run has a folder of its own",
    "--event-log": "what is compared first",
    "--map-addresses": "fold: a trace for another drive's copy stays a trace for this one",
}
NOT_DRAWN = {
    "--help": "runs nothing",
    "--describe": "runs nothing",
    "--keys": "runs nothing",
    "--print-scenario": "runs nothing",
    "--all": "goes with --print-scenario",
    "--force": "each run's folder is new",
    "--batch": "rtl has one run in a process",
    "--gdb": "waits for a debugger; tests/debug compares the platforms under one",
    "--run-until": "goes with --gdb",
    "--firmware": "the loads are for this build's firmware, with its translation",
    "--ideal-electronics": "native alone",
    "--access-price": "native alone",
    "--reference": "native alone",
    "--device": "headstack's own format has one device",
    "--all-devices": "headstack's own format has one device",
    "--trace-end": "goes with --map-addresses scale",
    "--expect-requests": "counts requests, and changes nothing",
    "--events": "of blktrace files alone; the loads are headstack's own format",
}


@dataclass
class Draft:
    """What drawers know of the load."""

    choose: random.Random
    drive: Shipped
    trace: Trace
    features: frozenset[str]
    files: dict[str, str] = field(default_factory=dict)  # that the options name
    drawn: set[str] = field(default_factory=set)  # options so far

    def chance(self, percent: int) -> bool:
        return self.choose.randrange(100) < percent

    def every(self) -> str:
        return str(self.choose.randint(2, 9))

    @property
    def count(self) -> int:
        return len(self.trace.requests)


@dataclass(frozen=True)
class Group:
    """Options that are drawn together."""

    feature: str  # "": of no pair
    percent: int  # of the loads without that feature that have it
    options: tuple[str, ...]
    draw: Callable[[Draft], Words]
    rtl_only: bool = False  # words that only observe, on the platform that has them


POLICIES = [selection for selections in policies().values() for selection in selections]
DEADLINE_POLICIES = [word for name in ("edf", "dscan", "fdscan", "scanedf", "stfd", "walk") for word in policies()[name]]
BUSES = ["async", "fast", "fast-wide", "sync:204:8", "sync:324", "sync:100:15:wide", "sync:500:1", "sync:324:in=332.227:out=364.961",
         "sync:100:wide:in=100.1", "sync:200:3:out=999.9"]  # fmt: skip
CACHES = ["read", "read-write", "read-write", "read:segments=1,read-ahead=0", "read-write:segments=3,segment-blocks=40"]
THRESHOLDS = ["space:1", "space:2", "free:1", "free:2", "time", "time:10", "time:100:0.5"]
# Events at which the power goes: they come in most loads.
EVENTS = ["COMMAND_RECEIVED", "TASK_QUEUED", "TASK_CHOSEN", "RUN_START", "RUN_DONE", "MEDIA_DONE", "DATA_PHASE_BEGIN", "DATA_PHASE_END",
          "STATUS_SENT", "TASK_ENDED"]  # fmt: skip


def policy(draft: Draft) -> Words:
    return ["--policy", draft.choose.choice(DEADLINE_POLICIES if "deadlines" in draft.features else POLICIES)]


def policies_in_turn(draft: Draft) -> Words:
    words = [word for _ in range(draft.choose.randint(2, 3)) for word in policy(draft)]
    return [*words, "--policy-every", draft.choose.choice([draft.every(), "7ms"])]


def depth(draft: Draft) -> Words:
    return ["--queue-depth", str(draft.choose.choice([1, 1, 2, 3, 4, 8, 16, 64, 300]))]


def hosts(draft: Draft) -> Words:
    bus = draft.choose.choice(BUSES)
    most = 15 if draft.drive.is_wide and "wide" in bus else 7
    return ["--bus", bus, "--initiators", str(draft.choose.choice([1, 1, 2, 3, most]))]


def cache(draft: Draft) -> Words:
    use = draft.choose.choice(CACHES)
    words = ["--cache", use]
    if draft.chance(30):
        words += ["--cache", draft.choose.choice(["off", "read-write"]), "--cache-every", draft.choose.choice([draft.every(), "11ms"])]
    if use.startswith("read-write") and draft.chance(40):
        words += ["--write-threshold", draft.choose.choice(THRESHOLDS)]
    return words


def controller(draft: Draft) -> Words:
    return ["--controller", "published"] if draft.drive.has_controller else []


def deadlines(draft: Draft) -> Words:
    if "deadline" not in draft.trace.columns:
        return []
    use = draft.choose.choice(["message", "message", "cdl", "none"])
    # A reset takes the limits back: `run` refuses it.
    if use == "cdl" and ("options" in draft.trace.columns or "--reset-every" in draft.drawn):
        use = "message"
    words = ["--deadlines", use]
    if use == "cdl":
        words += ["--cdl-policy", draft.choose.choice(["complete", "abort"])]
    if draft.chance(20):
        words += ["--fail-on", "missed-deadline=50%"]
    return words


def streams(draft: Draft) -> Words:
    parameters = ["1:u=0.2,p=200ms", "2:share=30,w=3", "0:k=2", "3:u=0.1,p=50ms", "4:share=20"]
    return [word for one in draft.choose.sample(parameters, 2) for word in ("--stream", one)]


def nth(option: str) -> Callable[[Draft], Words]:
    return lambda draft: [option, draft.every()]


def tags(draft: Draft) -> Words:
    """`run` refuses words that leave nothing to a later one."""
    words: Words = []
    taken: list[int] = []
    for option in ("--untagged-every", "--head-of-queue-every", "--ordered-every"):
        every = draft.choose.randint(2, 11)
        if draft.chance(60) and all(every % before for before in taken):
            taken.append(every)
            words += [option, str(every)]
    return words


def aborts(draft: Draft) -> Words:
    delay = draft.choose.choice(["", ":0ms", ":1ms..30ms", ":0.0137ms"])
    return ["--abort-every", draft.every() + delay]


def resets(draft: Draft) -> Words:
    kind = draft.choose.choice(["", "bus:", "device:"])
    words = ["--reset-every", f"{kind}{draft.choose.randint(4, 9)}{draft.choose.choice(['', ':2ms'])}"]
    return words + (["--reset-every", "device:19ms"] if kind == "bus:" and draft.chance(30) else [])


def clears(draft: Draft) -> Words:
    return ["--clear-queue-every", draft.choose.choice([draft.every(), f"{draft.every()}:1ms..9ms", "23ms"])]


def control(draft: Draft) -> Words:
    return ["--qerr", draft.choose.choice(["0", "1", "3"]), "--reordering", draft.choose.choice(["restricted", "unrestricted"])]


def upkeep(draft: Draft) -> Words:
    words = draft.choose.choice([["--save-every", draft.every()], [], ["--save-every", "3"]])
    return words + draft.choose.choice([["--reassign-every", draft.every()], ["--reassign-every", "2"]])


def remap(draft: Draft) -> Words:
    """Two maps of the drive's last blocks, of units in any order."""
    if not draft.drive.has_room_for_maps:
        return []
    unit = 16 if draft.drive.is_small else draft.choose.choice([4, 8, 16, 160])
    first = max(0, draft.drive.capacity - unit * draft.choose.randint(5, 60) - draft.choose.randrange(unit))
    words: Words = []
    for name in ("map1.json", "map2.json"):
        slots = list(range((draft.drive.capacity - first) // unit))
        draft.choose.shuffle(slots)
        draft.files[name] = json.dumps({"format": "headstack-map-1", "first_block": first, "unit_blocks": unit, "slots": slots})
        words += ["--remap", name]
    words += ["--map", "1", "--map", "0", "--map-every", draft.every()] if draft.chance(60) else ["--map", "1"]
    words += ["--remap-share", str(draft.choose.choice([0, 30, 80])), "--remap-idle", str(draft.choose.choice([0, 1, 10]))]
    return words + (["--remap-settled"] if draft.chance(10) else [])


def learn(draft: Draft) -> Words:
    return ["--learn", str(draft.choose.choice([64, 160, 5000])), "--remap-counts"]


def power_cut(draft: Draft) -> Words:
    choose = draft.choose
    where = choose.choice(
        [f"time:{choose.uniform(3, 200):.4f}ms", f"event:{choose.choice(EVENTS)}:{choose.randint(1, 8)}", f"cmd:{choose.randint(1, 5)}",
         f"byte:{choose.randrange(6000)}"]
    )  # fmt: skip
    words = ["--power-cut", where, *draft.choose.choice([[], ["--power-loss", "torn"], ["--power-loss", "finished"]])]
    return words + (["--power-again", str(choose.randrange(1500))] if draft.chance(30) else [])


def torture(draft: Draft) -> Words:
    if "--power-cut" in draft.drawn or "--media" in draft.drawn or "--snapshot-every" in draft.drawn:
        return []
    return ["--torture", "--torture-every", "5", "--torture-cuts", "2", "--torture-bytes", "1", "--torture-seed", draft.every(),
            "--torture-whole", "0", "--torture-jobs", "1", *draft.choose.choice([[], ["--torture-once"]])]  # fmt: skip


def media(draft: Draft) -> Words:
    return ["--media", "media.img"]


def snapshots(draft: Draft) -> Words:
    if {"--media", "--event-ledger", "--access-log", "--power-cut"} & draft.drawn:
        return []
    return ["--snapshot-every", "40", "--snapshots", "3"]


def formats(draft: Draft) -> Words:
    # A change of a setting that meets a format is refused.
    if not draft.drive.is_small or {"--policy-every", "--cache-every", "--map-every"} & draft.drawn:
        return []
    return ["--format-every", str(draft.choose.randint(5, 15))]


def warm_up(draft: Draft) -> Words:
    """A short trace may end within it."""
    words = draft.choose.choice([["--warm-up", "2"], ["--warm-up-time", "9ms"], ["--warm-up", "1", "--warm-up-time", "3ms"]])
    return [*words, "--allow-empty"]


def issue(draft: Draft) -> Words:
    """The loop: that of the trace, or another."""
    choose = draft.choose
    loop = draft.trace.loop
    thinks = ["--think", "--think-time", choose.choice(["3ms", "0.77ms"])]
    other = choose.choice([[], ["--closed"], thinks])
    if loop == "open":
        return [[], ["--open"], ["--speedup", choose.choice(["0.5", "7.3"])], other][choose.randrange(4)]
    return [*thinks, "--think-scale", choose.choice(["0.4", "3"])] if loop == "think" and choose.randrange(2) else other


def waves(draft: Draft) -> Words:
    if "--snapshot-every" in draft.drawn:
        return []
    window = draft.choose.choice(["time:1ms..1.2ms", "cmd:2..2", "event:RUN_START:2"])
    words = ["--wave", "wave.fst", "--wave-window", window, "--wave-after", "50us"]
    return words + (["--wave-on", "missed-revolution"] if draft.chance(30) else [])


def logs(draft: Draft) -> Words:
    words = ["--access-log"] if draft.chance(60) else []
    words += ["--event-ledger"] if draft.chance(60) else []
    words += ["--profile"] if draft.chance(60) else []
    return words + (["--timeline", "timeline"] if draft.chance(70) else [])


def reading(draft: Draft) -> Words:
    words = draft.choose.choice([["--trace-format", "headstack"], ["--sort-window", "64"], []])
    return words + draft.choose.choice([["--strict"], ["--skip-bad"], []])


GROUPS = [
    Group("", 100, ("--seed",), lambda draft: ["--seed", str(draft.choose.randrange(10**6))]),
    Group("policies", 15, ("--policy", "--policy-every"), policies_in_turn),
    Group("", 100, ("--policy",), lambda draft: [] if "--policy" in draft.drawn else policy(draft)),
    Group("", 100, ("--queue-depth",), depth),
    Group("", 100, ("--bus", "--initiators"), hosts),
    Group("loops", 50, ("--open", "--closed", "--think", "--think-time", "--think-scale", "--speedup"), issue),
    Group("cache", 45, ("--cache", "--cache-every", "--write-threshold"), cache),
    Group("controller", 30, ("--controller",), controller),
    Group("resets", 10, ("--reset-every",), resets),
    Group("deadlines", 100, ("--deadlines", "--cdl-policy", "--fail-on"), deadlines),
    Group("streams", 10, ("--stream",), streams),
    Group("aborts", 15, ("--abort-every",), aborts),
    Group("aborts", 10, ("--clear-queue-every",), clears),
    Group("tags", 20, ("--untagged-every", "--head-of-queue-every", "--ordered-every"), tags),
    Group("tags", 15, ("--no-disconnect-every",), nth("--no-disconnect-every")),
    Group("cache", 15, ("--fua-every",), nth("--fua-every")),
    Group("cache", 10, ("--dpo-every",), nth("--dpo-every")),
    Group("", 15, ("--verify-every",), nth("--verify-every")),
    Group("cache", 15, ("--flush-every",), nth("--flush-every")),
    Group("", 40, ("--cdb",), lambda draft: ["--cdb", draft.choose.choice(["6", "16", "mixed"])]),
    Group("control", 40, ("--qerr", "--reordering"), control),
    Group("control", 20, ("--retry",), lambda draft: ["--retry", draft.choose.choice(["none", "lost", "all"])]),
    Group("upkeep", 15, ("--save-every", "--reassign-every"), upkeep),
    Group("maps", 8, ("--remap", "--map", "--map-every", "--remap-share", "--remap-idle", "--remap-settled"), remap),
    Group("maps", 8, ("--learn", "--remap-counts"), learn),
    Group("power", 12, ("--power-cut", "--power-loss", "--power-again"), power_cut),
    Group("media", 15, ("--media",), media),
    Group("", 50, ("--format-every",), formats),
    Group("", 2, ("--torture", "--torture-every", "--torture-cuts", "--torture-bytes", "--torture-seed", "--torture-whole",
                  "--torture-jobs", "--torture-once"), torture),
    Group("logs", 30, ("--access-log", "--event-ledger", "--profile", "--timeline"), logs),
    Group("", 3, ("--snapshot-every", "--snapshots"), snapshots),
    Group("", 10, ("--warm-up", "--warm-up-time", "--allow-empty"), warm_up),
    Group("", 10, ("--limit",), lambda draft: ["--limit", str(draft.choose.randint(max(4, draft.count // 2), draft.count))]),
    Group("", 20, ("--verify-data",), lambda draft: ["--verify-data"]),
    Group("", 20, ("--predictor-margin",), lambda draft: ["--predictor-margin", str(draft.choose.choice([0, 30, 900]))]),
    Group("", 10, ("--trace-format", "--sort-window", "--strict", "--skip-bad"), reading),
    Group("", 5, ("--watchdog",), lambda draft: ["--watchdog", "50"]),
    Group("waves", 6, ("--wave", "--wave-window", "--wave-after", "--wave-on"), waves, rtl_only=True),
    Group("", 3, ("--post-mortem",), lambda draft: [] if {"--media", "--access-log", "--event-ledger", "--torture", "--wave"} & draft.drawn
          else ["--post-mortem"], rtl_only=True),
    Group("", 2, ("--no-gating",), lambda draft: ["--no-gating"], rtl_only=True),
]  # fmt: skip
FEATURES = sorted({group.feature for group in GROUPS if group.feature} | {"faults"})
