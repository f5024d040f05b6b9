# SPDX-License-Identifier: Apache-2.0
"""Errors of a comparison, as sentences: what is wrong, where, and the remedy."""


class FidelityError(Exception):
    """The comparison cannot go on; the text names the thing and the remedy."""
