"""``weir link``: links real interfaces, like ``weir-link``, which needs no Python."""

from __future__ import annotations

from weir import _core
from weir.cli.service import ServiceCommand
from weir.errors.linux import require_linux


def _run(arguments: tuple[str, ...]) -> int:
    require_linux("weir link", "networks of `weir run` have links, too")
    return _core.run_link(["weir link", *arguments])


command = ServiceCommand(
    "link",
    _run,
    metavar="[INTERFACE INTERFACE]",
    short_help="Link network interfaces with rate, delay and loss.",
)
