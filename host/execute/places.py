# SPDX-License-Identifier: Apache-2.0
"""Where work is done: on this machine's processors, or by the workers of a Dask cluster; and the options that say so."""

import argparse
import importlib
import inspect
import logging
import os
import signal
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interrupts import interrupt

from . import kit
from .errors import ExecuteError
from .store import Spec
from .workplace import Workplace

HOST = Path(__file__).resolve().parents[1]
LOCAL, DASK = "local", "dask:"
LOCK = "host/python/requirements-dask.lock"
CONNECT_S = 20
WAITING_HERE = 4  # pieces of work handed over for each processor: the next one begins at once, and long sweeps stay cheap
Work = Callable[[Spec, Workplace], Any]  # a function of a module, so that it has a name elsewhere


@dataclass(frozen=True)
class Place:
    """A place of work, valid as long as open_place() holds it open."""

    executor: Executor  # runs a Work with a spec
    stop: Callable[[], None]  # ends running work
    jobs: int  # pieces of work at a time
    window: int | None  # pieces of work to be handed over at a time; None: all
    elsewhere: bool


class _Here(ThreadPoolExecutor):
    """Threads are enough: what takes time are processes of their own."""

    def __init__(self, jobs: int, workplace: Workplace) -> None:
        super().__init__(jobs)
        self._workplace = workplace

    def submit(self, work: Work, spec: Spec) -> Future[Any]:  # type: ignore[override]
        return super().submit(work, spec, self._workplace)


class _OnCluster(Executor):
    """Dask's own executor, which is given the name of the work in the kit."""

    def __init__(self, executor: Executor, carry_out: Callable[[str, Spec], Any]) -> None:
        self._executor, self._carry_out = executor, carry_out

    def submit(self, work: Work, spec: Spec) -> Future[Any]:  # type: ignore[override]
        file = Path(inspect.getfile(work)).resolve().relative_to(HOST)
        return self._executor.submit(self._carry_out, f"{file}:{work.__name__}", spec)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """What still runs there is ended by the place, not waited for."""
        self._executor.shutdown(wait=False)


def count(text: str) -> int:
    """Takes a number of 1 or more from a command line."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not 1 or more")
    return number


def executor_name(text: str) -> str:
    """Takes `local` or `dask:ADDRESS` from a command line."""
    if text != LOCAL and not (text.startswith(DASK) and len(text) > len(DASK)):
        raise argparse.ArgumentTypeError(
            f"'{text}' is neither '{LOCAL}' nor '{DASK}ADDRESS' of a scheduler, such as {DASK}tcp://192.0.2.1:8786"
        )
    return text


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """--jobs alone, where work is of this machine."""
    parser.add_argument(
        "--jobs", type=count, metavar="N", help="number of parallel runs (default: all processors, of this machine or the cluster)"
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """--jobs and --executor."""
    add_jobs(parser)
    parser.add_argument(
        "--executor", type=executor_name, default=LOCAL, metavar=f"{LOCAL}|{DASK}ADDRESS",
        help=f"where the runs execute: on this machine, or on the workers of a Dask scheduler, such as "
        f"{DASK}tcp://192.0.2.1:8786 (%(default)s)",
    )  # fmt: skip


def jobs_here(jobs: int | None) -> int:
    """The given number of jobs, or that of all processors."""
    return jobs or os.cpu_count() or 1


def end_as_on_ctrl_c() -> None:
    """Treats SIGTERM, with which CI ends jobs, like Ctrl-C: no simulator stays behind, and finished work is kept."""
    signal.signal(signal.SIGTERM, interrupt)


@contextmanager
def open_place(executor: str, jobs: int | None, workplace: Workplace) -> Iterator[Place]:
    """Opens the place that the options name; `workplace` is this machine's. Raises ExecuteError."""
    if executor == LOCAL:
        with _Here(jobs_here(jobs), workplace) as here:
            its_jobs = jobs_here(jobs)
            yield Place(here, workplace.simulator.stop, its_jobs, WAITING_HERE * its_jobs, elsewhere=False)
        return
    with _open_cluster(executor.removeprefix(DASK), jobs, workplace) as place:
        yield place


@contextmanager
def _open_cluster(address: str, jobs: int | None, workplace: Workplace) -> Iterator[Place]:
    try:
        import cloudpickle
        from distributed import Client

        from . import dask_worker
    except ImportError as missing:
        raise ExecuteError(
            f"--executor {DASK}{address}: Dask is not installed ({missing}), since nothing else needs it; "
            f"run build/venv/bin/python -m pip install --require-hashes -r {LOCK}"
        ) from None
    # Messages about lost workers and repeated work are not shown.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for name in (__package__, dask_worker.__name__):
        cloudpickle.register_pickle_by_value(importlib.import_module(name))
    packed = kit.pack(kit.files_of(workplace.simulator, workplace.files))
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ExecuteError(
            f"--executor {DASK}{address}: no scheduler answers there ({error}); start one with 'dask scheduler'"
        ) from None
    # The name is unique to this sweep, so that removing it ends only this sweep's runs.
    name = f"headstack-{uuid.uuid4().hex[:16]}"
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_S)
            client.get_versions(check=True)
            client.register_plugin(dask_worker.KitOnWorker(name, packed))
        except TimeoutError:
            raise ExecuteError(
                f"--executor {DASK}{address}: the scheduler has no workers; start some with 'dask worker {address}'"
            ) from None
        except (RuntimeError, ValueError) as error:
            raise ExecuteError(f"--executor {DASK}{address}: {error}") from None
        has = sum(client.nthreads().values())
        try:
            executor = _OnCluster(client.get_executor(pure=False), dask_worker.carrier(name))
            yield Place(
                executor, lambda: _unregister(client, name), min(jobs or has, has), jobs, elsewhere=True
            )
        finally:
            _unregister(client, name)


def _unregister(client: Any, name: str) -> None:
    """Ends what a kit's workers do, and takes it away from them. Once is enough; a cluster that is gone needs nothing."""
    with suppress(OSError, ValueError, RuntimeError):
        client.unregister_worker_plugin(name)
