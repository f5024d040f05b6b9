# SPDX-License-Identifier: Apache-2.0
class MutationError(Exception):
    """A mistake of the user's, or of a file that the user wrote: what is wrong, and the remedy."""
