# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a comparison, as a sentence for people: what, where, and the remedy."""


class FidelityError(Exception):
    """The comparison cannot go on; the text names the thing and the remedy."""
