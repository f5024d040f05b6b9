# SPDX-License-Identifier: Apache-2.0
"""Every key of a scenario: how a random load draws it, or why it cannot. A test compares this list with the program's.

A drawer returns the words of a group of keys that only make sense together; the shrinker leaves out groups. A feature is what
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

# Keys that each load has, and those of one platform.
ALWAYS = {
    "drive.name": "each load has one: a copy of a shipped drive",
    "load.trace": "each load has one",
    "platform.kind": "each load runs on rtl and on vp",
    "observe.events": "what is compared first",
    "load.map": "fold: a trace for another drive's copy stays a trace for this one",
}
# Keys, or a table of them.
NOT_DRAWN = {
    "schema": "one number is known",
    "title": "for people",
    "drive.design": "the drive's copy has its changes",
    "drive.specimen": "the drive's copy has its faults",
    "platform.firmware": "the loads are for this build's firmware, with its translation",
    "platform.ideal_electronics": "native alone",
    "platform.access_price": "native alone",
    "platform.reference": "native alone",
    "load.requests": "each load has a trace",
    "load.synthetic": "each load has a trace",
    "load.device": "headstack's own format has one device",
    "load.trace_end": "goes with load.map scale",
    "load.expect": "counts requests, and changes nothing",
    "load.events": "of blktrace files alone; the loads are headstack's own format",
    "observe.records": "full is what is compared",
    "stop.until": "a run cannot do this yet",
}


def setting(key: str, *values: object) -> str:
    """A word of `run`. Several values are a list."""
    return f"{key}={values[0] if len(values) == 1 else json.dumps(values, separators=(',', ':'))}"


def key_of(word: str) -> str:
    """The key, or of `torture` the flag."""
    return word.split("=", 1)[0]


@dataclass
class Draft:
    """What drawers know of the load."""

    choose: random.Random
    drive: Shipped
    trace: Trace
    features: frozenset[str]
    files: dict[str, str] = field(default_factory=dict)  # that the words name
    drawn: set[str] = field(default_factory=set)  # keys so far

    def chance(self, percent: int) -> bool:
        return self.choose.randrange(100) < percent

    def every(self) -> str:
        return str(self.choose.randint(2, 9))

    @property
    def count(self) -> int:
        return len(self.trace.requests)


@dataclass(frozen=True)
class Group:
    """Keys that are drawn together."""

    feature: str  # "": of no pair
    percent: int  # of the loads without that feature that have it
    keys: tuple[str, ...]
    draw: Callable[[Draft], Words]
    rtl_only: bool = False  # words that only observe, on the platform that has them


POLICIES = [selection for selections in policies().values() for selection in selections]
DEADLINE_POLICIES = [word for name in ("edf", "dscan", "fdscan", "scanedf", "stfd", "walk") for word in policies()[name]]
BUSES = ["async", "fast", "fast-wide", "sync:204:8", "sync:324", "sync:100:15:wide", "sync:500:1", "sync:324:in=332.227:out=364.961",
         "sync:100:wide:in=100.1", "sync:200:3:out=999.9"]  # fmt: skip
CACHES = ["read", "read-write", "read-write", "read:segments=1,read-ahead=0", "read-write:segments=3,segment-blocks=40"]
TAGS = ("hosts.every.untagged", "hosts.every.head_of_queue", "hosts.every.ordered")
MAPS = ("map1.json", "map2.json")
THRESHOLDS = ["space:1", "space:2", "free:1", "free:2", "time", "time:10", "time:100:0.5"]
# Events at which the power goes: they come in most loads.
EVENTS = ["COMMAND_RECEIVED", "TASK_QUEUED", "TASK_CHOSEN", "RUN_START", "RUN_DONE", "MEDIA_DONE", "DATA_PHASE_BEGIN", "DATA_PHASE_END",
          "STATUS_SENT", "TASK_ENDED"]  # fmt: skip


def policy_choice(draft: Draft) -> str:
    return draft.choose.choice(DEADLINE_POLICIES if "deadlines" in draft.features else POLICIES)


def policy(draft: Draft) -> Words:
    return [] if "settings.policy" in draft.drawn else [setting("settings.policy", policy_choice(draft))]


def policies_in_turn(draft: Draft) -> Words:
    chosen = [policy_choice(draft) for _ in range(draft.choose.randint(2, 3))]
    return [setting("settings.policy", *chosen), setting("hosts.every.policy", draft.choose.choice([draft.every(), "7ms"]))]


def depth(draft: Draft) -> Words:
    return [setting("hosts.depth", draft.choose.choice([1, 1, 2, 3, 4, 8, 16, 64, 300]))]


def hosts(draft: Draft) -> Words:
    bus = draft.choose.choice(BUSES)
    most = 15 if draft.drive.is_wide and "wide" in bus else 7
    return [setting("hosts.bus", bus), setting("hosts.number", draft.choose.choice([1, 1, 2, 3, most]))]


def cache(draft: Draft) -> Words:
    use = draft.choose.choice(CACHES)
    words = [setting("settings.cache", use)]
    if draft.chance(30):
        words = [setting("settings.cache", use, draft.choose.choice(["off", "read-write"])),
                 setting("hosts.every.cache", draft.choose.choice([draft.every(), "11ms"]))]  # fmt: skip
    if use.startswith("read-write") and draft.chance(40):
        words += [setting("settings.write_threshold", draft.choose.choice(THRESHOLDS))]
    return words


def controller(draft: Draft) -> Words:
    return ["drive.controller=published"] if draft.drive.has_controller else []


def deadlines(draft: Draft) -> Words:
    if "deadline" not in draft.trace.columns:
        return []
    use = draft.choose.choice(["message", "message", "cdl", "none"])
    # A reset takes the limits back: `run` refuses it.
    if use == "cdl" and ("options" in draft.trace.columns or {"hosts.every.bus_reset", "hosts.every.device_reset"} & draft.drawn):
        use = "message"
    words = [setting("settings.deadlines", use)]
    if use == "cdl":
        words += [setting("settings.cdl_policy", draft.choose.choice(["complete", "abort"]))]
    if draft.chance(20):
        words += ["stop.fail_on=missed-deadline=50%"]
    return words


def streams(draft: Draft) -> Words:
    parameters = ['number=1,u=0.2,period="200ms"', "number=2,share=30,w=3", "number=0,k=2", 'number=3,u=0.1,period="50ms"', "number=4,share=20"]
    rows = ",".join(f"{{{row}}}" for row in draft.choose.sample(parameters, 2))
    return [f"settings.streams=[{rows}]"]


def nth(key: str) -> Callable[[Draft], Words]:
    return lambda draft: [setting(key, draft.every())]


def one_of(key: str, *values: object) -> Callable[[Draft], Words]:
    return lambda draft: [setting(key, draft.choose.choice(values))]


def always(word: str) -> Callable[[Draft], Words]:
    return lambda _: [word]


def tags(draft: Draft) -> Words:
    """`run` refuses words that leave nothing to a later one."""
    words: Words = []
    taken: list[int] = []
    for key in TAGS:
        every = draft.choose.randint(2, 11)
        if draft.chance(60) and all(every % before for before in taken):
            taken.append(every)
            words += [setting(key, every)]
    return words


def aborts(draft: Draft) -> Words:
    delay = draft.choose.choice(["", ":0ms", ":1ms..30ms", ":0.0137ms"])
    return [setting("hosts.every.abort", draft.every() + delay)]


def resets(draft: Draft) -> Words:
    kind = draft.choose.choice(["either", "bus_reset", "device_reset"])
    key = "hosts.every.bus_reset" if kind == "either" else f"hosts.every.{kind}"
    words = [setting(key, f"{draft.choose.randint(4, 9)}{draft.choose.choice(['', ':2ms'])}")]
    return words + (["hosts.every.device_reset=19ms"] if kind == "bus_reset" and draft.chance(30) else [])


def clears(draft: Draft) -> Words:
    return [setting("hosts.every.clear_queue", draft.choose.choice([draft.every(), f"{draft.every()}:1ms..9ms", "23ms"]))]


def control(draft: Draft) -> Words:
    return [setting("settings.qerr", draft.choose.choice(["0", "1", "3"])),
            setting("settings.reordering", draft.choose.choice(["restricted", "unrestricted"]))]  # fmt: skip


def upkeep(draft: Draft) -> Words:
    words = draft.choose.choice([[setting("hosts.every.save", draft.every())], [], ["hosts.every.save=3"]])
    return words + draft.choose.choice([[setting("hosts.every.reassign", draft.every())], ["hosts.every.reassign=2"]])


def remap(draft: Draft) -> Words:
    """Two maps of the drive's last blocks, of units in any order."""
    if not draft.drive.has_room_for_maps:
        return []
    unit = 16 if draft.drive.is_small else draft.choose.choice([4, 8, 16, 160])
    first = max(0, draft.drive.capacity - unit * draft.choose.randint(5, 60) - draft.choose.randrange(unit))
    for name in MAPS:
        slots = list(range((draft.drive.capacity - first) // unit))
        draft.choose.shuffle(slots)
        draft.files[name] = json.dumps({"format": "headstack-map-1", "first_block": first, "unit_blocks": unit, "slots": slots})
    words = [setting("remap.maps", *MAPS)]
    words += [setting("remap.use", 1, 0), setting("hosts.every.map", draft.every())] if draft.chance(60) else ["remap.use=1"]
    words += [setting("remap.share_percent", draft.choose.choice([0, 30, 80])), setting("remap.idle_ms", draft.choose.choice([0, 1, 10]))]
    return words + (["remap.settled=true"] if draft.chance(10) else [])


def power_cut(draft: Draft) -> Words:
    choose = draft.choose
    where = choose.choice(
        [f"time:{choose.uniform(3, 200):.4f}ms", f"event:{choose.choice(EVENTS)}:{choose.randint(1, 8)}", f"cmd:{choose.randint(1, 5)}",
         f"byte:{choose.randrange(6000)}"]
    )  # fmt: skip
    loss = draft.choose.choice([[], ["faults.power_loss=torn"], ["faults.power_loss=finished"]])
    words = [setting("faults.power_cut", where), *loss]
    return words + ([setting("faults.power_again", choose.randrange(1500))] if draft.chance(30) else [])


def torture(draft: Draft) -> Words:
    """Words of `headstack torture`."""
    if {"faults.power_cut", "drive.media", "observe.snapshot_every"} & draft.drawn:
        return []
    return ["--torture", "--every=5", "--cuts=2", "--bytes=1", f"--cut-seed={draft.every()}", "--whole=0", "--jobs=1",
            *draft.choose.choice([[], ["--once"]])]  # fmt: skip


def snapshots(draft: Draft) -> Words:
    if {"drive.media", "observe.ledger", "observe.accesses", "faults.power_cut"} & draft.drawn:
        return []
    return ["observe.snapshot_every=40ms", "observe.snapshots=3"]


def formats(draft: Draft) -> Words:
    # A change of a setting that meets a format is refused.
    if not draft.drive.is_small or {"hosts.every.policy", "hosts.every.cache", "hosts.every.map"} & draft.drawn:
        return []
    return [setting("hosts.every.format", draft.choose.randint(5, 15))]


def warm_up(draft: Draft) -> Words:
    """A short trace may end within it."""
    return [setting("load.warm_up", *draft.choose.choice([(2,), ("9ms",), (1, "3ms")])), "stop.allow_empty=true"]


def issue(draft: Draft) -> Words:
    """The loop: that of the trace, or another."""
    choose = draft.choose
    loop = draft.trace.loop
    thinks = ["load.loop=think", setting("load.think", choose.choice(["3ms", "0.77ms"]))]
    other = choose.choice([[], ["load.loop=closed"], thinks])
    if loop == "open":
        return [[], ["load.loop=open"], [setting("load.speedup", choose.choice(["0.5", "7.3"]))], other][choose.randrange(4)]
    return [*thinks, setting("load.think_scale", choose.choice(["0.4", "3"]))] if loop == "think" and choose.randrange(2) else other


def waves(draft: Draft) -> Words:
    if "observe.snapshot_every" in draft.drawn:
        return []
    window = draft.choose.choice(["time:1ms..1.2ms", "cmd:2..2", "event:RUN_START:2"])
    words = ["observe.waves.file=wave.fst", setting("observe.waves.windows", window), "observe.waves.after=50us"]
    return words + (["observe.waves.on=missed-revolution"] if draft.chance(30) else [])


def post_mortem(draft: Draft) -> Words:
    if {"drive.media", "observe.accesses", "observe.ledger", "--torture", "observe.waves.file"} & draft.drawn:
        return []
    return ["observe.post_mortem=true"]


def logs(draft: Draft) -> Words:
    percents = {"accesses": 60, "ledger": 60, "profile": 60, "timeline": 70}
    return [setting(f"observe.{name}", "true") for name, percent in percents.items() if draft.chance(percent)]


def reading(draft: Draft) -> Words:
    words = draft.choose.choice([["load.format=headstack"], ["load.sort_window=64"], []])
    return words + draft.choose.choice([["load.on_bad=stop"], ["load.on_bad=skip"], []])


def limit(draft: Draft) -> Words:
    return [setting("load.limit", draft.choose.randint(max(4, draft.count // 2), draft.count))]


def seed(draft: Draft) -> Words:
    return [setting("hosts.seed", draft.choose.randrange(10**6))]


TORTURE_FLAGS = ("--torture", "--every", "--cuts", "--bytes", "--cut-seed", "--whole", "--jobs", "--once")
GROUPS = [
    Group("", 100, ("hosts.seed",), seed),
    Group("policies", 15, ("settings.policy", "hosts.every.policy"), policies_in_turn),
    Group("", 100, ("settings.policy",), policy),
    Group("", 100, ("hosts.depth",), depth),
    Group("", 100, ("hosts.bus", "hosts.number"), hosts),
    Group("loops", 50, ("load.loop", "load.think", "load.think_scale", "load.speedup"), issue),
    Group("cache", 45, ("settings.cache", "hosts.every.cache", "settings.write_threshold"), cache),
    Group("controller", 30, ("drive.controller",), controller),
    Group("resets", 10, ("hosts.every.bus_reset", "hosts.every.device_reset"), resets),
    Group("deadlines", 100, ("settings.deadlines", "settings.cdl_policy", "stop.fail_on"), deadlines),
    Group("streams", 10, ("settings.streams",), streams),
    Group("aborts", 15, ("hosts.every.abort",), aborts),
    Group("aborts", 10, ("hosts.every.clear_queue",), clears),
    Group("tags", 20, TAGS, tags),
    Group("tags", 15, ("hosts.every.no_disconnect",), nth("hosts.every.no_disconnect")),
    Group("cache", 15, ("hosts.every.fua",), nth("hosts.every.fua")),
    Group("cache", 10, ("hosts.every.dpo",), nth("hosts.every.dpo")),
    Group("", 15, ("hosts.every.verify",), nth("hosts.every.verify")),
    Group("cache", 15, ("hosts.every.flush",), nth("hosts.every.flush")),
    Group("", 40, ("hosts.cdb",), one_of("hosts.cdb", "6", "16", "mixed")),
    Group("control", 40, ("settings.qerr", "settings.reordering"), control),
    Group("control", 20, ("hosts.retry",), one_of("hosts.retry", "none", "lost", "all")),
    Group("upkeep", 15, ("hosts.every.save", "hosts.every.reassign"), upkeep),
    Group("maps", 8, ("remap.maps", "remap.use", "hosts.every.map", "remap.share_percent", "remap.idle_ms", "remap.settled"), remap),
    Group("maps", 8, ("remap.learn_blocks",), one_of("remap.learn_blocks", 64, 160, 5000)),
    Group("power", 12, ("faults.power_cut", "faults.power_loss", "faults.power_again"), power_cut),
    Group("media", 15, ("drive.media",), always("drive.media=media.img")),
    Group("", 50, ("hosts.every.format",), formats),
    Group("", 2, TORTURE_FLAGS, torture),
    Group("logs", 30, ("observe.accesses", "observe.ledger", "observe.profile", "observe.timeline"), logs),
    Group("", 3, ("observe.snapshot_every", "observe.snapshots"), snapshots),
    Group("", 10, ("load.warm_up", "stop.allow_empty"), warm_up),
    Group("", 10, ("load.limit",), limit),
    Group("", 20, ("hosts.verify",), always("hosts.verify=true")),
    Group("", 20, ("settings.predictor_margin_us",), one_of("settings.predictor_margin_us", 0, 30, 900)),
    Group("", 15, ("settings.scan_idle_ms",), one_of("settings.scan_idle_ms", 0, 3, 40)),
    Group("", 10, ("load.format", "load.sort_window", "load.on_bad"), reading),
    Group("", 5, ("stop.watchdog",), always("stop.watchdog=50s")),
    Group("waves", 6, ("observe.waves.file", "observe.waves.windows", "observe.waves.after", "observe.waves.on"), waves, rtl_only=True),
    Group("", 3, ("observe.post_mortem",), post_mortem, rtl_only=True),
    Group("", 2, ("platform.gating",), always("platform.gating=false"), rtl_only=True),
]
FEATURES = sorted({group.feature for group in GROUPS if group.feature} | {"faults"})
