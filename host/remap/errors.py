# SPDX-License-Identifier: Apache-2.0
"""Errors of the commands of `headstack remap`, as sentences for the user."""


class RemapError(Exception):
    """Its text names the file or option, the problem and the remedy."""
