# SPDX-License-Identifier: Apache-2.0
"""The traces of random loads, with every column and every option of a request."""

import random
from dataclasses import dataclass, replace

HEADER_MS = "headstack-trace {version}\ntime-unit ms\nloop {loop}\ncolumns {columns}\nrequests\n"
SIZES = [[8], [1, 1, 8, 8, 64], [16], [1, 3, 17, 120], [8, 8, 8, 33, 256], [4], [120, 120, 700]]


# Columns that the format has from version 4 on.
REAL_TIME = {"deadline", "class", "stream"}


@dataclass(frozen=True)
class Trace:
    loop: str
    columns: tuple[str, ...]
    requests: tuple[str, ...]

    @property
    def version(self) -> int:
        """The first version of the format that has all of it."""
        if not REAL_TIME.isdisjoint(self.columns):
            return 4
        return 3 if "options" in self.columns or "V" in self.column("operation") else 2

    def text(self) -> str:
        head = HEADER_MS.format(version=self.version, loop=self.loop, columns=" ".join(self.columns))
        return head + "".join(f"{line}\n" for line in self.requests)

    def only(self, requests: tuple[str, ...]) -> "Trace":
        return replace(self, requests=requests)

    def column(self, name: str) -> list[str]:
        place = self.columns.index(name)
        return [line.split()[place] for line in self.requests]

    def blocks(self) -> list[int]:
        return [int(block) for block in self.column("lba")]


def places(choose: random.Random, capacity: int, count: int) -> list[tuple[int, int]]:
    """Blocks and lengths: anywhere on the drive, or along a few streams, some of which meet its last block."""
    sizes = choose.choice(SIZES)
    most = max(sizes)
    streams = [choose.randrange(capacity - most) for _ in range(choose.randint(1, 4))]
    if choose.randrange(3) == 0:
        streams[0] = max(0, capacity - most - choose.randrange(2000))
    goes_on = choose.choice([0.0, 0.5, 0.9])
    found = []
    for _ in range(count):
        blocks = choose.choice(sizes)
        if choose.random() >= goes_on:
            found.append((choose.randrange(capacity - most), blocks))
            continue
        stream = choose.randrange(len(streams))
        if streams[stream] + blocks > capacity - most:
            streams[stream] = choose.randrange(capacity - most)
        found.append((streams[stream], blocks))
        streams[stream] += blocks
    return found


def request_options(choose: random.Random, operation: str) -> str:
    words = [choose.choice(["ordered", "head-of-queue", "untagged"])] if choose.randrange(3) == 0 else []
    if operation in "RW" and choose.randrange(4) == 0:
        words.append("fua")
    if operation != "F" and choose.randrange(4) == 0:
        words.append("dpo")
    if choose.randrange(6) == 0:
        words.append("no-disconnect")
    if operation in "RW" and choose.randrange(5) == 0:
        words.append(f"cdb={choose.choice([6, 16])}")
    if choose.randrange(8) == 0:
        act = choose.choice(["abort", "abort", "clear-queue", "device-reset", "bus-reset"])
        words.append(f"{act}={choose.choice([0, 0.013, 2.5, 17])}")
    return "+".join(words) or "-"


def trace(choose: random.Random, capacity: int, count: int, *, loop: str, deadlines: bool, options: bool, streams: bool) -> Trace:
    columns = ["operation", "lba", "blocks", "initiator"]
    if loop == "open":
        columns.insert(0, "time")
    if loop == "think":
        columns.append("think")
    columns += (["options"] if options else []) + (["deadline"] if deadlines else [])
    columns += ["class", "stream", "priority"] if streams else []
    share = choose.random()
    rate_ms = choose.choice([1, 8, 40])
    now_ms = 0.0
    requests = []
    for block, blocks in places(choose, capacity, count):
        operation = "R" if choose.random() < share else "W"
        if choose.randrange(15) == 0:
            operation = choose.choice("FV")
        if operation == "F":
            block, blocks = 0, 0
        now_ms += choose.expovariate(1 / rate_ms)
        slack = choose.choice([0.3, 12, 90, 400])
        has_deadline = deadlines and operation != "F" and choose.randrange(4) != 0
        values = {
            "time": f"{now_ms:.4f}",
            "operation": operation,
            "lba": str(block),
            "blocks": str(blocks),
            "initiator": str(choose.randrange(4)),
            "think": f"{choose.expovariate(1 / 5):.3f}",
            "options": request_options(choose, operation),
            "deadline": f"{choose.uniform(0, slack):.3f}" if has_deadline else "-",
            "class": "-",
            "stream": str(choose.randrange(6)),
            "priority": str(choose.randrange(16)),
        }
        requests.append(" ".join(values[column] for column in columns))
    return Trace(loop, tuple(columns), tuple(requests))
