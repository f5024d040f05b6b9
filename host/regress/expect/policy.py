"""The policies of the papers once more, from their definitions: which request a drive that is free serves next.

Each policy is a key: of all that wait the one with the least key goes next, and of equal keys the oldest. Sources:
papers/000 (Seltzer, Chen, Ousterhout: Disk Scheduling Revisited), 001 (Geist, Reynolds, Pittard and Daniel: V(R)),
002 and their readings in firmware/README.md. No choice of the firmware is asked; its code is not used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from errors import RegressError


class Request(NamedTuple):
    """One that waits. `order` is that of arrival."""

    number: int
    order: int
    cylinder: int
    arrived_ps: int
    is_write: bool


@dataclass(frozen=True)
class Moment:
    """When and from where a choice is made."""

    time_ps: float
    cylinder: int  # under the heads
    access_ps: Callable[[Request], float]  # from then until its transfer has ended
    latency_ps: Callable[[Request], float]  # from then until its transfer begins


class DriveFacts(NamedTuple):
    """What a policy may know of the drive."""

    cylinders: int
    mean_access_ps: float  # of fcfs without transfers: a mean seek and half a turn; for wstf:m_per_request


Key = tuple[float, ...]
WSTF_UNIT_PS = 1_600_000  # 64 clocks of 25 ns: firmware/motion/candidate.h


class Policy(Protocol):
    """A policy with its state. Choosing changes none: `served` tells what came of it."""

    by_access: bool  # it looks at the time of accesses, not at cylinders alone
    rounding: float  # what the drive counts times in, as a share of a key: nearer keys are equal

    def key(self, request: Request, moment: Moment) -> Key:
        """The least is served next."""

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """`request` was chosen at `moment`; `others` go on waiting."""


class _ByCylinder:
    """Nothing to remember, and nothing that is rounded."""

    by_access, rounding = False, 0.0

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """Whatever it was."""


class _ByAccess(_ByCylinder):
    """The same of one that prices accesses."""

    by_access = True


class Fcfs(_ByCylinder):
    """The oldest."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.order,)


class Sstf(_ByCylinder):
    """The nearest cylinder."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (abs(request.cylinder - moment.cylinder),)


class Scan(_ByCylinder):
    """The nearest ahead; with none left there, turn. The heads' own cylinder is ahead; directions begin upward.

    Whether the arm goes on to the edge before it turns (`scan:edge`) changes its way, and no choice.
    """

    def __init__(self) -> None:
        self._up = True

    def is_behind(self, request: Request, at: int) -> bool:
        """Seen from a cylinder."""
        return request.cylinder < at if self._up else request.cylinder > at

    def sweep_key(self, request: Request, at: int) -> Key:
        """From a cylinder on."""
        return (self.is_behind(request, at), abs(request.cylinder - at))

    def turn_for(self, request: Request, at: int) -> None:
        """The arm turns for what is behind."""
        self._up ^= self.is_behind(request, at)

    def key(self, request: Request, moment: Moment) -> Key:
        return self.sweep_key(request, moment.cylinder)

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        self.turn_for(request, moment.cylinder)


class Cscan(_ByCylinder):
    """The nearest at or above the heads; with none there, the lowest of all, by way of the edge or not."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.cylinder < moment.cylinder, request.cylinder)


class Fscan(Scan):
    """Scan over those that waited when the set's first was served; the others wait for the next set."""

    def __init__(self) -> None:
        super().__init__()
        self._youngest = -1

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.order > self._youngest, *self.sweep_key(request, moment.cylinder))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        if request.order > self._youngest:
            self._youngest = max((one.order for one in (request, *others)))


class Vr(Scan):
    """The least distance, with R times the whole stroke added behind the heads."""

    def __init__(self, drive: DriveFacts, r: float = 0.2) -> None:
        super().__init__()
        # In thousandths, as R is given: whole numbers do not round.
        self._charge = round(1000 * r) * (drive.cylinders - 1)

    def key(self, request: Request, moment: Moment) -> Key:
        at = moment.cylinder
        return (1000 * abs(request.cylinder - at) + (self._charge if self.is_behind(request, at) else 0),)


class Wscan(Scan):
    """Scan, but what lies in a window just behind goes first and moves neither window nor sweep."""

    def __init__(self, drive: DriveFacts, window: int | None = None) -> None:
        super().__init__()
        self._window = max(1, drive.cylinders // 64) if window is None else window
        self._held: int | None = None

    def _sweep(self, moment: Moment) -> int:
        return moment.cylinder if self._held is None else self._held

    def _in_window(self, request: Request, sweep: int) -> bool:
        return self.is_behind(request, sweep) and abs(request.cylinder - sweep) <= self._window

    def key(self, request: Request, moment: Moment) -> Key:
        sweep = self._sweep(moment)
        if self._in_window(request, sweep):
            return (0, 0, abs(request.cylinder - moment.cylinder))
        return (1, *self.sweep_key(request, sweep))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        sweep = self._sweep(moment)
        self._held = sweep if self._in_window(request, sweep) else None
        if self._held is None:
            self.turn_for(request, sweep)


class Eschenbach(_ByAccess):
    """Groups of `order` cylinders as C-SCAN; in a group the sectors as they come by, the heads' own group first."""

    def __init__(self, order: int = 1) -> None:
        self._order = order

    def key(self, request: Request, moment: Moment) -> Key:
        group, own = request.cylinder // self._order, moment.cylinder // self._order
        return (group < own, group, moment.latency_ps(request))


class Stf(_ByAccess):
    """The shortest access."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (moment.access_ps(request),)


class Gstf(_ByAccess):
    """The shortest access in one group of cylinders after the other, cyclically, or with `bounce` to and fro.

    `frozen`: of a group those take part that waited when its first was served; the others wait until every other group
    that has requests was served.
    """

    def __init__(self, drive: DriveFacts, group: int | None = None, bounce: bool = False, frozen: bool = False) -> None:
        self._size = max(1, drive.cylinders // 4) if group is None else group
        self._bounce, self._frozen = bounce, frozen
        self._up = True
        self._current: int | None = None
        self._youngest = -1

    def _turn(self, request: Request, moment: Moment) -> Key:
        current = moment.cylinder // self._size if self._current is None else self._current
        group = request.cylinder // self._size
        if group == current:
            takes_part = not self._frozen or self._current is None or request.order <= self._youngest
            return (0, 0) if takes_part else (3, 0)
        if not self._bounce:
            return (1 if group > current else 2, group)
        return (1 if (group > current) == self._up else 2, abs(group - current))

    def key(self, request: Request, moment: Moment) -> Key:
        return (*self._turn(request, moment), moment.access_ps(request))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        before = moment.cylinder // self._size if self._current is None else self._current
        entered = self._current is None or self._turn(request, moment) != (0, 0)
        group = request.cylinder // self._size
        if group != before:
            self._up = group > before
        self._current = group
        if entered:
            self._youngest = max((one.order for one in (request, *others)))


class Wstf(_ByAccess):
    """The least access * (M - E) / M, E being the time since arrival; the weight is no less than `floor`.

    `per_request`: M is 1.5 mean accesses for each that waited at the last choice. Their transfers count with the mean
    of those served, of which each further one counts for 1/64. `from_choice`: E counts from the first choice behind
    the arrival.
    """

    def __init__(
        self,
        drive: DriveFacts,
        m_s: float = 30.0,
        floor: float | None = 0.01,
        per_request: bool = False,
        from_choice: bool = False,
    ):
        self._access_ps = drive.mean_access_ps if per_request else None
        self._transfer_ps: float | None = None
        self._m_ps = 1.5 * self._access_ps if self._access_ps is not None else m_s * 1e12
        self._floor = floor
        self._chosen_from: dict[int, float] | None = {} if from_choice else None
        self.rounding = 2 * WSTF_UNIT_PS / self._m_ps  # one of M, for each that waits, and one of E

    def key(self, request: Request, moment: Moment) -> Key:
        since = request.arrived_ps
        if self._chosen_from is not None:
            since = self._chosen_from.get(request.order, moment.time_ps)
        weight = (self._m_ps - max(moment.time_ps - since, 0)) / self._m_ps
        if self._floor is not None:
            weight = max(weight, self._floor)
        return (moment.access_ps(request) * weight,)

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        if self._chosen_from is not None:
            for other in others:
                self._chosen_from.setdefault(other.order, moment.time_ps)
        if self._access_ps is None:
            return
        transfer = moment.access_ps(request) - moment.latency_ps(request)
        mean = transfer if self._transfer_ps is None else self._transfer_ps
        self._transfer_ps = mean + (transfer - mean) / 64
        self._m_ps = 1.5 * (self._access_ps + self._transfer_ps) * (len(others) + 1)


def _words(text: str) -> tuple[str, dict[str, str]]:
    name, _, rest = text.partition(":")
    options = (word.partition("=") for word in rest.split(",") if word)
    return name, {key: value for key, _, value in options}


def make_policy(text: str, drive: DriveFacts) -> Policy:
    """As the command line writes it: gstf:group=210,frozen. Raises RegressError for what is not defined here."""
    name, given = _words(text)
    number = {key: float(value) for key, value in given.items() if value not in ("", "none", "choice")}
    whole = {key: int(value) for key, value in number.items()}
    makers: dict[str, Callable[[], Policy]] = {
        "fcfs": Fcfs,
        "sstf": Sstf,
        "scan": Scan,
        "cscan": Cscan,
        "fscan": Fscan,
        "vr": lambda: Vr(drive, number.get("r", 0.2)),
        "wscan": lambda: Wscan(drive, whole.get("window")),
        "eschenbach": lambda: Eschenbach(whole.get("order", 1)),
        "stf": Stf,
        "gstf": lambda: Gstf(drive, whole.get("group"), "bounce" in given, "frozen" in given),
        "wstf": lambda: Wstf(
            drive, number.get("m", 30.0), None if given.get("floor") == "none" else number.get("floor", 0.01),
            "m_per_request" in given, given.get("age") == "choice",
        ),
    }  # fmt: skip
    if name not in makers:
        raise RegressError(f"policy '{name}' has no reference transcription; there are {', '.join(makers)}")
    return makers[name]()
