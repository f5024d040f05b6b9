# SPDX-License-Identifier: Apache-2.0
"""Why `walk` has no definition in Python (policy_cases.py)."""

WHY_NONE = """It walks paths through the earliest deadlines, priced exactly from one end to the next. A run tells when the heads
are free, and when a choice was made, to a tenth of a millisecond: enough for one access, not for what follows it."""
HELD_BY = ("tests/firmware/policies/walk.cpp",)
