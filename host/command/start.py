# SPDX-License-Identifier: Apache-2.0
"""Starts a program in Python, which Ctrl-C ends without a word until its main() takes interrupts (interrupts.py).

    start.py SCRIPT [WORD...]

Who becomes this holds SIGINT back meanwhile (bootstrap.py), so that not even the interpreter's start is interrupted.
"""

import os
import sys

from bootstrap import end_on_interrupt

end_on_interrupt()
del sys.argv[0]
# As if the script had been started itself: it finds its neighbours, and is __main__.
__file__ = sys.argv[0]
__doc__ = None
sys.path[0] = os.path.dirname(os.path.realpath(__file__))
with open(__file__, "rb") as _source:
    _code = compile(_source.read(), __file__, "exec", dont_inherit=True)
exec(_code, globals())
