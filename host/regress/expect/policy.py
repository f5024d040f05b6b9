"""The policies once more, from their definitions: which request a drive that is free serves next.

Each policy is a key: of all that wait the one with the least key goes next, and of equal keys the oldest. Here is what all
have in common; each is a module of its own, policies/NAME.py. Sources: papers/000 (Seltzer, Chen, Ousterhout: Disk
Scheduling Revisited), 001 (Geist, Reynolds, Pittard and Daniel: V(R)), 002 and 003 (deadlines), and their readings in
firmware/README.md. No choice of the firmware is asked; its code is not used.
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from errors import RegressError


class Request(NamedTuple):
    """One that waits. `order` is that of arrival."""

    number: int
    order: int
    cylinder: int
    arrived_ps: int
    is_write: bool
    deadline_ps: int | None = None  # absolute; None: best effort


def _not_priced(request: Request) -> float:
    raise AssertionError("this moment prices no mean accesses")


@dataclass(frozen=True)
class Moment:
    """When and from where a choice is made."""

    time_ps: float
    cylinder: int  # under the heads
    access_ps: Callable[[Request], float]  # from then until its transfer has ended
    latency_ps: Callable[[Request], float]  # from then until its transfer begins
    waiting: Sequence[Request] = ()  # all of whom one is chosen
    mean_access_ps: Callable[[Request], float] = _not_priced  # as access_ps, but half a turn for each wait


class DriveFacts(NamedTuple):
    """What a policy may know of the drive."""

    cylinders: int
    mean_access_ps: float  # of fcfs without transfers: a mean seek and half a turn; for wstf:m_per_request


Key = tuple[float, ...]


class Policy(Protocol):
    """A policy with its state. Choosing changes none: `served` tells what came of it."""

    by_access: bool  # it looks at the time of accesses, not at cylinders alone
    by_deadline: bool  # it looks at deadlines, which the drive knows to some microseconds only
    prices_deadlines: bool  # it asks which of them accesses would meet
    quantum_ps: float  # deadlines count in quanta of so long; 0: as they are
    rounding: float  # what the drive counts times in, as a share of a key: nearer keys are equal

    def key(self, request: Request, moment: Moment) -> Key:
        """The least is served next."""

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """`request` was chosen at `moment`; `others` go on waiting."""


class ByCylinder:
    """Nothing to remember, and nothing that is rounded."""

    by_access, rounding = False, 0.0
    by_deadline, prices_deadlines, quantum_ps = False, False, 0.0

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        """Whatever it was."""


class ByAccess(ByCylinder):
    """The same of one that prices accesses."""

    by_access = True


class ByDeadline(ByCylinder):
    """The same of one that knows deadlines."""

    by_deadline = True


def lateness(request: Request) -> Key:
    """The earliest deadline is the least; best effort is due behind all that have one."""
    return (request.deadline_ps is None, request.deadline_ps or 0)


class Words(dict[str, str]):
    """What a selection gives behind the policy's name: m=3,floor=none. A flag's value is ''."""

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
