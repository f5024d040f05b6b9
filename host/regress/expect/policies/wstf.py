# SPDX-License-Identifier: Apache-2.0
"""The definition of `wstf`."""

from collections.abc import Sequence

from expect.policy import ByAccess, DriveFacts, Key, Moment, Policy, Request, Words

WSTF_UNIT_PS = 1_600_000  # 64 clocks of 25 ns: firmware/motion/candidate.h


def _units(time_ps: float) -> int:
    return int(time_ps // WSTF_UNIT_PS)


class Wstf(ByAccess):
    """The least access * (M - E) / M, E being the time since arrival; M - E is no less than `floor` * M.

    M, E and that least are whole units of 64 clocks, rounded down.
    `per_request`: M is 1.5 mean accesses for each that waited at the last choice. Their transfers count with the mean
    of those served, of which each further one counts for 1/64. `from_choice`: E counts from the first choice after
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
        self._m = _units(1.5 * self._access_ps if self._access_ps is not None else m_s * 1e12)
        self._floor = None if floor is None else round(1000 * floor)
        self._chosen_from: dict[int, float] | None = {} if from_choice else None
        self.rounding = 2 / self._m  # one unit of M for each waiting request, and one of E

    def key(self, request: Request, moment: Moment) -> Key:
        since = request.arrived_ps
        if self._chosen_from is not None:
            since = self._chosen_from.get(request.order, moment.time_ps)
        left = self._m - max(_units(moment.time_ps) - _units(since), 0)
        if self._floor is not None:
            left = max(left, self._m * self._floor // 1000)
        return (moment.access_ps(request) * left / self._m,)

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        if self._chosen_from is not None:
            for other in others:
                self._chosen_from.setdefault(other.order, moment.time_ps)
        if self._access_ps is None:
            return
        transfer = moment.access_ps(request) - moment.latency_ps(request)
        mean = transfer if self._transfer_ps is None else self._transfer_ps
        self._transfer_ps = mean + (transfer - mean) / 64
        self._m = _units(1.5 * (self._access_ps + self._transfer_ps)) * (len(others) + 1)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    floor = None if words.get("floor") == "none" else words.number("floor", 0.01)
    per_request, from_choice = "m_per_request" in words, words.get("age") == "choice"
    return Wstf(drive, words.number("m", 30.0), floor, per_request, from_choice)
