"""The documentation's site: highlighted programs, pages that help and docstrings name, search."""

import re
import sys
import tomllib
from pathlib import Path

import click
import pytest
from pygments.token import Comment, Error, Keyword, Name, Number

import weir.text.site as site
from weir.cli.app import app
from weir.cli.man import walk
from weir.highlight import P4Lexer

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs" / "build"))


PROGRAMS = [
    path for folder in ("testdata", "python", "labs") for path in sorted((ROOT / folder).rglob("*.p4"))
]


def test_every_program_of_ours_is_highlighted_without_an_error():
    assert len(PROGRAMS) > 300
    lexer = P4Lexer(stripnl=False, ensurenl=False)
    for path in PROGRAMS:
        text = path.read_text(encoding="utf-8", errors="replace")
        tokens = list(lexer.get_tokens(text))
        assert "".join(part for _, part in tokens) == text.replace("\r\n", "\n"), path
        assert not [part for kind, part in tokens if kind is Error], path


@pytest.mark.parametrize(
    ("text", "part", "kind"),
    [
        ("#include <core.p4>", "<core.p4>", Comment.PreprocFile),
        ("    #define X 1", "#define X 1", Comment.Preproc),
        ('@name("x") action a() {}', "@name", Name.Decorator),
        ("x = 8w0xff;", "8w0xff", Number.Hex),
        ("x = 4s0b1_0;", "4s0b1_0", Number.Bin),
        ("x = 1_000;", "1_000", Number.Integer),
        ("header ipv4_t {", "ipv4_t", Name.Class),
        ("state start {", "start", Name.Label),
        ("varbit<320> options;", "varbit", Keyword.Type),
        ("key = { hdr.key: exact; }", "key", Keyword.Pseudo),
        ("hdr.key = 1;", "hdr", Name),
        ("transition select(x) {", "select", Keyword),
        ("default: accept;", "default", Keyword),
        ("packet.extract(hdr.x);", "extract", Name.Function),
    ],
)
def test_kinds_of_tokens(text: str, part: str, kind: object):
    assert (kind, part) in list(P4Lexer().get_tokens(text))


def test_pygments_finds_the_lexer_of_an_installed_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pygments.lexers"] == {"p4": f"{P4Lexer.__module__}:{P4Lexer.__name__}"}


def test_the_addresses_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("urls", {}) == site.URLS


def test_pages_name_the_owner_once_there_is_one(monkeypatch: pytest.MonkeyPatch):
    text = "uses: OWNER/weir@v0.1.0; `OWNER` is the account; OWNERS"
    assert site.with_owner(text) == text
    monkeypatch.setattr(site, "OWNER", "weir-p4")
    assert site.with_owner(text) == "uses: weir-p4/weir@v0.1.0; `weir-p4` is the account; OWNERS"


def test_where_a_page_is(monkeypatch: pytest.MonkeyPatch):
    assert (
        site.with_pages("docs/how-to/arm.md says more") == "docs/how-to/arm.md in Weir's repository says more"
    )
    assert site.with_pages(site.with_pages("(docs/a/b.md)")) == "(docs/a/b.md in Weir's repository)"
    monkeypatch.setattr(site, "SITE", "https://docs.example/")
    assert site.with_pages("docs/how-to/arm.md says more") == "https://docs.example/how-to/arm.html says more"


def test_pages_that_code_names_exist():
    texts = [
        *ROOT.glob("python/weir/**/*.py"),
        *ROOT.glob("labs/**/*.py"),
        *ROOT.glob("crates/*/src/**/*.rs"),
    ]
    named = {
        (name, path)
        for path in texts
        for name in re.findall(
            r"docs/[\w/-]+\.md|(?<=page\(')[\w/-]+(?='\))", path.read_text(encoding="utf-8")
        )
    }
    missing = [
        f"{path}: {name}"
        for name, path in named
        if name != "docs/simple_switch.md"  # a page of BMv2
        and not (ROOT / name if name.endswith(".md") else ROOT / "docs" / f"{name}.md").exists()
    ]
    assert len(named) > 20
    assert not missing


def test_help_says_where_the_pages_are():
    count = 0
    for path, command, context in walk(click.Context(app, info_name="weir"), app, ("weir",)):
        # Lines are long enough for the names of pages.
        context.terminal_width = context.max_content_width = 1000
        text = " ".join(command.get_help(context).split())
        names = re.findall(r"docs/[\w/-]+\.md", text)
        assert len(names) == text.count("in Weir's repository"), path
        count += len(names)
    assert count >= 6


def test_guides_come_before_decisions_in_a_search():
    hooks = (ROOT / "docs" / "build" / "hooks.py").read_text(encoding="utf-8")
    boosts = dict(re.findall(r'"([\w-]+)": ([\d.]+)', re.search(r"_BOOSTS = \{(.*)\}", hooks)[1]))
    assert float(boosts["how-to"]) > 1 > float(boosts["decisions"])
