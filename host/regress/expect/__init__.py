"""What is expected of a case's run whatever was blessed: worked out from the drive's description, the trace and the
policy's definition, and held against what the run left. kinds.py has the kinds, evaluate.py asks them.
"""
