# SPDX-License-Identifier: Apache-2.0
"""The definitions of the policies: which request a drive that is free serves next.

Each policy is a key: of all that wait the one with the least key goes next, and of equal keys the oldest. Here is what all
have in common; each is a module of its own, policies/NAME.py. Sources: the papers that docs/policies.md names for each
policy, and their readings in docs/schedulers.md. No choice of the firmware is asked; its code is not used.
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
    """One that waits. `order` is that of arrival."""

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
        """Its class."""
        return self.deadline_ps is not None

    def is_late(self, end_ps: float) -> bool:
        """One that ends then."""
        return self.deadline_ps is not None and end_ps > self.deadline_ps


def _not_priced(request: Request) -> float:
    raise AssertionError("this moment prices no mean accesses")


def _no_path(order: Sequence[Request]) -> list[float]:
    raise AssertionError("this moment prices no paths")


def _no_move(before: Request | None, request: Request) -> float:
    raise AssertionError("this moment prices no movements")


@dataclass(frozen=True)
class Moment:
    """When and from where a choice is made."""

    time_ps: float
    cylinder: int  # under the heads
    access_ps: Callable[[Request], float]  # from then until its transfer has ended
    latency_ps: Callable[[Request], float]  # from then until its transfer begins
    waiting: Sequence[Request] = ()  # all of whom one is chosen
    mean_access_ps: Callable[[Request], float] = _not_priced  # as access_ps, but half a turn for each wait
    # Accesses that follow each other, half a turn for each wait: when each ends, on the clock of time_ps.
    mean_ends_ps: Callable[[Sequence[Request]], list[float]] = _no_path
    seek_ps: Callable[[Request], float] = _not_priced  # of the arm alone, to its first cylinder
    # From where the first one's access leaves the heads (None: from where they are) to the second's first track.
    move_ps: Callable[[Request | None, Request], float] = _no_move
    # What a mean access takes but for movements: margin, half a turn, and its transfer.
    fixed_ps: Callable[[Request], float] = _not_priced
    exact_ends_ps: Callable[[Sequence[Request]], list[float]] = _no_path  # as mean_ends_ps, with the waits that will be

    def ends_ps(self, order: Sequence[Request], exact: bool) -> list[float]:
        """When accesses that follow each other end: exactly, or with half a turn for each wait."""
        return (self.exact_ends_ps if exact else self.mean_ends_ps)(order)

    def access_ticks(self, request: Request, exact: bool) -> int:
        """What an access at once takes, in whole clock periods: the drive counts in these."""
        return int((self.ends_ps([request], exact)[0] - self.time_ps) // CLOCK_PS)

    def is_hopeless(self, request: Request, exact: bool = False) -> bool:
        """Even an access at once would be expected to end after its deadline."""
        return request.is_late(self.ends_ps([request], exact)[0])


class Stream(NamedTuple):
    """What a host has settled for a stream (settings.streams); 0: nothing."""

    u: float = 0  # reserved part of the time, in each period
    p_ms: float = 0
    share: int = 0  # percent of the time
    k: int = 0  # requests a round, by arrival
    w: int = 0  # the same, in a sweep


class DriveFacts(NamedTuple):
    """What a policy may know of the drive."""

    cylinders: int
    mean_access_ps: float  # of fcfs without transfers: a mean seek and half a turn; for wstf:m_per_request
    margin_ps: float = 0  # of the predictor, in front of every access
    streams: Mapping[int, Stream] = {}  # by number; others have nothing settled


Key = tuple[float, ...]


class Policy(Protocol):
    """A policy with its state. Choosing changes none: `arrived` and `served` tell what came of it.

    A state is not changed in place: copy.copy() of a policy goes its own way.
    """

    by_access: bool  # it looks at the time of accesses, not at cylinders alone
    by_deadline: bool  # it looks at deadlines, which the drive knows to some microseconds only
    prices_deadlines: bool  # it asks which of them accesses would meet
    is_exact: bool  # it counts what accesses take to the tick, or prices paths of them with the waits that will be
    quantum_ps: float  # deadlines count in quanta of so long; 0: as they are
    rounding: float  # what the drive counts times in, as a share of a key: nearer keys are equal
    by_time: bool  # it looks at the time itself, or at when paths end: its choice may turn at any moment
    keeps_times: bool  # its state depends on when something was heard, not only on what
    by_stream: bool  # it asks whose a request is

    def arrived(self, request: Request, moment: Moment) -> None:
        """`request` waits. Each is told once, the oldest first, before the next choice, which is made at `moment`;
        `moment` has those that were told.
        """

    def key(self, request: Request, moment: Moment) -> Key:
        """The least is served next."""

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """`request` was chosen at `moment`; `others` go on waiting."""


class ByCylinder:
    """Nothing to remember, and nothing that is rounded."""

    by_access, rounding = False, 0.0
    by_deadline, prices_deadlines, is_exact, quantum_ps = False, False, False, 0.0
    by_time, keeps_times, by_stream = False, False, False

    def arrived(self, request: Request, moment: Moment) -> None:
        """Whatever it is."""

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """Whatever it was."""


class ByAccess(ByCylinder):
    """The same of one that prices accesses."""

    by_access = True


class Chooses:
    """One whose choice looks at all that wait together: the chosen one alone has the least key."""

    _choice: tuple[Moment, Request] | None = None  # of a moment: the same for every key

    def choose(self, moment: Moment) -> Request:
        """Of moment.waiting, which are not none."""
        raise NotImplementedError

    def key(self, request: Request, moment: Moment) -> Key:
        if self._choice is None or self._choice[0] is not moment:
            self._choice = moment, self.choose(moment)
        return (request != self._choice[1],)


class ByDeadline(ByCylinder):
    """The same of one that knows deadlines."""

    by_deadline = True


def lateness(request: Request) -> Key:
    """The earliest deadline is the least; best effort is due after all that have one."""
    return (request.deadline_ps is None, request.deadline_ps or 0)


def by_deadline(requests: Iterable[Request]) -> list[Request]:
    """The earliest deadline first, best effort after all of them; of equal ones the oldest first."""
    return sorted(requests, key=lambda one: (*lateness(one), one.order))


def by_age(requests: Iterable[Request]) -> list[Request]:
    """The oldest first."""
    return sorted(requests, key=lambda one: one.order)


# Streams of which something can be settled (docs/schedulers.md, mode page 20h/01h).
STREAMS = 16


def streams_of(rows: Iterable[dict[str, Any]]) -> dict[int, Stream]:
    """By number, of the rows of settings.streams. Raises RegressError."""
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
    """What a selection gives after the policy's name: m=3,floor=none. A flag's value is ''."""

    def number(self, key: str, initial: float) -> float:
        """The value of a parameter."""
        return float(self.get(key, initial))

    def whole(self, key: str) -> int | None:
        """That of one that counts something; None: it is not given."""
        return int(self[key]) if key in self else None


DEFINITIONS = Path(__file__).parent / "policies"


def make_policy(text: str, drive: DriveFacts) -> Policy:
    """As the command line writes it: gstf:group=210,frozen. Raises RegressError for what is not defined here."""
    name, _, rest = text.partition(":")
    if not (DEFINITIONS / f"{name}.py").is_file():
        raise RegressError(
            f"policy '{name}' has no reference transcription; remedy: write host/regress/expect/policies/{name}.py, "
            "starting from the most similar one there"
        )
    words = Words((key, value) for key, _, value in (word.partition("=") for word in rest.split(",") if word))
    definition: Policy = importlib.import_module(f"expect.policies.{name}").make(words, drive)
    return definition
