# SPDX-License-Identifier: Apache-2.0
"""The request that the heads serve next: compares each choice of a run, and whole runs, with the policy's definition.

`order` takes the arrival times and the earlier services from the run. The policy then determines the next request, and the drive
must have begun that one. No policy determines the time of the drive's own processor:

- An access is priced from the time at which the heads are free and the search is over. The drive plans ahead, so this is an
interval with the bounds below. The choice must be right for one time in it. - A search that takes long does not look at
requests that arrive while the heads wait for it (firmware/queue/scheduler.h). - A deadline arrives by message 81h in whole
microseconds. It counts from the time at which the command is queued, in units of 64 clocks of 25 ns. The choice must be right
for one of the times that this allows. - A write whose data is still in the host counts as far away (docs/cache.md). A request
that overlaps an older one waits for it. Such requests may be skipped.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any

from errors import RegressError
from event_log import CLOCK_PS

from divergence import time_text
from expect.conservation import conflicting
from expect.journal import Service
from expect.motion import Track, track_of
from expect.policy import DriveFacts, Key, Moment, Policy, Request, by_age, make_policy, streams_of
from expect.requests import Asked
from expect.world import Answer, World, judge

# The heads may be free this much earlier or later than planned (firmware/queue/scheduler.h). The firmware also gets the event
# this much after they are free.
PLAN_PS, HEARD_PS = 100_000_000, 50_000_000
# The longest decision of a policy without deadlines is about this long (docs/firmware-timing.md: 6,107 cycles of 25 ns). The
# scheduler's estimate for each waiting request is 80 cycles, as in the most expensive policy.
DECISION_PS, CANDIDATE_PS = 150_000_000, 2_000_000
# The drive prices in 2^-24 revolutions. A movement and a wait are rounded by 4 of them at most (motion/predictor.h).
ROUNDING_TURNS = 4 / 2**24
REPLAY_CLOCKS = 4  # from a last check byte until the host has it, if only clock edges take time
# The drive may place a deadline early by a microsecond of the message and by 64 clocks of its own.
DEADLINE_EARLY_PS = 10**6 + 64 * CLOCK_PS
HAIR_TURNS = 1e-9  # tolerance of floats for a sector that begins at this moment
# How many moments of an interval are tried: for a choice that may change at any moment, and for a state with times.
MOMENTS_TRIED, INSTANTS_TRIED = 33, 5
STATES_MAX = 64


@dataclass(frozen=True)
class Access:
    """The part of a request's access that does not depend on the heads' place. Angles and times are floats: 1e-9 of a turn."""

    request: Request
    track: Track
    angle: float  # angle of its first sector, turns
    span_ps: float  # from there to the end of its last sector, movements between included
    last_track: Track


class Prices:
    """Access times in closed form, with the drive's margin in front. Between the runs of an access the formatter goes on by
    itself.
    """

    def __init__(self, world: World) -> None:
        self._mechanics, self.margin_ps = world.mechanics, world.margin_ps
        self._world, self.turn_ps = world, float(world.mechanics.period_ps)
        self._positioning = lru_cache(maxsize=None)(
            lambda distance, switches, is_write: self._mechanics.positioning((0, 0), (distance, switches), is_write).total
        )

    def wait_ps(self, angle: float, time_ps: float) -> float:
        """The wait until the angle passes the heads."""
        turns = (angle - time_ps / self.turn_ps) % 1.0
        return 0.0 if turns > 1 - HAIR_TURNS else turns * self.turn_ps

    def access(self, asked: Asked, order: int, arrived_ps: int, deadline_ps: int | None = None) -> Access:
        """The access of a read or write."""
        stretches, is_write = self._world.stretches(asked.lba, asked.blocks), asked.operation == "write"
        span = sum(one.blocks / one.place.sectors for one in stretches) * self.turn_ps
        for one, other in pairwise(stretches):
            end = (one.place.mark + one.blocks) / one.place.sectors
            move = self._mechanics.positioning(track_of(one), track_of(other), is_write).total
            span += move + self.wait_ps(other.place.mark / other.place.sectors, end * self.turn_ps + move)
        first = stretches[0].place
        receives = self._world.receives_deadlines
        whose = (asked.stream, asked.priority) if receives else (0, 0)
        blocks = (asked.lba, asked.blocks)
        request = Request(asked.number, order, first.cylinder, arrived_ps, is_write, deadline_ps, *whose, blocks)
        return Access(request, track_of(stretches[0]), first.mark / first.sectors, span, track_of(stretches[-1]))

    def seek_ps(self, distance: int) -> int:
        """The seek of the arm alone."""
        return self._mechanics.seek_ps(distance)

    def move_ps(self, access: Access, heads: Track) -> int:
        """The time until the heads are on the access's first track."""
        cylinder, head = access.track
        return self._positioning(abs(cylinder - heads[0]), int(head != heads[1]), access.request.is_write)

    def ready_ps(self, access: Access, heads: Track) -> int:
        """The time from the choice until the sector may pass."""
        return self.margin_ps + self.move_ps(access, heads)

    def latency_ps(self, access: Access, heads: Track, time_ps: float) -> float:
        """The time from `time_ps` until the first sector passes."""
        ready = self.ready_ps(access, heads)
        return ready + self.wait_ps(access.angle, time_ps + ready)


class Queue:
    """Requests with their accesses, by number: the inputs of a policy's keys."""

    def __init__(self, world: World) -> None:
        self.prices = Prices(world)
        self.accesses: dict[int, Access] = {}

    def moment(self, time_ps: float, heads: Track, waiting: Sequence[Request] = ()) -> Moment:
        """The moment of a choice among `waiting`, with the heads at their place."""

        def latency_ps(request: Request) -> float:
            return self.prices.latency_ps(self.accesses[request.number], heads, time_ps)

        def access_ps(request: Request) -> float:
            return latency_ps(request) + self.accesses[request.number].span_ps

        def mean_access_ps(request: Request) -> float:
            access = self.accesses[request.number]
            return self.prices.ready_ps(access, heads) + self.prices.turn_ps / 2 + access.span_ps

        def seek_ps(request: Request) -> float:
            return self.prices.seek_ps(abs(request.cylinder - heads[0]))

        def move_ps(before: Request | None, request: Request) -> float:
            start = heads if before is None else self.accesses[before.number].last_track
            return self.prices.move_ps(self.accesses[request.number], start)

        def fixed_ps(request: Request) -> float:
            return self.prices.margin_ps + self.prices.turn_ps / 2 + self.accesses[request.number].span_ps

        def mean_ends_ps(order: Sequence[Request]) -> list[float]:
            ends, end_ps = [], time_ps
            for before, request in pairwise([None, *order]):
                assert request is not None
                end_ps += move_ps(before, request) + fixed_ps(request)
                ends.append(end_ps)
            return ends

        return Moment(
            time_ps, heads[0], access_ps, latency_ps, waiting, mean_access_ps, mean_ends_ps, seek_ps, move_ps, fixed_ps
        )  # fmt: skip

    def is_less(self, policy: Policy, key: Key, other: Key) -> bool:
        """Whether a key is less by more than the drive's arithmetic rounds."""
        if not policy.by_access or key[:-1] != other[:-1]:
            return key < other
        return key[-1] < other[-1] - ROUNDING_TURNS * self.prices.turn_ps - policy.rounding * abs(other[-1])

    def first(self, policy: Policy, waiting: Iterable[Request], moment: Moment) -> Request:
        """The request that the policy serves next: of those that are equal to the drive, the oldest."""
        keys = {request: policy.key(request, moment) for request in waiting}
        least = min(keys.values())
        return min((one for one in keys if not self.is_less(policy, least, keys[one])), key=lambda one: one.order)


def make_reference(world: World) -> Policy:
    """The case's policy on its drive."""
    mechanics, cylinders = world.mechanics, int(world.design["cylinders"])
    distances = ((mechanics.seek_ps(x), 2 * (cylinders - x)) for x in range(1, cylinders))
    mean_seek = sum(time * pairs for time, pairs in distances) / cylinders**2
    mean_access = mean_seek + float(mechanics.period_ps) / 2
    facts = DriveFacts(cylinders, mean_access, world.margin_ps, streams_of(world.case.value("settings.streams", [])))
    policy = make_policy(world.case.policy, facts)
    if policy.is_exact:
        raise RegressError(
            f"'{world.case.policy}' counts what accesses take to the tick, or prices paths of them, and a run tells when a "
            "choice was made to a tenth of a millisecond only; expect no 'order'"
        )
    if policy.by_stream and world.case.value("hosts.number", 1) != 1:
        raise RegressError(f"whose a request is is the trace's to say; expect no order by {world.case.policy} of several hosts")
    return policy


def _deadline_ps(world: World, service: Service) -> int | None:
    """The command's deadline as the drive receives it. A deadline that has passed is sent as the moment of the message."""
    record = service.record
    if not world.receives_deadlines or record.deadline_ps is None:
        return None
    return max(record.submitted_ps + record.deadline_ps, service.queued_ps - _told_ps(service))


def _told_ps(service: Service) -> int:
    """The longest time from the message of a deadline until its command is queued."""
    return service.stages["selection"] + service.stages["command"]


@dataclass(frozen=True)
class Choice:
    """One choice of a run: the heads, the chosen request, the other arrivals, and the interval in which it was made."""

    heads: Track
    service: Service
    chosen: Request
    others: list[Request]
    arrived: list[Request]  # since the choice before, the oldest first
    from_ps: float
    until_ps: float

    @property
    def waiting(self) -> list[Request]:
        """All requests among which one was chosen."""
        return [self.chosen, *self.others]


def _apart(begin: float, end: float, count: int) -> list[float]:
    """`count` moments at equal distances, from the first to the last."""
    return [begin + (end - begin) * place / (count - 1) for place in range(count)]


def _memory(policy: Policy) -> dict[str, Any]:
    """A policy's state, without what it computed for one moment."""
    return {name: value for name, value in vars(policy).items() if name not in ("_choice", "_aim")}


class Audit:
    """Follows the choices of a run.

    A policy's state may depend on the time of a report. The audit follows every possible state, as long as the choices are right
    for it.
    """

    def __init__(self, world: World) -> None:
        self._world, self._queue = world, Queue(world)
        self._asked = {request.number: request for request in world.asked}
        self._services = {service.record.command: service for service in world.journal.services}
        for number, service in self._services.items():
            deadline = _deadline_ps(world, service)
            access = self._queue.prices.access(self._asked[number], service.arrival, service.queued_ps, deadline)
            self._queue.accesses[number] = access
        self.policy = make_reference(world)
        self._states = [self.policy]

    def choices(self) -> Iterator[Choice]:
        """The choices in their order."""
        arriving = iter(self._world.journal.services)
        following = next(arriving, None)
        waiting: dict[int, Request] = {}
        heads, free_ps = (0, 0), -math.inf
        for service in self._world.journal.in_order:
            number, chosen_ps, looked_at = service.record.command, service.chosen_ps or 0, service.looked_at or 0
            if service.queued_at > looked_at:  # another search had no result
                looked_at = service.chosen_at or 0
            arrived = []
            while following is not None and following.queued_at < looked_at:
                arrived.append(self._queue.accesses[following.record.command].request)
                following = next(arriving, None)
            waiting |= {one.number: one for one in arrived}
            chosen, others = waiting.pop(number), list(waiting.values())
            yield Choice(heads, service, chosen, others, arrived, *self._interval(chosen_ps, free_ps, len(others)))
            heads = self._queue.accesses[number].last_track
            free_ps = service.runs[-1].end_ps or chosen_ps if service.runs else chosen_ps

    def _interval(self, chosen_ps: int, free_ps: float, waiting: int) -> tuple[float, float]:
        """The interval in which the choice was made, if the heads were free at `free_ps`."""
        if self._world.is_ideal:
            # The choice was planned for the end of the last sector, and began with its last check byte.
            return chosen_ps, chosen_ps + self._world.gap_ps
        slack = DECISION_PS + PLAN_PS + CANDIDATE_PS * waiting
        begin = chosen_ps - slack
        if chosen_ps - free_ps < slack:  # planned while the media worked for the request before
            begin = min(begin, free_ps - PLAN_PS - HEARD_PS)
        return begin, chosen_ps + slack

    def heard(self, choice: Choice) -> None:
        """Reports the arrivals before a choice to the policy."""
        told = [one for one in by_age(choice.waiting) if one not in choice.arrived]
        for one in choice.arrived:
            told = [*told, one]
            self._go_on(choice, told, lambda policy, moment, one=one: policy.arrived(one, moment))

    def served(self, choice: Choice) -> None:
        """Reports the choice to the policy."""
        self._go_on(choice, choice.waiting, lambda policy, moment: policy.served(choice.chosen, choice.others, moment))

    def _go_on(self, choice: Choice, waiting: Sequence[Request], tell: Callable[[Policy, Moment], None]) -> None:
        """Replaces each state by its possible next ones: one, or several where the moment counts."""
        instants = [choice.until_ps]
        if self.policy.keeps_times:
            vague_ps = self._vague_ps(choice)
            instants = _apart(choice.from_ps - vague_ps, choice.until_ps + vague_ps, INSTANTS_TRIED)
        moments = [self._queue.moment(time_ps, choice.heads, waiting) for time_ps in instants]
        states: list[Policy] = []
        for state in self._states:
            for moment in moments:
                other = copy(state)
                tell(other, moment)
                if len(states) < STATES_MAX and not any(_memory(one) == _memory(other) for one in states):
                    states.append(other)
        self._states = states

    def _vague_ps(self, choice: Choice) -> float:
        """How much earlier or later the drive may place all deadlines, as if the choice were made later or earlier."""
        return DEADLINE_EARLY_PS + self._late_ps(choice)

    def _late_ps(self, choice: Choice) -> int:
        """The longest delay of a waiting request's deadline, from its message until it was queued."""
        dated = (one for one in choice.waiting if one.deadline_ps is not None)
        return max((_told_ps(self._services[one.number]) for one in dated), default=0)

    def _moments(self, choice: Choice) -> list[float]:
        """The moments of the interval at which the chosen request has its best chance against all others.

        As time goes on, every access ends at the same time or, where its sector has passed, a revolution later. So the best
        moments are just before the chosen one's own sector is missed, and the end.
        """
        if self.policy.by_time:
            if all(one.deadline_ps is None for one in choice.waiting):
                return [choice.until_ps]
            vague_ps = self._vague_ps(choice)
            return _apart(choice.until_ps + vague_ps, choice.from_ps - vague_ps, MOMENTS_TRIED)
        if self.policy.by_deadline:
            return self._turning_points(choice)
        last_chance = self._last_chance_ps(choice, choice.chosen)
        if last_chance >= choice.until_ps:
            return [choice.until_ps]
        return [max(last_chance, choice.from_ps), choice.until_ps]

    def _last_chance_ps(self, choice: Choice, request: Request) -> float:
        """The moment of the interval just before the request's sector is missed for the first time."""
        access, prices = self._queue.accesses[request.number], self._queue.prices
        wait = prices.latency_ps(access, choice.heads, choice.from_ps) - prices.ready_ps(access, choice.heads)
        return choice.from_ps + wait - HAIR_TURNS * prices.turn_ps

    def _turning_points(self, choice: Choice) -> list[float]:
        """One moment of each part of the interval in which the same deadlines can be met.

        With a mean access, a deadline can be met until a fixed time. With an exact access, it can be met until its sector is
        missed. If the sector passes once more in time, it can be met until the interval's end.
        """
        dated = [one for one in choice.waiting if one.deadline_ps is not None]
        prices, ends = self._queue.prices, {choice.until_ps}
        for one in dated:
            access = self._queue.accesses[one.number]
            mean = prices.ready_ps(access, choice.heads) + prices.turn_ps / 2 + access.span_ps
            ends |= {(one.deadline_ps or 0) - mean, self._last_chance_ps(choice, one)}
        hair_ps = 2 * HAIR_TURNS * prices.turn_ps
        inside = sorted(end for end in ends if choice.from_ps <= end <= choice.until_ps)
        return [choice.from_ps, *(time for end in inside for time in (end, min(end + hair_ps, choice.until_ps)))]

    def _may_be_passed_over(self, number: int, chosen_ps: int) -> bool:
        own = self._services[number]
        data_are_here = bool(own.data_ends_ps) and own.data_ends_ps[-1] <= chosen_ps
        if self.policy.by_access and own.is_write and not data_are_here:
            return True
        older = self._world.journal.services[: own.arrival]
        return any(
            (one.ended_ps is None or one.ended_ps >= chosen_ps)
            and conflicting(self._asked[number], self._asked[one.record.command])
            for one in older
        )

    def _redated(self, choice: Choice) -> Iterator[Choice]:
        """The choice with one deadline moved as far against the others as the drive may place it, early or late.

        A deadline is moved only if that may change its order or quantum: another deadline or the quantum's edge is near. If
        accesses decide which deadlines can be met, any may matter, unless several times are tried anyway.
        """
        dated = [one for one in choice.waiting if one.deadline_ps is not None] if self.policy.by_deadline else []
        late_ps = self._late_ps(choice)
        for one in dated:
            due, quantum = one.deadline_ps or 0, self.policy.quantum_ps
            low, high = due - DEADLINE_EARLY_PS - late_ps, due + DEADLINE_EARLY_PS + late_ps
            is_near = any(low <= (other.deadline_ps or 0) <= high for other in dated if other is not one)
            is_at_edge = quantum and low // quantum != high // quantum
            is_priced = self.policy.prices_deadlines and not self.policy.by_time
            if not (is_near or is_at_edge or is_priced):
                continue
            for moved in (one._replace(deadline_ps=low), one._replace(deadline_ps=high)):
                others = [moved if other is one else other for other in choice.others]
                yield replace(choice, chosen=moved if choice.chosen is one else choice.chosen, others=others)

    def _better(self, policy: Policy, choice: Choice, moment: Moment) -> Request | None:
        """A request that goes before the chosen one; None if there is none."""
        own, chosen_ps = policy.key(choice.chosen, moment), choice.service.chosen_ps or 0
        for other in choice.others:
            key = policy.key(other, moment)
            # Of requests that are equal to the drive, the older goes first. Only keys of cylinders are exactly equal.
            is_before = self._queue.is_less(policy, key, own) or (key == own and other.order < choice.chosen.order)
            if is_before and not self._may_be_passed_over(other.number, chosen_ps):
                return other
        return None

    def _never_first(self, policy: Policy, choice: Choice) -> Request | None:
        """A request that goes before the chosen one at every moment of the interval; None if there is none at one of them."""
        better = None
        for time_ps in self._moments(choice):
            better = self._better(policy, choice, self._queue.moment(time_ps, choice.heads, choice.waiting))
            if better is None:
                return None
        return better

    def fault(self, choice: Choice) -> str:
        """The fault of a choice: the request that should have been chosen; or ''."""
        better = [self._never_first(state, choice) for state in self._states]
        right = [state for state, other in zip(self._states, better, strict=True) if other is None]
        if not right and better[0] is not None:
            redated = list(self._redated(choice))
            right = [state for state in self._states if any(self._never_first(state, one) is None for one in redated)]
        if right:
            self._states = right
            return ""
        assert better[0] is not None
        named, at = choice.service.record.named, time_text(choice.service.chosen_ps or 0)
        return f"{named} was chosen at {at}, but {self._services[better[0].number].record.named} goes before it"

    def faults(self) -> Iterator[str]:
        """The fault of each choice at which others waited, or ''."""
        for choice in self.choices():
            self.heard(choice)
            fault = self.fault(choice)
            if choice.others:
                yield fault
            self.served(choice)


def _refuse(world: World, kind: str) -> None:
    """Raises RegressError for a run that no definition covers."""
    if world.has_cache or world.warm_up or any(one.operation == "flush" for one in world.asked):
        raise RegressError(
            "a policy's definition says nothing of flushes, of what a cache serves, and of what waits at the end of a "
            f"warm-up; expect no '{kind}'"
        )


def order(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `order`: every choice of the run."""
    _refuse(world, "order")
    audit = Audit(world)
    dated_writes = (one for one in world.asked if one.operation == "write" and one.deadline_ps is not None)
    if world.receives_deadlines and audit.policy.prices_deadlines and any(dated_writes):
        raise RegressError(
            "whether a write's deadline can be met depends on when its data come, which no definition says; expect no "
            f"'order' of writes by {world.case.policy}"
        )
    found = list(audit.faults())
    expected = f"of all that wait, the next by the definition of {world.case.policy}"
    return judge([one for one in found if one], expected, len(found), "choice", max(len(world.asked) // 2, 1))


def _made_up(world: World, start_ps: int) -> Iterator[tuple[int, float]]:
    """The whole run in the order of service: command, and when its last sector has passed.

    A closed queue in which neither instructions nor bytes take time. The first request to arrive finds the drive idle;
    a completed one is replaced at that instant, after the choice of the next. A choice is priced from the end of the last
    sector. The arm leaves a little earlier: after the last check byte, at the next edge of the clock.
    """
    queue, policy = Queue(world), make_reference(world)
    pending = iter(world.asked)
    waiting: dict[int, Request] = {}
    told: list[Request] = []

    def arrive(time_ps: float, count: int) -> None:
        for asked in islice(pending, count):
            order, due = len(queue.accesses), asked.deadline_ps if world.receives_deadlines else None
            deadline = None if due is None else round(time_ps) + due
            queue.accesses[asked.number] = queue.prices.access(asked, order, round(time_ps), deadline)
            waiting[asked.number] = queue.accesses[asked.number].request

    time_ps, heads = float(start_ps), (0, 0)
    arrive(time_ps, 1)
    arrivals, leaves_ps = world.depth - 1, time_ps
    while waiting:
        for one in list(waiting.values())[len(told) :]:
            told.append(one)
            policy.arrived(one, queue.moment(time_ps, heads, list(told)))
        moment = queue.moment(time_ps, heads, list(told))
        chosen = queue.first(policy, told, moment)
        del waiting[chosen.number]
        told.remove(chosen)
        arrive(time_ps, arrivals)
        arrivals = 1
        policy.served(chosen, list(waiting.values()), moment)
        access = queue.accesses[chosen.number]
        time_ps = leaves_ps + queue.moment(leaves_ps, heads).access_ps(chosen)
        leaves_ps = math.ceil((time_ps - world.gap_ps) / CLOCK_PS) * CLOCK_PS
        heads = access.last_track
        yield chosen.number, leaves_ps


def replay(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `replay`: the run against one made from trace, description and definition. Only its beginning is the
    run's.
    """
    _refuse(world, "replay")
    if not world.is_ideal or world.trace.loop != "closed":
        raise RegressError("a whole run can be worked out on ideal electronics and in a closed loop only: no 'replay'")
    records = world.journal.records
    made = list(_made_up(world, min(record.submitted_ps for record in records)))
    faults = []
    for record, (number, end_ps) in zip(records, made, strict=False):
        if record.command != number:
            faults.append(f"{record.named} ended at {time_text(record.completed_ps)}, by definition command {number} does")
            break
        # The host has the last check byte some clocks after it passed, and some bytes before its sector's end.
        if abs(record.completed_ps - end_ps) > world.gap_ps + REPLAY_CLOCKS * CLOCK_PS:
            end = time_text(round(end_ps))
            faults.append(f"{record.named} ended at {time_text(record.completed_ps)}, its last sector at {end}")
    expected = f"the run that {world.case.policy} makes of the trace, command by command and sector by sector"
    return judge(faults, expected, min(len(records), len(made)), "command", len(world.asked))
