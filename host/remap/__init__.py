# SPDX-License-Identifier: Apache-2.0
"""Learning and analysis of the accesses that a drive serves, for maps of its cylinders: `headstack remap` (README.md).

    requests.py     requests of a trace or of a run
    counts.py       visits, successive pairs and gaps; their file
    markov.py       estimators, energies, tests of the order
    arrangement.py  the slot of each unit; its file
    chain.py        the natural workload, as a Markov chain on virtual cylinders
    walk.py         requests of walkers on a chain, as a trace
    media.py        media in a file: where their blocks lie, and moving them back
"""

import sys
from pathlib import Path

HOST = Path(__file__).resolve().parents[1]
# The modules write files as all commands do, and read the files of runs.
sys.path[:0] = [str(HOST), str(HOST / "output"), str(HOST / "report")]
