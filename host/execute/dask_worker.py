# SPDX-License-Identifier: Apache-2.0
"""What runs in the workers of a Dask cluster: it unpacks a kit, and starts a process for each piece of work.

This code travels by value: a worker needs Dask, what the simulator is linked with, and Python's packages, and no
checkout. Python, its packages and the libraries are the worker's; everything else comes from the kit.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin, get_worker

from .kit import PROGRAM, unpack
from .simulator import Processes, said

REMEDY = "install the same as here on that machine: ./headstack setup in a checkout of any version"


class KitOnWorker(WorkerPlugin):
    """A kit on each worker, those that come later included, for as long as a sweep lasts."""

    def __init__(self, name: str, packed: bytes) -> None:
        self.name, self._packed = name, packed
        self._python = platform.python_version_tuple()[:2]

    def setup(self, worker: Any) -> None:
        """Unpacks the kit. Raises RuntimeError, which the sweep's command receives, if work cannot be done here."""
        here = f"worker {worker.address} on {platform.node()}"
        if platform.python_version_tuple()[:2] != self._python:
            raise RuntimeError(f"{here}: Python {platform.python_version()}, not {'.'.join(self._python)}; {REMEDY}")
        self._folder = Path(worker.local_directory) / self.name
        self._scratch = self._folder / "scratch"
        self._processes = Processes()
        try:
            unpack(self._packed, self._folder)
            self._scratch.mkdir()
            ask = [str(self._folder / PROGRAM), "--help"]
            answer = subprocess.run(ask, capture_output=True, text=True, check=False)
        except Exception as error:
            raise RuntimeError(f"{here}: {error}") from None
        self._packed = b""
        if answer.returncode != 0:
            raise RuntimeError(
                f"{here}: headstack-run does not run there: {said(answer.returncode, answer.stderr)}; {REMEDY}"
            )

    def teardown(self, worker: Any) -> None:
        """Ends running work."""
        self._processes.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def carry_out(self, work: str, spec: Any) -> Any:
        """Does the work in a process of its own. Raises RuntimeError with the reason of a failure."""
        line = [sys.executable, "-B", str(self._folder / "host/execute/child.py"), str(self._scratch), work]
        status, answer, message = self._processes.call(
            line, dict(os.environ), feed=json.dumps(spec), keep_output=True
        )
        if status != 0:
            raise RuntimeError(f"{platform.node()}: {said(status, message) or f'status {status}'}")
        outcome = json.loads(answer)
        if "failure" in outcome:
            raise RuntimeError(outcome["failure"])
        return outcome["result"]


def carrier(name: str) -> Callable[[str, Any], Any]:
    """A function that does work by the kit of that name, wherever it is called. It travels by value."""

    def carry_out(work: str, spec: Any) -> Any:
        worker = get_worker()
        if name not in worker.plugins:
            raise RuntimeError(f"worker {worker.address} has not taken the files; its log says why")
        return worker.plugins[name].carry_out(work, spec)

    return carry_out
