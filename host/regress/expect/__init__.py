# SPDX-License-Identifier: Apache-2.0
"""Expectations of a case's run, independent of other runs. They are computed from the drive's description, the trace and the
policy's definition, and compared with the run's output. kinds.py has the kinds, evaluate.py evaluates them.
"""
