# SPDX-License-Identifier: Apache-2.0
class MutationError(Exception):
    """A mistake of the user, or in a file that the user wrote. The text has the problem and the remedy."""
