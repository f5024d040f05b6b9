# SPDX-License-Identifier: Apache-2.0
"""Errors of a suite or a case, as sentences: what is wrong, where, and the remedy."""


class RegressError(Exception):
    """The command cannot go on; the text names the thing and the remedy."""
