"""A policy's definition each, found by its name: `make(words, drive)` of NAME.py (expect/policy.py)."""
