# SPDX-License-Identifier: Apache-2.0
"""Pictures in pixels on pages of host/ (shots.toml): GTKWave's of waves, and one of a report.

A picture's file has a text named "shows": a hash of what it shows of its runs. Events of vp are those of rtl, so that the check
needs neither waves nor a display.
"""

import functools
import hashlib
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import runs
from registers import ROOT
from verilog import SourceError

sys.path[:0] = [str(ROOT / "host/output"), str(ROOT / "host/wave"), str(ROOT / "host/plots"), str(ROOT / "host/report")]

import annotate  # noqa: E402
import missed  # noqa: E402

WAVES = ROOT / "host/wave/pictures"
REPORT = ROOT / "host/report/pictures/page.png"
KEY = "shows"
_UNITS_PS = {"us": 10**6, "ms": 10**9}
_LIMIT_S = 900
Shot = tuple[Callable[[], str], Callable[[Path], None]]  # what it shows now, and who draws it


def shots() -> dict[Path, Shot]:
    """All pictures, by file."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    found: dict[Path, Shot] = {}
    for name, run in table.items():
        if "missed" in run:
            found[WAVES / f"{run['missed']}.png"] = (
                functools.partial(_miss_shown, name, run), functools.partial(_draw_miss, name, run))  # fmt: skip
        for picture in run.get("pictures", ()):
            found[WAVES / f"{picture['file']}.png"] = (
                functools.partial(_events_shown, name, run, picture), functools.partial(_draw_waves, name, run, picture))  # fmt: skip
        if "report" in run:
            found[REPORT] = (functools.partial(_records_shown, name, run), functools.partial(_draw_report, name, run))
    return found


def shown_in(picture: Path) -> str:
    """What the picture says that it shows; nothing, if it does not say so."""
    from PIL import Image

    with Image.open(picture) as image:
        return str(image.info.get(KEY, ""))


def stale(files: dict[Path, Shot] | None = None) -> list[Path]:
    """Pictures that are missing, or show what is not so any more."""
    wanted = shots() if files is None else files
    return [file for file, (shows, _) in wanted.items() if not file.is_file() or shown_in(file) != shows()]


def write(file: Path, shot: Shot) -> None:
    """Draws a picture."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    shows, draw = shot
    with tempfile.TemporaryDirectory(prefix="shots-") as folder:
        drawn = Path(folder, file.name)
        draw(drawn)
        text = PngInfo()
        text.add_text(KEY, shows())
        with Image.open(drawn) as image:
            file.parent.mkdir(parents=True, exist_ok=True)
            image.save(file, format="PNG", optimize=True, pnginfo=text)


# ---- runs


@functools.cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="shots-runs-")


@functools.cache
def _run(name: str, platform: str, words: str) -> Path:
    """The folder that a run leaves, once in a process."""
    folder = Path(_folder().name) / platform / name
    runs.simulate(platform, folder, *shlex.split(words))
    return folder


def _time_ps(text: str) -> int:
    return round(float(text[:-2]) * _UNITS_PS[text[-2:]])


def _events_shown(name: str, run: dict[str, Any], picture: dict[str, str]) -> str:
    inside = _events_between(name, run, _time_ps(picture["from"]), _time_ps(picture["to"]))
    if not inside:
        raise SourceError(f"shots.toml: [{name}] has no event from {picture['from']} to {picture['to']}")
    return _hash("\n".join([str(sorted(picture.items())), *inside]).encode())


def _miss_shown(name: str, run: dict[str, Any]) -> str:
    """Events from the last sector before the missed one to its end, and the programs that draw."""
    miss = missed.of_run(_run(name, "vp", run["words"]))
    sources = b"".join(Path(one.__file__).read_bytes() for one in (missed, annotate))
    return _hash(sources + "\n".join(_events_between(name, run, miss.done, miss.ended)).encode())


def _events_between(name: str, run: dict[str, Any], begin: int, end: int) -> list[str]:
    text = (_run(name, "vp", run["words"]) / "events.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if begin <= int(line.split()[0]) * runs.EDGE_PS <= end]


def _records_shown(name: str, run: dict[str, Any]) -> str:
    return _hash(b"".join((folder / "records.csv").read_bytes() for folder in _report_runs(name, run)))


def _hash(what: bytes) -> str:
    return hashlib.sha256(what).hexdigest()


def _report_runs(name: str, run: dict[str, Any]) -> list[Path]:
    return [_run(f"{name}/{label}", "vp", f"{run['words']} {words}") for label, words in run["report"].items()]


# ---- drawing


def _record(name: str, run: dict[str, Any]) -> tuple[Path, Path]:
    """The folder of a run on rtl, and its waves."""
    waves = Path(_folder().name) / f"{name}.fst"
    return _run(name, "rtl", f"{run['words']} --wave {waves} observe.waves.windows={run['window']}"), waves


def _draw_miss(name: str, run: dict[str, Any], file: Path) -> None:
    folder, waves = _record(name, run)
    missed.draw(missed.of_run(folder), waves, file)


def _draw_waves(name: str, run: dict[str, Any], picture: dict[str, str], file: Path) -> None:
    _, waves = _record(name, run)
    shot = [sys.executable, "-B", str(ROOT / "host/wave/wave_command.py"), "shot", str(waves), "--view", picture["view"],
            "--from", picture["from"], "--to", picture["to"], "-o", str(file), "--force"]  # fmt: skip
    subprocess.run(shot, check=True, timeout=_LIMIT_S)


def _draw_report(name: str, run: dict[str, Any], file: Path) -> None:
    """Two of the report's pictures, one above the other."""
    import anatomy_pictures
    import distribution_pictures
    from findings import examine
    from PIL import Image
    from run_folder import open_runs

    measured = examine(open_runs(_report_runs(name, run))).runs
    images = []
    for index, draw in enumerate((distribution_pictures.response_picture, anatomy_pictures.mean_picture)):
        part = file.with_name(f"{index}.png")
        draw(measured).savefig(part, dpi=110, facecolor="white")
        images.append(Image.open(part).convert("RGB"))
    page = Image.new("RGB", (max(one.width for one in images), sum(one.height for one in images)), "white")
    top = 0
    for one in images:
        page.paste(one, (0, top))
        top += one.height
    page.quantize(128).save(file, format="PNG")
