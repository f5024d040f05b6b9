# SPDX-License-Identifier: Apache-2.0
"""Why `stfd` has no definition in Python (policy_cases.py)."""

WHY_NONE = """It plans paths of three accesses, priced exactly from one end to the next. A run tells when the heads
are free, and when a choice was made, to a tenth of a millisecond: enough for one access, not for what follows it."""
HELD_BY = ("tests/firmware/policies/stfd.cpp", "tests/fidelity/test_deadline_policies.cpp")
