# SPDX-License-Identifier: Apache-2.0
"""Starts GTKWave: for a person, or without a display for a picture of what it draws."""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from errors import WaveError
from savefile import save_file
from views import View

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import writing  # noqa: E402

# Of GTKWave 3.3.118 with the settings below, in pixels: a row, and what stands above and below the rows.
ROW_HEIGHT = 23
FRAME_HEIGHT = 116
TOOLBAR_HEIGHT = 46
SCROLLBAR_WIDTH = 18

SETTINGS = {
    "hide_sst": "on",
    "splash_disable": "on",
    "enable_vcd_autosave": "off",
    "fill_waveform": "off",
    "use_full_precision": "off",
    "color_grid": "303048",
    "color_back": "101014",
}

SHOT_SECONDS = 300  # for files of gigabytes


@dataclass(frozen=True)
class Span:
    """Picoseconds; None: from the start, to the end."""
    begin: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Window:
    """Where a picture has its waves: `begin` ps at the pixel column `left`, `end` ps `width` columns later."""
    begin: int
    end: int
    left: int
    width: int

    def column(self, time_ps: float) -> float:
        """The pixel column of a time."""
        return self.left + (time_ps - self.begin) / (self.end - self.begin) * self.width


def _settings() -> list[str]:
    """The settings as arguments."""
    return [part for name, value in SETTINGS.items() for part in ("--rcvar", f"{name} {value}")]


def _zoom(span: Span) -> str:
    """Tcl that shows the span."""
    begin = "[gtkwave::getMinTime]" if span.begin is None else str(span.begin)
    end = "[gtkwave::getMaxTime]" if span.end is None else str(span.end)
    return f"gtkwave::setZoomRangeTimes {begin} {end}\n"


def _need(program: str, package: str) -> str:
    """Its path."""
    path = shutil.which(program)
    if path is None:
        raise WaveError(f"{program} is not installed; './headstack setup' installs it, or: apt-get install {package}")
    return path


def show(fst: Path, view: View, span: Span) -> None:
    """Opens a window and waits until it is closed."""
    program = _need("gtkwave", "gtkwave")
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        raise WaveError("there is no display for GTKWave's window; 'headstack wave shot' makes a picture without one")
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder) / f"{view.name}.gtkw"
        save.write_text(save_file(view, fst, 1600, 900), encoding="utf-8")
        script = Path(folder) / "zoom.tcl"
        script.write_text(_zoom(span), encoding="utf-8")
        subprocess.run([program, *_settings(), "--script", str(script), str(fst), str(save)], check=False)


# What GTKWave says of its window, once it has drawn it.
WINDOW = "gtkwave::getWindowStartTime", "gtkwave::getWindowEndTime", "gtkwave::getWaveWidth"


def shoot(fst: Path, view: View, span: Span, picture: Path, width: int) -> Window:
    """Makes a PNG file of what GTKWave draws of the view. @return where in the picture the waves are."""
    program, display = _need("gtkwave", "gtkwave"), _need("xvfb-run", "xvfb")
    _need("xauth", "xauth")
    height = FRAME_HEIGHT + ROW_HEIGHT * view.height
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder) / f"{view.name}.gtkw"
        save.write_text(save_file(view, fst, width, height), encoding="utf-8")
        grab = Path(folder) / "grab.png"
        script = Path(folder) / "shot.tcl"
        window = Path(folder) / "window.txt"
        asked = " ".join(f"[{one}]" for one in WINDOW)
        script.write_text(f"{_zoom(span)}gtkwave::/File/Grab_To_File {grab}\nset out [open {window} w]\nputs $out \"{asked}\"\n"
                          "close $out\ngtkwave::/File/Quit\n", encoding="utf-8")
        screen = f"-screen 0 {width}x{height}x24"
        done = subprocess.run(
            [display, "--auto-servernum", "--server-args", screen, program, "--nomenus", *_settings(), "--script",
             str(script), str(fst), str(save)],
            capture_output=True, text=True, timeout=SHOT_SECONDS, check=False)
        if not grab.exists() or not window.exists():
            raise WaveError(f"GTKWave made no picture of {fst}; it said: {' '.join(done.stderr.split()[-30:])}")
        begin, end, columns = map(int, window.read_text(encoding="ascii").split())
        return Window(begin, end, _finish(grab, picture) - columns, columns)


def _finish(grab: Path, picture: Path) -> int:
    """Cuts off toolbar and scroll bars, which say nothing in a picture, and packs what is left. @return its width."""
    from PIL import Image  # not needed for a window

    with Image.open(grab) as image:
        frame = (0, TOOLBAR_HEIGHT, image.width - SCROLLBAR_WIDTH, image.height - SCROLLBAR_WIDTH)
        few_colours = image.convert("RGB").crop(frame).quantize(64)
        with writing(picture) as part:
            few_colours.save(part, format="PNG", optimize=True)
        return few_colours.width
