# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a suite or a case, as a sentence for people: what, where, and the remedy."""


class RegressError(Exception):
    """The command cannot go on; the text names the thing and the remedy."""
