"""``weir completion``: completes commands, options and files in a shell."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, get_completion_class

_BASH = r"""%(complete_func)s() {
    local IFS=$'\n' words=() at rest=$COMP_LINE word whole prefix response completion type value

    # Bash splits words at : and =, too, as in --shape=dumbbell:4; words are the parts between blanks.
    for ((at = 0; at <= COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if ((at == 0)) || [[ $rest == [[:space:]]* ]]; then
            words+=("$word")
        else
            words[${#words[@]} - 1]+=$word
        fi
        rest=${rest#"${rest%%%%[![:space:]]*}"}
        rest=${rest#"$word"}
    done

    # Bash replaces only the last part of the word, so what precedes this part must be left out.
    whole=${words[${#words[@]} - 1]}
    prefix=$whole
    [[ $word == [:=]* ]] || prefix=${whole%%"$word"}
    [[ $prefix == -*=* ]] && prefix=${prefix#*=}

    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) %(complete_var)s=bash_complete $1)
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) COMPREPLY=() && compopt -o dirnames ;;
            file) COMPREPLY=() && compopt -o default ;;
            plain)
                value=${value#"$prefix"}
                [[ $value ]] || continue
                # A shape continues with its sizes.
                [[ $value == *: ]] && compopt -o nospace
                COMPREPLY+=("$value")
                ;;
        esac
    done
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class _Bash(BashComplete):
    """click's completion with a script for words that contain ``:`` and ``=``."""

    source_template = _BASH


_RC_FILES = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/config.fish"}
_LINES = {
    "bash": 'eval "$(weir completion bash)"',
    "zsh": 'eval "$(weir completion zsh)"',
    "fish": "weir completion fish | source",
}


@click.command(
    "completion",
    short_help="Complete commands in your shell.",
    epilog="\b\nAdd one line to the file that your shell reads when it starts:\n"
    + "\n".join(f"  echo '{_LINES[shell]}' >> {_RC_FILES[shell]}" for shell in _LINES),
)
@click.argument("shell", type=click.Choice(list(_LINES)))
def command(shell: str) -> None:
    """Print a script with which SHELL completes weir's commands, options and files."""
    known = _Bash if shell == "bash" else get_completion_class(shell)
    assert known is not None
    click.echo(known(click.get_current_context().find_root().command, {}, "weir", "_WEIR_COMPLETE").source())
