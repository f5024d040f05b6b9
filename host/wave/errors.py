# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a wave file or its pictures, as a sentence for people: what, where, and the remedy."""


class WaveError(Exception):
    """The command cannot go on; the text names the thing and the remedy."""
