"""``weir completion``: completes commands, options and files in a shell."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

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


_ZSH = r"""#compdef %(prog_name)s

%(complete_func)s() {
    local -a response plain described unfinished
    local type key descr

    (( ! $+commands[%(prog_name)s] )) && return 1
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
        %(complete_var)s=zsh_complete %(prog_name)s)}")
    # After an option and =, only the value is completed.
    [[ $words[CURRENT] == -*=* ]] && compset -P '*='

    for type key descr in ${response}; do
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            plain)
                # A shape continues with its sizes.
                if [[ $key == *: ]]; then
                    unfinished+=("${key//\\:/:}")
                elif [[ $descr == _ ]]; then
                    plain+=("$key")
                else
                    described+=("$key:$descr")
                fi
                ;;
        esac
    done

    (( $#described )) && _describe -V unsorted described
    (( $#plain )) && compadd -V unsorted -a plain
    (( $#unfinished )) && compadd -V unsorted -S '' -a unfinished
    return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = r"""function %(complete_func)s
    set -l word (commandline -ct)
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD="$word" %(prog_name)s)
    # Fish compares whole words, so a value after = needs its option.
    set -l option (string match --regex '^-[^=]*=' -- "$word")

    for completion in $response
        set -l parts (string split --max 1 , -- $completion)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo "$option"$parts[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Bash(BashComplete):
    """click's completion with a script for words that contain ``:`` and ``=``."""

    source_template = _BASH


class _Zsh(ZshComplete):
    """click's completion with a script for words that contain ``:`` and ``=``."""

    source_template = _ZSH


class _Fish(FishComplete):
    """click's completion with a script for words that contain ``=``."""

    source_template = _FISH


_SHELLS = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}
_RC_FILES = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/config.fish"}
_LINES = {
    "bash": 'eval "$(weir completion bash)"',
    "zsh": 'eval "$(weir completion zsh)"',
    "fish": "weir completion fish | source",
}


@click.command(
    "completion",
    short_help="Print a completion script for your shell.",
    epilog="\b\nAdd one line to the file that your shell reads when it starts:\n"
    + "\n".join(f"  echo '{_LINES[shell]}' >> {_RC_FILES[shell]}" for shell in _LINES),
)
@click.argument("shell", type=click.Choice(list(_SHELLS)))
def command(shell: str) -> None:
    """Print a script with which SHELL completes weir's commands, options and files."""
    click.echo(
        _SHELLS[shell](click.get_current_context().find_root().command, {}, "weir", "_WEIR_COMPLETE").source()
    )
