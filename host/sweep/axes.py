# SPDX-License-Identifier: Apache-2.0
"""Words of a sweep's command line: constants, axes, seeds.

    policy=fcfs,stf         an axis of two values
    policy=gstf:group=9,x   one value if the key does not take `x` alone, else two
    depth=1..64             1, 2, 4 and so on, each twice the one before
    depth=1..10+3           1, 4, 7, 10
    gap=1ms..8ms            the same with a unit
    'policy=["a", "b"]'     an axis of exactly these values, in TOML
    'title="a, b"'          one value: a text in quotes, and a table in braces
    seeds=5                 load.synthetic.seed = 1, 2, 3, 4, 5

A key with one value is a constant of all runs. Which words a key takes is not known here: the caller asks the simulator.
"""

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod
from typing import Any

from sweep_errors import WordError

SEEDS = "seeds"
SEED_KEY = "load.synthetic.seed"
TRACE_KEY = "load.trace"
MADE = "made.trace"  # stands for a trace that is made for each run
TITLE = "title"
MOST_VALUES = 10_000  # of an axis
MOST_SEEDS = 10_000

# Whether a key takes a text as its value: takes(key, text).
Takes = Callable[[str, str], bool]

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})([a-z]*)\.\.({_NUMBER})([a-z]*)(?:\+({_NUMBER})([a-z]*))?")
_PLAIN = re.compile(rf"({_NUMBER})(ps|ns|us|ms|s)?")
_TIMES_MS = {"ps": Decimal("1e-9"), "ns": Decimal("1e-6"), "us": Decimal("1e-3"), "ms": Decimal(1), "s": Decimal(1000)}


@dataclass(frozen=True)
class Value:
    """One value of an axis."""

    text: str  # the value as text
    setting: str  # the value in the form KEY=VALUE
    also: tuple[str, ...] = ()  # KEY=VALUE of other keys, which go with this value

    @property
    def number(self) -> float | None:
        """The value on a numeric axis; of a time, in ms. None: it is a word."""
        match = _PLAIN.fullmatch(self.text)
        return float(Decimal(match[1]) * _TIMES_MS.get(match[2] or "", Decimal(1))) if match else None


@dataclass(frozen=True)
class Axis:
    """A key and its values, in the order in which they were given."""

    key: str  # a path or a short name, as given
    path: str  # "": no key of its own; its values set others, or are for what makes the load
    values: tuple[Value, ...]

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers, or all are times."""
        matches = [_PLAIN.fullmatch(value.text) for value in self.values]
        return all(matches) and len({bool(match[2]) for match in matches if match}) == 1

    @property
    def unit(self) -> str:
        """The unit of `Value.number`: ms for times, nothing for plain numbers."""
        return "ms" if self.is_numeric and not self.values[0].text[-1].isdigit() else ""

    def words(self, place: int) -> tuple[str, ...]:
        """All KEY=VALUE words of one of the values."""
        value = self.values[place]
        return (f"{self.key}={value.setting}", *value.also) if self.path else value.also


@dataclass(frozen=True)
class Declaration:
    """What is swept. `settings` are constants and axes in their order: a later source of requests replaces an earlier one.

    With `load` the work makes a trace for each run (one_point.py), by the seed and by what `load` returns for a place on each
    axis. This is plain data, in JSON's types.
    """

    file: str  # of the scenario, or ""
    settings: tuple[str | Axis, ...]
    seeds: tuple[int, ...] = ()  # empty: one run of each combination, with the scenario's own seed or without any
    load: Callable[[tuple[int, ...]], dict[str, Any]] | None = None

    @property
    def axes(self) -> list[Axis]:
        """The keys with several values, in the order in which they were given."""
        return [one for one in self.settings if isinstance(one, Axis)]

    @property
    def constants(self) -> list[str]:
        """KEY=VALUE of each key that does not change."""
        return [one for one in self.settings if isinstance(one, str)]

    def at(self, places: Sequence[int]) -> list[str]:
        """The settings of one combination of values, by a place on each axis."""
        rest = iter(places)
        words = [word for one in self.settings for word in (one.words(next(rest)) if isinstance(one, Axis) else (one,))]
        return words + ([f"{TRACE_KEY}={MADE}"] if self.load else [])

    @property
    def count(self) -> int:
        """The number of runs."""
        return prod(len(axis.values) for axis in self.axes) * (len(self.seeds) or 1)

    def combinations(self) -> list[tuple[int, ...]]:
        """A place on each axis, for every combination; the last axis changes first."""
        return list(product(*(range(len(axis.values)) for axis in self.axes)))

    def describe(self, places: Sequence[int], seed: int | None = None) -> str:
        """KEY=VALUE of each axis as text, and the seed."""
        words = [f"{axis.key}={axis.values[at].text}" for axis, at in zip(self.axes, places, strict=True)]
        return " ".join(words if seed is None else [*words, f"{'seed' if self.load else SEED_KEY}={seed}"])


def is_setting(word: str) -> bool:
    """Whether the word is KEY=VALUE. A file whose name has a '=' is given with its folder, as for `headstack run`."""
    key, equals, _ = word.partition("=")
    return bool(equals) and "/" not in key


def split_words(words: Sequence[str]) -> tuple[str, list[tuple[str, str]], tuple[int, ...]]:
    """Splits words into the scenario's file, keys with their texts, and the seeds. Raises WordError."""
    file, settings, seeds = "", [], ()
    for word in words:
        key, _, text = word.partition("=")
        if not is_setting(word):
            if file:
                raise WordError(f"{word}: a second scenario, beside {file}; sweep one at a time")
            file = word
        elif not key:
            raise WordError(f"'{word}' is no setting; write KEY=VALUE")
        elif key == SEEDS:
            if seeds:
                raise WordError("seeds: given twice; leave one out")
            seeds = _first_seeds(text)
        else:
            settings.append((key, text))
    return file, settings, seeds


def _first_seeds(text: str) -> tuple[int, ...]:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_SEEDS:
        raise WordError(f"seeds: '{text}' is no number of runs; give 1 to {MOST_SEEDS:,}, and the seeds are 1, 2, 3 and so on")
    return tuple(range(1, int(text) + 1))


def parse_words(words: Sequence[str], paths: dict[str, str], takes: Takes) -> Declaration:
    """The command line without flags. `paths` has the path of each short name. Raises WordError."""
    file, settings, seeds = split_words(words)
    parsed: list[str | Axis] = []
    given: dict[str, str] = {}
    for key, text in settings:
        path = paths.get(key, key)
        if path in given:
            also = f", as {given[path]}" if given[path] != key else ""
            raise WordError(f"{key}: given twice{also}; leave one out")
        given[path] = key
        if path == SEED_KEY and seeds:
            raise WordError(f"{key}: seeds={len(seeds)} sets it already; leave one of them out")
        values = values_of(key, text, takes)
        if path == TITLE and len(values) > 1:
            raise WordError(f"""title: changes no run; give one text in quotes: 'title="{text}"'""")
        if len(values) == 1:
            parsed.append(f"{key}={values[0].setting}")
        else:
            parsed.append(Axis(key, path, tuple(values)))
    return Declaration(file, tuple(parsed), seeds)


def values_of(key: str, text: str, takes: Takes) -> list[Value]:
    """What the text after KEY= gives: one value or several. Raises WordError."""
    if text.startswith("["):
        values = _listed(key, text, takes)
    elif not text or text[0] in "{\"'":
        return [Value(text, text)]
    else:
        values = [value for piece in pieces_of(key, text, takes) for value in _expanded(key, piece, takes)]
    if len(values) > MOST_VALUES:
        raise WordError(f"{key}: {len(values):,} values; give {MOST_VALUES:,} at most")
    seen: set[str] = set()
    for value in values:
        if value.text in seen:
            raise WordError(f"{key}: '{value.text}' is there twice; leave one out")
        seen.add(value.text)
    return values


def pieces_of(key: str, text: str, takes: Takes) -> list[str]:
    """The text, cut at its commas, but for those that belong to the parameters of a word. Raises WordError.

    Parameters begin with ':'. After it, a piece that the key takes by itself is a value of its own.
    """
    pieces: list[str] = []
    for piece in text.split(","):
        if not piece.strip():
            raise WordError(f"{key}: an empty value in '{text}'; leave out the comma, or write the values as a list: [\"...\"]")
        if pieces and ":" in pieces[-1] and not takes(key, piece):
            pieces[-1] += f",{piece}"
        else:
            pieces.append(piece)
    return pieces


def _expanded(key: str, piece: str, takes: Takes) -> list[Value]:
    """The values of a range. A text that the key takes as it stands is one value: of some keys, a range of times is."""
    match = _RANGE.fullmatch(piece)
    if match is None or takes(key, piece):
        return [Value(piece, piece)]
    first, unit, last, unit_of_last, step, unit_of_step = match.groups()
    if unit != unit_of_last or step is not None and unit != unit_of_step:
        raise WordError(f"{key}: {piece}: one unit is needed; write both ends (and the step) in it, as in 1ms..8ms")
    numbers = _steps(key, piece, Decimal(first), Decimal(last), Decimal(step) if step else None)
    texts = [f"{number.normalize():f}{unit}" for number in numbers]
    return [Value(text, text) for text in texts]


def _steps(key: str, piece: str, first: Decimal, last: Decimal, step: Decimal | None) -> list[Decimal]:
    """The numbers of a range, by a step or by doubling. Raises WordError."""
    if first > last:
        raise WordError(f"{key}: {piece} is empty: {first} is above {last}; give the smaller number first")
    if step is None and first <= 0:
        raise WordError(f"{key}: {piece} doubles from above 0 on; give a step, as in {first}..{last}+1")
    if step is not None and step <= 0:
        raise WordError(f"{key}: {piece}: the step is not above 0; give a larger one")
    numbers = []
    number = first
    while number <= last:
        numbers.append(number)
        if len(numbers) > MOST_VALUES:
            raise WordError(f"{key}: {piece}: more than {MOST_VALUES:,} values; give a larger step")
        number = number * 2 if step is None else number + step
    return numbers


def _listed(key: str, text: str, takes: Takes) -> list[Value]:
    """The items of a list in TOML. Raises WordError.

    An item that is a list is one value. If the key takes no such item, and the list as a whole, that is the value: rows of requests.
    """
    try:
        items = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError as error:
        raise WordError(f"{key}: '{text}' is no list in TOML ({error}); write it as in '{key}=[\"a\", \"b\"]'") from None
    if not items:
        raise WordError(f"{key}: the list has no values; give one or more")
    if isinstance(items[0], list) and not takes(key, toml_of(items[0])) and takes(key, text):
        return [Value(text, text)]
    return [Value(item if isinstance(item, str) else toml_of(item), toml_of(item)) for item in items]


def toml_of(value: Any) -> str:
    """A value of TOML on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml_of, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml_of(one)}' for key, one in value.items())} }}"
    # Texts, booleans and numbers have the same form in JSON and TOML.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else str(value)
