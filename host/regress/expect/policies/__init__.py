# SPDX-License-Identifier: Apache-2.0
"""A policy's definition each, found by its name: `make(words, drive)` of NAME.py (expect/policy.py)."""
