"""Writes HTML pages from the templates of this package."""

from __future__ import annotations

from pathlib import Path

from weir.files.whole_file import write_whole_text
from weir.report.policy import policy
from weir.text.measured import grouped


def write_from_template(name: str, path: Path, **values: object) -> None:
    """Writes a page from a template, with the Content Security Policy; the same values give the
    same bytes."""
    # jinja2 is imported only here, because plots also use this package.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("weir.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["grouped"] = grouped
    write_whole_text(path, environment.get_template(name).render(values, policy=policy(name)) + "\n")
