# SPDX-License-Identifier: Apache-2.0
"""Completion by bash and zsh: the scripts, and the answers to what they ask.

The scripts ask the very program that is typed, so a path to it does, and every checkout has its own.
"""

import click
from click.shell_completion import BashComplete, ZshComplete, shell_complete

PROGRAM = "headstack"
VARIABLE = "_HEADSTACK_COMPLETE"

# Behind a key's '=' its value follows.
_BASH = BashComplete.source_template.replace(
    "COMPREPLY+=($value)", "COMPREPLY+=($value)\n            if [[ $value == *= ]]; then compopt -o nospace; fi"
)
# Like click's own, but that the program need not be on PATH.
_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a plain described response
    local type key text
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
%(complete_var)s=zsh_complete ${(Q)words[1]} 2>/dev/null)}")
    for type key text in ${response}; do
        case $type in
            plain)
                if [[ $text == _ ]]; then plain+=("$key"); else described+=("$key:$text"); fi
                ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    if (( $#described )); then _describe -V unsorted described -U; fi
    if (( $#plain )); then compadd -U -V unsorted -a plain; fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""


def script(shell: str) -> str:
    """What `source <(./headstack completion SHELL)` reads."""
    kind = BashComplete if shell == "bash" else ZshComplete
    maker = kind(click.Command(PROGRAM), {}, PROGRAM, VARIABLE)
    maker.source_template = _ZSH if shell == "zsh" else _BASH  # type: ignore[misc]
    return maker.source_template % maker.source_vars()


def answer(tree: click.Command, instruction: str) -> int:
    """Prints what may stand where the cursor is. @return the exit status."""
    return shell_complete(tree, {}, PROGRAM, VARIABLE, instruction)
