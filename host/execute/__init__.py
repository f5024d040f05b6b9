# SPDX-License-Identifier: Apache-2.0
"""Does many pieces of work: on this machine's processors, or on the workers of a Dask cluster (README.md).

    sweep.py       the one loop: begins work, collects results in the order of what was asked for, ends on Ctrl-C
    places.py      where work is done, and the options that say so
    kit.py         the files that work needs, by content: they go along to another machine
    simulator.py   one run of a simulator: command line, environment, folder, exit status, what it said
    runs.py        a run as plain data, so that it can be made elsewhere, or not again
    store.py       results by the content of what they come from
"""

import sys
from pathlib import Path

# Its modules write files as all commands do.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))
