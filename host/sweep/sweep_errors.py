# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a sweep, as a sentence that names the word or the key, and the remedy."""

WRONG_COMMAND_LINE = 2


class SweepError(Exception):
    """The sweep cannot be made."""

    status = 1


class WordError(SweepError):
    """A word of the command line cannot be taken."""

    status = WRONG_COMMAND_LINE


class Refused(SweepError):
    """The simulator does not take a scenario; the text is its own sentence."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status if status == WRONG_COMMAND_LINE else SweepError.status
