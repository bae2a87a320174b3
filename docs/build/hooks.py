"""Weir's own steps of the site's build: generated pages and pictures, links, navigation."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

import commands
import notebooks
import pictures

from weir.text.site import with_owner

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PICTURES = ROOT / "out" / "pictures"

_ELSEWHERE = re.compile(r"<(?:script|link|img|iframe)[^>]*\s(?:src|href)=[\"']?https?://[^>]*>")
_BOOSTS = {"tutorials": 3.0, "how-to": 3.0, "decisions": 0.2, "diagnostics": 0.5, "labs": 0.7}
"""How much more a page of a folder counts in a search than others: guides come first."""

_NAMED = re.compile(r"(?<![\w/\"])docs/([\w/-]+)\.md(?: in Weir(?:'|&#x27;|&#39;)s\s+repository)?")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#:]+)(?:#[^)]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replaces folders in the navigation by their pages."""
    named: set[str] = set()
    _collect(config.nav, named)
    config.nav = _expand_folders(config.nav, named)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages and pictures, which are not committed."""
    files.append(File.generated(config, "reference/commands.md", content=commands.page()))
    for path in sorted(notebooks.NOTEBOOKS.glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=notebooks.page(path)))
    for name, path in pictures.draw_all(PICTURES).items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Shows links to files outside ``docs`` as their paths, since the site does not have them.

    Also names the account of the repository, and ranks the page among the results of searches.
    """
    folder = Path(page.file.src_uri).parent
    page.meta.setdefault("search", {"boost": _BOOSTS.get(folder.parts[0] if folder.parts else "", 1.0)})

    def plain(link: re.Match[str]) -> str:
        target = os.path.normpath(DOCS / folder / link[2])
        if Path(target).is_relative_to(DOCS):
            return link[0]
        if not Path(target).exists():
            raise FileNotFoundError(f"{page.file.src_uri} links to {link[2]}, which does not exist")
        return f"`{Path(target).relative_to(ROOT)}`"

    return _LINK.sub(plain, with_owner(markdown))


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes links of pages that docstrings and help name, such as ``docs/reference/trace.md``."""
    if not page.file.src_uri.startswith("reference/"):
        return html

    def link(found: re.Match[str]) -> str:
        file = files.get_file_from_path(f"{found[1]}.md")
        if file is None:
            raise FileNotFoundError(f"{page.file.src_uri} names docs/{found[1]}.md, which does not exist")
        return f'<a href="{file.url_relative_to(page.file)}">{found[1]}</a>'

    return _NAMED.sub(link, html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuses a page that would load something from another host."""
    found = _ELSEWHERE.search(output)
    if found is not None:
        raise ValueError(f"{page.file.src_uri} loads from another host: {found[0]}")
    return output


def _collect(nav: Any, named: set[str]) -> None:
    """The pages that the navigation names one by one."""
    for item in nav if isinstance(nav, list) else [nav]:
        if isinstance(item, dict):
            _collect(list(item.values()), named)
        elif isinstance(item, list):
            _collect(item, named)
        else:
            named.add(item)


def _expand_folders(item: Any, named: set[str]) -> Any:
    """The navigation with a list of pages in place of each folder."""
    if isinstance(item, dict):
        return {title: _expand_folders(value, named) for title, value in item.items()}
    if isinstance(item, list):
        parts: list[Any] = []
        for part in item:
            new = _expand_folders(part, named)
            parts += new if isinstance(part, str) and isinstance(new, list) else [new]
        # A section without pages is not shown.
        return [part for part in parts if not (isinstance(part, dict) and [] in part.values())]
    if item.endswith("/"):
        pages = [str(path.relative_to(DOCS)) for path in sorted((DOCS / item).glob("*.md"))]
        return [page for page in pages if page not in named]
    return item
