# SPDX-License-Identifier: Apache-2.0
"""Starts a program in Python so that Ctrl-C ends it without a traceback at any time: before its own main(), too.

    start.py SCRIPT [WORD...]

Who becomes this holds SIGINT back meanwhile (bootstrap.py), so that not even the interpreter's start is interrupted.
"""

INTERRUPTED = 130

try:
    import os
    import signal
    import sys

    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    del sys.argv[0]
    # As if the script had been started itself: it finds its neighbours, and is __main__.
    __file__ = sys.argv[0]
    __doc__ = None
    sys.path[0] = os.path.dirname(os.path.realpath(__file__))
    with open(__file__, "rb") as _source:
        _code = compile(_source.read(), __file__, "exec", dont_inherit=True)
    exec(_code, globals())
except KeyboardInterrupt:
    # What the script has said so far is a part of it, and nobody waits for the rest.
    raise SystemExit(INTERRUPTED) from None
