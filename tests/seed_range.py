# SPDX-License-Identifier: Apache-2.0
"""Seeds as a fuzzer's command line names them."""

import secrets


def seeds_of(word: str) -> range:
    """FIRST..LAST, both included; or new:COUNT, beginning anywhere, which is printed. Raises ValueError for other words."""
    if word.startswith("new:"):
        first = secrets.randbelow(10**9)
        last = first + int(word.removeprefix("new:")) - 1
        print(f"new seeds: {first}..{last}", flush=True)
    else:
        first, last = (int(part) for part in word.split(".."))
    return range(first, last + 1)
