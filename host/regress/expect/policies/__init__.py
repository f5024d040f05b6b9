# SPDX-License-Identifier: Apache-2.0
"""The definitions of the policies, one module for each, found by its name: `make(words, drive)` of NAME.py (expect/policy.py).
"""
