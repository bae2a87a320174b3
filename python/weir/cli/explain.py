"""``weir explain``: explains the meaning of a finding's id."""

from __future__ import annotations

import sys

import click

from weir.cli.group import complete_from
from weir.cli.text import colour, heading
from weir.errors import WeirError


def _ids() -> list[str]:
    from weir.program import explain

    return list(explain.ids())


@click.command(
    "explain",
    short_help="Explain an error or warning by its id.",
    epilog="""\b
Examples:
  weir explain maybe-invalid-header
  weir explain""",
)
@click.argument("id", required=False, shell_complete=complete_from(_ids))
def command(id: str | None) -> int:
    """Explain an error or warning of the compiler, with a wrong and a corrected example.

    Without an ID, list all ids by kind.
    """
    from weir.program import explain

    if id is None:
        _list()
        return 0
    # Accept the form that people copy: error[bad-cast].
    diagnostic_id = id.removesuffix("]").rpartition("[")[2]
    page = explain.page(diagnostic_id)
    if page is None:
        from weir.text.suggest import nearest

        suggestion = nearest(diagnostic_id, explain.ids())
        hint = f'; did you mean "{suggestion}"?' if suggestion else " (`weir explain` lists all ids)"
        raise WeirError(f'there is no diagnostic "{diagnostic_id}"{hint}')
    if colour(sys.stdout):
        from rich.markdown import Markdown

        from weir.display.terminal import VisibleConsole

        VisibleConsole(width=min(VisibleConsole().width, 100)).print(
            Markdown(page.text, code_theme="ansi_dark")
        )
    else:
        click.echo(page.text, nl=False)
    return 0


def _list() -> None:
    from weir.program import explain

    pages = explain.pages()
    width = max((len(page.id) for page in pages), default=0)
    for kind, title in explain.KINDS.items():
        heading(title)
        for page in pages:
            if page.kind == kind:
                click.echo(f"  {page.id:<{width}}  {page.summary}")
        click.echo()
