# SPDX-License-Identifier: Apache-2.0
"""How many blocks the drives of power cuts have."""

PAPER_CAPACITY = 348_960  # of zoned_179mb and paper_179mb
SMALL_CAPACITY = 1440  # of tests/power/small.toml
