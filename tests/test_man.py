"""``weir man``: manual pages of all commands."""

import shutil
import subprocess
from pathlib import Path

import click
import pytest

from command import weir
from needed import need
from weir.cli.app import app
from weir.cli.man import manual_page, walk


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    code, out, err = weir("man", folder / "new")
    assert (code, err) == (0, "") and out.endswith(f" pages in {folder / 'new'}\n")
    return folder / "new"


def test_there_is_a_page_with_all_options_of_each_command(pages: Path):
    commands = list(walk(click.Context(app, info_name="weir"), app, ("weir",)))
    assert {path.name for path in pages.iterdir()} == {f"{'-'.join(path)}.1" for path, _, _ in commands}
    for path, command, context in commands:
        text = (pages / f"{'-'.join(path)}.1").read_text(encoding="utf-8").replace("\\-", "-")
        # The site's page of commands shows the help.
        help_text = command.get_help(context)
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.opts[0] in text, f"{path}: {parameter.opts}"
                assert parameter.opts[0] in help_text, f"{path}: {parameter.opts}"
    switch = (pages / "weir-switch.1").read_text(encoding="utf-8").replace("\\-", "-")
    assert all(words in switch for words in ("give them no IP addresses", "--p4runtime", "[default: native]"))
    assert "weir-lab-run(1)" in (pages / "weir-lab.1").read_text(encoding="utf-8").replace("\\-", "-")


def test_roff_has_no_warnings(pages: Path):
    need("groff")
    for page in sorted(pages.iterdir()):
        ended = subprocess.run(
            ["groff", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True, check=True
        )
        assert ended.stderr == "", page


def test_requests_of_roff_in_a_help_are_text():
    @click.command("evil", epilog="\b\n.so /etc/passwd\n'br")
    @click.option("--x", help='.TH \\fB "quoted" …')
    def evil() -> None:
        """.so /etc/passwd"""

    text = manual_page(("weir", "evil"), evil, click.Context(evil, info_name="evil"), "1")
    assert not [line for line in text.splitlines() if line.startswith((".so", "'br", ".TH \\f"))]
    assert "\\&.TH \\efB \\(dqquoted\\(dq \\[u2026]" in text
    if shutil.which("groff"):
        shown = subprocess.run(
            ["groff", "-man", "-Tascii", "-P-cbou"], input=text, capture_output=True, text=True, check=True
        ).stdout
        assert ".so /etc/passwd" in shown and "root:" not in shown


def test_mistakes(tmp_path: Path):
    (tmp_path / "file").touch()
    code, out, err = weir("man", tmp_path / "file")
    assert (code, out) == (1, "") and err.startswith("error: ") and "Traceback" not in err
    assert weir("man")[0] == 2
