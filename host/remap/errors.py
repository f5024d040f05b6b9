# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a command of `headstack remap`, as a sentence for people."""


class RemapError(Exception):
    """The text names the file or option, what is wrong, and the remedy."""
