# SPDX-License-Identifier: Apache-2.0
"""Errors of work, as sentences: what is wrong, where, and the remedy."""


class ExecuteError(Exception):
    """The work cannot be done; the text names the thing and the remedy."""


class Stopped(Exception):
    """The work was ended from outside."""
