"""Control characters in data are shown by commands, and not sent to the terminal."""

from __future__ import annotations

import ast
import io
import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from weir.display.terminal import VisibleConsole
from weir.text.visible import VisibleStream, visible, visible_but_colours, visible_line, visible_output

ROOT = Path(__file__).parents[1]
EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b1m\r\x08\u202e"
"""Sets a terminal's title, clears it, colours it, goes back, and turns text around."""

SENT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[!-~]*\x1b\\")
"""Colours, and links to lines of files."""


def test_control_characters_are_escaped() -> None:
    assert visible("a\tb\nc é → 日本") == "a\tb\nc é → 日本"
    assert (
        visible("\x1b[1m\x00\r\x7f\x9b\u202e\u2066\ud800") == r"\x1b[1m\x00\r\u007f\u009b\u202e\u2066\ud800"
    )
    assert visible_line("a\tb\nc") == r"a\tb\nc"
    assert visible(visible(EVIL)) == visible(EVIL) and not SENT.search(visible(EVIL))
    assert visible_but_colours("\x1b[1;31merror\x1b[0m\x1b[2J") == "\x1b[1;31merror\x1b[0m\\x1b[2J"
    # The JSON output is valid JSON.
    text = json.dumps(EVIL, ensure_ascii=False)
    assert json.loads(visible(text)) == EVIL


def test_a_stream_shows_what_is_written() -> None:
    own = io.StringIO()
    with visible_output(own, own):  # type: ignore[arg-type]
        print(EVIL)
        sys.stderr.writelines(["\x1b", "\n"])
        assert not hasattr(sys.stdout, "buffer")
        with visible_output(sys.stdout, sys.stderr):
            assert isinstance(sys.stdout, VisibleStream) and sys.stdout.own is own
        sys.stdout.write(b"caf\xc3\xa9\x1b\n")  # type: ignore[arg-type]
    assert own.getvalue() == f"{visible(EVIL)}\n\\x1b\ncafé\\x1b\n"


def test_a_console_prints_its_own_colours_only() -> None:
    from rich.table import Table
    from rich.text import Text

    own = io.StringIO()
    console = VisibleConsole(file=VisibleStream(own), force_terminal=True, width=100)  # type: ignore[arg-type]
    table = Table("name")
    table.add_row(Text(EVIL, style="bold"))
    table.add_row("[red]x[/red] :warning:")
    console.print(table, EVIL)
    printed = own.getvalue()
    assert "\x1b[1m" in printed and "[red]x[/red] :warning:" in printed
    assert not SENT.search(COLOUR.sub("", printed)) and "\x1b[31m" not in printed
    assert printed.count(r"\x1b]0;owned") == 2


RED_NAME = "red\x1b[31mname\nx.p4"
"""A name whose escape is one of Weir's colours."""

FILES = {
    "evil.p4": f"""
#include <v1model.p4>
header h_t {{ bit<8> f; }}
struct headers {{ h_t h; }}
struct meta {{ }}
parser P(packet_in b, out headers hdr, inout meta m, inout standard_metadata_t s) {{
    state start {{ b.extract(hdr.h); transition accept; }}
}}
control V(inout headers hdr, inout meta m) {{ apply {{ }} }}
control I(inout headers hdr, inout meta m, inout standard_metadata_t s) {{
    @name("out{EVIL}") action out_of(bit<9> port) {{ s.egress_spec = port; }}
    @name("t{EVIL}") table t {{
        key = {{ hdr.h.f: exact @name("key{EVIL}"); }}
        actions = {{ out_of; NoAction; }}
        default_action = NoAction();
    }}
    apply {{ t.apply(); }}
}}
control E(inout headers hdr, inout meta m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout headers hdr, inout meta m) {{ apply {{ }} }}
control D(packet_out b, in headers hdr) {{ apply {{ b.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
""",
    "wrong.p4": f"// {EVIL}\nconst bit<8> x = y{EVIL};\n",
    RED_NAME: "header h_t { bit<8> a }\n",
    "part.h": "header h_t { bit<8> a }\n",
    f"whole-{RED_NAME}": '#include "part.h"\n',
    "evil.stf": f"packet 1 00{EVIL}\nexpect 2 00\n",
    "topology.json": json.dumps(
        {
            "hosts": {f"h1{EVIL}": {"ip": "10.0.1.1/24"}, "h2": {"ip": f"10.0.2.2/24{EVIL}"}},
            "switches": {"s1": {}},
            "links": [[f"h1{EVIL}", "s1-p1"], ["h2", f"s1-p2{EVIL}"]],
        }
    ),
    "good.json": json.dumps(
        {
            "hosts": {"h1": {"ip": "10.0.1.1/24"}, "h2": {"ip": "10.0.2.2/24"}},
            "switches": {"s1": {}},
            "links": [["h1", "s1-p1"], ["h2", "s1-p2"]],
        }
    ),
    "entries.json": json.dumps({"table_entries": [{"table": f"t{EVIL}", "match": {}, "action_name": EVIL}]}),
    "evil.py": f"""
import weir

@weir.experiment(x=[{("a" + EVIL)!r}])
def study(x):
    print({EVIL!r})
    raise ValueError({EVIL!r})
""",
}

COMMANDS = [
    ["check", "evil.p4", "--gso"],
    ["check", "wrong.p4"],
    ["check", f"{EVIL}.p4".replace("/", "")],
    ["compile", "evil.p4", "--p4info", "-"],
    ["ir", "evil.p4"],
    ["test", "evil.p4", "evil.stf"],
    ["trace", "evil.p4", "--port", "1", "--packet", "00"],
    ["trace", "evil.p4", "--port", "1", "--packet", "00", "--json"],
    ["topology", "check", "topology.json"],
    ["draw", "topology.json"],
    ["run", "topology.json", "--p4", "evil.p4", "-c", "h1 ping h2"],
    ["run", "good.json", "--p4", "evil.p4", "-c", "s1 show_tables", "-c", f"h1 ping {EVIL}", "-c", f"{EVIL}"],
    ["ping", "good.json", "h1", f"h2{EVIL}", "--p4", "evil.p4"],
    ["experiment", "list", "evil.py"],
    ["experiment", "run", "evil.py", "--out", "out", "--workers", "1"],
    ["telemetry", "sql", "store", f"SELECT '{EVIL}' AS x".replace("\r", "")],
    ["telemetry", "show", EVIL],
    ["lab", "run", EVIL],
    ["explain", EVIL],
    ["top", f"127.0.0.1:1{EVIL}"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from weir.telemetry import Store

    made = tmp_path_factory.mktemp("evil")
    for name, text in FILES.items():
        (made / name).write_text(text)
    Store(made / "store").add([b"x"], [1])
    return made


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: visible(" ".join(arguments))[:40])
def test_commands_send_no_control_characters(
    arguments: list[str], folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from weir.cli import main

    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "300")
    main(arguments)
    out, err = capfd.readouterr()
    assert out + err
    for printed in (out, err):
        assert not SENT.search(printed), repr(printed)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "wrong.p4"],
        ["check", RED_NAME],
        ["check", f"whole-{RED_NAME}"],
        ["check", f"missing{RED_NAME}"],
        ["test", f"missing{RED_NAME}", "x.stf"],
        ["trace", "evil.p4", "--port", "1", "--packet", "00"],
        ["ir", "evil.p4"],
    ],
)
def test_a_terminal_gets_weirs_own_colours_only(arguments: list[str], folder: Path) -> None:
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "weir", *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=folder,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"},
    )
    os.close(child)
    printed = b""
    while select.select([parent], [], [], 60)[0]:
        try:
            more = os.read(parent, 65536)
        except OSError:
            break
        if not more:
            break
        printed += more
    process.wait(60)
    os.close(parent)
    text = printed.decode().replace("\r\n", "\n")
    assert "\x1b[" in text
    assert not SENT.search(COLOUR.sub("", text)), repr(text)
    assert "\x1b[31m\\u009b" not in text and "\x1b[31mname" not in text


def test_the_files_that_include_a_mistake_have_visible_names(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from weir.cli import main

    monkeypatch.chdir(folder)
    assert main(["check", f"whole-{RED_NAME}"]) == 1
    assert rf"= note: included from whole-{visible_line(RED_NAME)}:1:1" in "".join(capfd.readouterr())


def test_commands_print_by_the_streams_that_show() -> None:
    """Commands neither write to a file descriptor nor make a console of their own."""
    calls = []
    for path in sorted((ROOT / "python" / "weir").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "rich.console":
                names = {alias.name for alias in node.names}
                if "Console" in names and path.name != "terminal.py":
                    # For annotations, or to be printed by a console that shows.
                    text = path.read_text(encoding="utf-8")
                    if re.search(r"\bConsole\(", text):
                        calls.append(str(path))
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "buffer"
                and "sys." in ast.unparse(node.value)
            ):
                calls.append(str(path))
    assert calls == []
