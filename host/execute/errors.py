# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with work, as a sentence for people: what, where, and the remedy."""


class ExecuteError(Exception):
    """The work cannot be done; the text names the thing and the remedy."""


class Stopped(Exception):
    """The work was ended from outside."""
