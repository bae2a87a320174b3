"""``weir completion``: completes commands, options and files in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

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
    known = get_completion_class(shell)
    assert known is not None
    click.echo(known(click.get_current_context().find_root().command, {}, "weir", "_WEIR_COMPLETE").source())
