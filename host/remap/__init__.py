# SPDX-License-Identifier: Apache-2.0
"""Learning and analysis of what a drive serves, for maps of its cylinders: `headstack remap` (README.md).

    requests.py     what a trace asks for, or a run has served
    counts.py       visits, successive pairs and gaps; their file
    markov.py       estimators, energies, tests of the order
    arrangement.py  which slot each unit is in; its file
    chain.py        the natural workload, as a Markov chain on virtual cylinders
    walk.py         requests of walkers on a chain, as a trace
    media.py        media in a file: where their blocks lie, and moving them back
"""

import sys
from pathlib import Path

HOST = Path(__file__).resolve().parents[1]
# Its modules write files as all commands do, and read what runs leave.
sys.path[:0] = [str(HOST), str(HOST / "output"), str(HOST / "report")]
