"""The definition of `cello`."""

from collections.abc import Sequence

from errors import RegressError
from expect.policies.scan import Scan
from expect.policy import Chooses, DriveFacts, Moment, Policy, Request, Words, by_deadline, mean_price


class Cello(Chooses, Scan):
    """The class goes next that has used less of its share of the arm's time, real time if both have the same.

    What was served counts as long as it was expected to take. A class of which nobody waits is raised to the other's.
    Real time goes by deadline; best effort is scanned. Where real time is next, best effort goes before it if all deadlines
    would be met behind that, in their order.
    """

    by_deadline, prices_deadlines, by_time = True, True, True

    def __init__(self, share: float = 0.5) -> None:
        super().__init__()
        self._share = {True: share, False: 1 - share}
        self._used = {True: 0.0, False: 0.0}

    def choose(self, moment: Moment) -> Request:
        dated = by_deadline(one for one in moment.waiting if one.is_real_time)
        rest = self.sweep((one for one in moment.waiting if not one.is_real_time), moment.cylinder)
        if not dated or not rest:
            return (dated or rest)[0]
        order = [rest[0], *dated]
        is_harmless = not any(one.is_late(end) for one, end in zip(order, moment.mean_ends_ps(order), strict=True))
        return rest[0] if self._used[False] < self._used[True] or is_harmless else dated[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        own, used = request.is_real_time, dict(self._used)
        if all(one.is_real_time == own for one in others):
            used[not own] = max(used.values())
        used[own] += (moment.mean_ends_ps([request])[0] - moment.time_ps) / self._share[own]
        self._used = used
        if not own:
            super().served(request, others, moment)


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    mean_price("cello", words)
    if words.get("by") == "stream":
        raise RegressError(
            "'cello:by=stream' has no reference transcription: the shares of streams are not the policy's words; expect no 'order'"
        )
    return Cello(words.number("share", 0.5))
