# SPDX-License-Identifier: Apache-2.0
"""The definition of `scanedf`."""

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words, lateness


class Scanedf(Scan):
    """The earliest deadline; among those in the same quantum, and among all best effort, the next of a scan.

    Quanta count from power-on.
    """

    by_deadline = True

    def __init__(self, quantum_ms: float = 0) -> None:
        super().__init__()
        self.quantum_ps = quantum_ms * 1e9

    def key(self, request: Request, moment: Moment) -> Key:
        is_late, due = lateness(request)
        return (is_late, due // self.quantum_ps if self.quantum_ps else due, *self.sweep_key(request, moment.cylinder))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Scanedf(words.number("quantum", 0))
