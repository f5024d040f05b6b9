# SPDX-License-Identifier: Apache-2.0
"""The definitions of the policies: which waiting request a free drive serves next.

Each policy is a key: the waiting request with the least key goes next, and of equal keys the oldest. This module has the
common parts; each policy is a module of its own, policies/NAME.py. Sources are the papers that docs/policies.md names for each
policy, and their readings in docs/schedulers.md. No code or choice of the firmware is used.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from errors import RegressError
from event_log import CLOCK_PS
from scenario_keys import PICOSECONDS, time_ps


class Request(NamedTuple):
    """A waiting request. `order` is that of arrival."""

    number: int
    order: int
    cylinder: int
    arrived_ps: int
    is_write: bool
    deadline_ps: int | None = None  # absolute; None: best effort
    stream: int = 0
    priority: int = 0  # 1 is the highest; 0: none was given
    blocks: tuple[int, ...] = ()  # equal for requests of the same blocks

    @property
    def is_real_time(self) -> bool:
        """Whether its class is real time."""
        return self.deadline_ps is not None

    def is_late(self, end_ps: float) -> bool:
        """Whether an end then is after the deadline."""
        return self.deadline_ps is not None and end_ps > self.deadline_ps


def _not_priced(request: Request) -> float:
    raise AssertionError("this moment prices no mean accesses")


def _no_path(order: Sequence[Request]) -> list[float]:
    raise AssertionError("this moment prices no paths")


def _no_move(before: Request | None, request: Request) -> float:
    raise AssertionError("this moment prices no movements")


@dataclass(frozen=True)
class Moment:
    """The time and place of a choice."""

    time_ps: float
    cylinder: int  # under the heads
    access_ps: Callable[[Request], float]  # from then until its transfer has ended
    latency_ps: Callable[[Request], float]  # from then until its transfer begins
    waiting: Sequence[Request] = ()  # all requests among which one is chosen
    mean_access_ps: Callable[[Request], float] = _not_priced  # like access_ps, but with half a turn for each wait
    # The ends of consecutive accesses with half a turn for each wait, on the clock of time_ps.
    mean_ends_ps: Callable[[Sequence[Request]], list[float]] = _no_path
    seek_ps: Callable[[Request], float] = _not_priced  # seek of the arm alone, to its first cylinder
    # From the end of the first one's access (None: the heads' place) to the second one's first track.
    move_ps: Callable[[Request | None, Request], float] = _no_move
    # A mean access without its movement: margin, half a turn, and the transfer.
    fixed_ps: Callable[[Request], float] = _not_priced
    exact_ends_ps: Callable[[Sequence[Request]], list[float]] = _no_path  # like mean_ends_ps, with the exact waits

    def ends_ps(self, order: Sequence[Request], exact: bool) -> list[float]:
        """The ends of consecutive accesses: exact, or with half a turn for each wait."""
        return (self.exact_ends_ps if exact else self.mean_ends_ps)(order)

    def access_ticks(self, request: Request, exact: bool) -> int:
        """The time of an access that begins now, in whole clock periods, in which the drive counts."""
        return int((self.ends_ps([request], exact)[0] - self.time_ps) // CLOCK_PS)

    def is_hopeless(self, request: Request, exact: bool = False) -> bool:
        """Whether even an access that begins now is expected to end after its deadline."""
        return request.is_late(self.ends_ps([request], exact)[0])


class Stream(NamedTuple):
    """The settings of a stream (settings.streams); 0: none."""

    u: float = 0  # reserved part of the time, in each period
    p_ms: float = 0
    share: int = 0  # percent of the time
    k: int = 0  # requests a round, by arrival
    w: int = 0  # requests a round, in a sweep


class DriveFacts(NamedTuple):
    """The facts of the drive that a policy may use."""

    cylinders: int
    mean_access_ps: float  # of fcfs without transfers: a mean seek and half a turn; for wstf:m_per_request
    margin_ps: float = 0  # the predictor's margin, in front of every access
    streams: Mapping[int, Stream] = {}  # by number; other streams have no settings


Key = tuple[float, ...]


class Policy(Protocol):
    """A policy with its state. Choosing does not change it: `arrived` and `served` report what happened.

    A state is not changed in place, so a copy.copy() of a policy is independent.
    """

    by_access: bool  # it uses the time of accesses, not cylinders alone
    by_deadline: bool  # it uses deadlines, which the drive has with an error of some microseconds
    prices_deadlines: bool  # it uses which deadlines accesses would meet
    is_exact: bool  # it counts accesses to the tick, or prices paths of them with exact waits
    quantum_ps: float  # deadlines count in quanta of this length; 0: as they are
    rounding: float  # relative rounding of the drive's times in a key: keys that differ by less are equal
    by_time: bool  # it uses the time itself, or the ends of paths: its choice may change at any moment
    keeps_times: bool  # its state depends on the times of reports, not only on their content
    by_stream: bool  # it uses the streams of requests

    def arrived(self, request: Request, moment: Moment) -> None:
        """`request` waits. Each is reported once, the oldest first, before the next choice, which is made at `moment`.
        `moment` has all requests reported so far.
        """

    def key(self, request: Request, moment: Moment) -> Key:
        """The key of a request; the least is served next."""

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """`request` was chosen at `moment`; `others` go on waiting."""


class ByCylinder:
    """The base of a policy without state and rounding."""

    by_access, rounding = False, 0.0
    by_deadline, prices_deadlines, is_exact, quantum_ps = False, False, False, 0.0
    by_time, keeps_times, by_stream = False, False, False

    def arrived(self, request: Request, moment: Moment) -> None:
        """Does nothing."""

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """Does nothing."""


class ByAccess(ByCylinder):
    """The base of a policy without state that prices accesses."""

    by_access = True


class Chooses:
    """The base of a policy whose choice looks at all waiting requests together: only the chosen one has the least key."""

    _choice: tuple[Moment, Request] | None = None  # choice of a moment, the same for every key

    def choose(self, moment: Moment) -> Request:
        """The choice among moment.waiting, which is not empty."""
        raise NotImplementedError

    def key(self, request: Request, moment: Moment) -> Key:
        if self._choice is None or self._choice[0] is not moment:
            self._choice = moment, self.choose(moment)
        return (request != self._choice[1],)


class ByDeadline(ByCylinder):
    """The base of a policy without state that uses deadlines."""

    by_deadline = True


def lateness(request: Request) -> Key:
    """A key by which the earliest deadline is the least; best effort is due after all deadlines."""
    return (request.deadline_ps is None, request.deadline_ps or 0)


def by_deadline(requests: Iterable[Request]) -> list[Request]:
    """The requests with the earliest deadline first, best effort after all of them; of equal ones the oldest first."""
    return sorted(requests, key=lambda one: (*lateness(one), one.order))


def by_age(requests: Iterable[Request]) -> list[Request]:
    """The requests with the oldest first."""
    return sorted(requests, key=lambda one: one.order)


# Streams that can have settings (docs/schedulers.md, mode page 20h/01h).
STREAMS = 16


def streams_of(rows: Iterable[dict[str, Any]]) -> dict[int, Stream]:
    """The streams by number, from the rows of settings.streams. Raises RegressError."""
    found = {}
    for row in rows:
        values = {"u": 0, "period": "0s", "share": 0, "k": 0, "w": 0, **row}
        try:
            number = int(values.pop("number"))
            period_ms = time_ps(values.pop("period")) / PICOSECONDS["ms"]
            stream = Stream(float(values.pop("u")), period_ms, *(int(values.pop(key)) for key in ("share", "k", "w")))
            if values or not 0 <= number < STREAMS:
                raise ValueError
        except (KeyError, TypeError, ValueError):
            keys = "number, u, period, share, k and w"
            raise RegressError(f"settings.streams: {row} is not understood; give a table with the keys {keys}") from None
        found[number] = stream
    return found


class Words(dict[str, str]):
    """The parameters after a policy's name: m=3,floor=none. A flag's value is ''."""

    def number(self, key: str, initial: float) -> float:
        """The value of a parameter."""
        return float(self.get(key, initial))

    def whole(self, key: str) -> int | None:
        """The value of a parameter that counts something; None: it is not given."""
        return int(self[key]) if key in self else None


DEFINITIONS = Path(__file__).parent / "policies"


def make_policy(text: str, drive: DriveFacts) -> Policy:
    """Makes a policy from its text on the command line, such as gstf:group=210,frozen. Raises RegressError for unknown ones.
    """
    name, _, rest = text.partition(":")
    if not (DEFINITIONS / f"{name}.py").is_file():
        raise RegressError(
            f"policy '{name}' has no reference transcription; remedy: write host/regress/expect/policies/{name}.py, "
            "starting from the most similar one there"
        )
    words = Words((key, value) for key, _, value in (word.partition("=") for word in rest.split(",") if word))
    definition: Policy = importlib.import_module(f"expect.policies.{name}").make(words, drive)
    return definition
