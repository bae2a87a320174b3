"""`weir trace`: trees as text, as JSON, from captures; unfinished traces; mistakes.

Each file `testdata/trace/*.txt` contains a call and its output. `BLESS=1 pytest
tests/test_trace.py` rewrites them.
"""

from __future__ import annotations

import json
import os
import shlex
import struct
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from weir.cli import main
from weir.errors import ControlError
from weir.network import Network

ROOT = Path(__file__).parent.parent
CASES = ROOT / "testdata" / "trace"
FORKS = str(CASES / "forks.p4")
ENTRIES = ["--entries", str(CASES / "forks.commands")]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "trace.schema.json").read_text(encoding="utf-8"))


def weir(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(args)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("case", sorted(CASES.glob("*.txt")), ids=lambda case: case.stem)
def test_the_output_is_that_of_the_case(
    case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(CASES)
    call, _, expected = case.read_text(encoding="utf-8").partition("\n")
    code, out, err = weir(capsys, *shlex.split(call)[2:])
    assert (code, err) == (0, "")
    if os.environ.get("BLESS"):
        case.write_text(f"{call}\n{out}", encoding="utf-8")
    else:
        assert out == expected, f"BLESS=1 pytest {__file__} rewrites what is expected"


@pytest.mark.parametrize("module", ["control.messages", "trace", "trace.document", "stf", "cli.journey"])
def test_modules_can_be_imported_first(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import weir.{module}"], check=True)


def test_the_cases_show_every_kind_of_line() -> None:
    text = "".join(case.read_text(encoding="utf-8") for case in CASES.glob("*.txt"))
    for words in (
        "clone of ingress", "clone of egress", "replica for port", "multicast group", "resubmitted: pass 2",
        "recirculated: pass 2", "digest to receiver", "log: ", "random 3 to 5", "member 1 of 3", "path 2 of 3",
        "no clone session", "parser error PacketTooShort", ": hit", ": miss", "entry 0: ", "select ", " → ",
    ):  # fmt: skip
        assert words in text, words


@pytest.mark.parametrize("what", ["01", "02", "04", "08", "10", "20", "40", "80", "c0"])
@pytest.mark.parametrize("ways", [[], ["--all"]])
def test_json_matches_its_schema(what: str, ways: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = weir(
        capsys, "trace", FORKS, "--packet", f"{what}000007", "--port", "1", *ENTRIES, "--json", *ways
    )
    assert (code, err) == (0, "")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    [packet] = document["packets"]
    for way in packet["ways"]:
        numbers = [copy["copy"] for copy in way["copies"]]
        assert all(copy["parent"] in (None, *numbers) for copy in way["copies"])
        assert [copy["parent"] for copy in way["copies"]].count(None) == 1
        assert way["ended"] and way["outputs"]


def test_the_schema_refuses_other_json() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"format": "weir-trace", "version": 1, "program": "x"}, SCHEMA)


def test_json_is_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["trace", FORKS, "--packet", "d2000007", "--port", "1", *ENTRIES, "--json", "--all"]
    assert weir(capsys, *call) == weir(capsys, *call)


def test_all_follows_each_member_and_each_number(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["trace", FORKS, "--packet", "c0000007", "--port", "1", *ENTRIES, "--json", "--all"]
    [packet] = json.loads(weir(capsys, *call)[1])["packets"]
    taken = {tuple(choice["taken"] for choice in way["choices"]) for way in packet["ways"]}
    assert taken == {(number, f"member {member}") for number in "345" for member in range(3)}
    assert not packet["more_ways"]
    usual = [choice["option"] == choice["usual"] for choice in packet["ways"][0]["choices"]]
    assert all(usual)


def pcap(packets: list[tuple[int, bytes]], *, nanoseconds: bool, big: bool) -> bytes:
    """A capture made by hand from the description of the libpcap format, without our own writer."""
    order = ">" if big else "<"
    data = struct.pack(f"{order}IHHiIII", 0xA1B23C4D if nanoseconds else 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for time, octets in packets:
        part = time % 10**9 if nanoseconds else time % 10**9 // 1000
        data += struct.pack(f"{order}IIII", time // 10**9, part, len(octets), len(octets)) + octets
    return data


def pcapng(packets: list[tuple[int, bytes]], resolution: int | None) -> bytes:
    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    option = b"" if resolution is None else struct.pack("<HHB3xHH", 9, 1, resolution, 0, 0)
    data = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(1, struct.pack("<HHI", 1, 0, 0) + option)
    for time, octets in packets:
        units = time // 1000 if resolution is None else time * 10**resolution // 10**9
        header = struct.pack("<IIIII", 0, units >> 32, units & 0xFFFFFFFF, len(octets), len(octets))
        data += block(6, header + octets)
    return data


PACKETS = [(5_000_000_000, bytes.fromhex("00000007")), (5_003_000_000, bytes.fromhex("01000008"))]
CAPTURES = {
    "us.pcap": pcap(PACKETS, nanoseconds=False, big=False),
    "ns.pcap": pcap(PACKETS, nanoseconds=True, big=True),
    "us.pcapng": pcapng(PACKETS, None),
    "ns.pcapng": pcapng(PACKETS, 9),
}


@pytest.mark.parametrize("name", CAPTURES)
def test_captures(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / name
    file.write_bytes(CAPTURES[name])
    call = ["trace", FORKS, "--packet", str(file), "--port", "2", *ENTRIES]
    code, out, err = weir(capsys, *call)
    assert (code, err) == (0, "")
    heads = [line for line in out.splitlines() if line.startswith("packet")]
    assert heads == [
        "packet 0: in on port 2, 4 bytes  at 0ns",
        "packet 1: in on port 2, 4 bytes  at 3ms",
    ]
    code, out, _ = weir(capsys, *call, "--limit", "1")
    assert [line for line in out.splitlines() if line.startswith("packet")] == heads[:1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is neither a pcap nor a pcapng file"),
        (b"hello, world", "is neither a pcap nor a pcapng file"),
        (CAPTURES["us.pcap"][:24], "has no packets"),
        (CAPTURES["us.pcap"][:-2], "ends in the middle of packet 1"),
        (CAPTURES["us.pcapng"][:-2], "ends in the middle of packet 1"),
        (CAPTURES["us.pcap"][:10], "ends in the middle of packet 0"),
    ],
)
def test_bad_captures(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.pcap"
    file.write_bytes(content)
    call = ["trace", FORKS, "--packet", str(file), "--port", "2"]
    assert weir(capsys, *call) == (1, "", f"error: {file}: {message}\n")


def test_wrong_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.pcap").write_bytes(CAPTURES["us.pcap"])

    def error(packet: str) -> str:
        code, out, err = weir(capsys, "trace", FORKS, "--packet", packet, "--port", "2")
        assert (code, out) == (1, "")
        return err.removeprefix("error: ").rstrip("\n")

    good = tmp_path / "good.pcap"
    assert error(str(tmp_path / "goed.pcap")) == f'{tmp_path}/goed.pcap: no such file; did you mean "{good}"?'
    assert error("0102zz") == 'the packet: expected hexadecimal digits, found "z" (and there is no such file)'
    assert error("012") == "the packet has 3 hexadecimal digits: a byte has two"
    assert error(str(tmp_path)) == f"{tmp_path}: is a directory, expected a capture"


@pytest.mark.parametrize("packet", ["0x0102", "01:02", "0x01 02", "01\n02"])
def test_packets_in_the_output_of_other_tools_are_read(
    packet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["trace", FORKS, "--port", "2", "--packet"]
    assert weir(capsys, *call, packet) == weir(capsys, *call, "0102")


NET = ROOT / "tests" / "net"


def network() -> Network:
    return Network.load(NET / "topology.json", p4=NET / "router.p4", seed=1)


def test_network_journeys_have_virtual_times() -> None:
    with network() as net:
        switch = net.switch("s1")
        assert not switch.is_tracing
        switch.trace(3)
        assert switch.is_tracing
        net.host("h1").ping("h2", count=2)
        journeys = switch.journeys()
        assert [journey.number for journey in journeys] == [0, 1, 2]
        assert [journey.outputs[0].port for journey in journeys] == [2, 1, 2]
        assert journeys[2].steps[0].time_ns - journeys[0].steps[0].time_ns == 1_000_000_000
        assert str(journeys[0]).startswith("packet 0 at s1: in on port 1, 98 bytes  at 1ms\n")
        assert not switch.is_tracing
        assert switch.journeys() == []
        switch.trace()
        net.host("h1").ping("h2", count=1)
        switch.trace(0)
        net.host("h1").ping("h2", count=1)
        assert switch.journeys() == []
        with pytest.raises(ControlError, match="number of packets to trace -1 is out of range"):
            switch.trace(-1)


def test_tracing_changes_nothing() -> None:
    def rtts(*, traced: bool) -> list[int | None]:
        with network() as net:
            if traced:
                net.switch("s1").trace()
                net.on_event = lambda: None
            return [reply.rtt_ns for reply in net.host("h1").ping("h2", count=5).replies]

    assert rtts(traced=True) == rtts(traced=False)


def shell(capsys: pytest.CaptureFixture[str], *lines: str) -> tuple[int, str, str]:
    call = ["run", str(NET / "topology.json"), "--p4", str(NET / "router.p4")]
    return weir(capsys, *call, *(word for line in lines for word in ("-c", line)))


def test_trace_at_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = shell(
        capsys, "trace", "trace on s1", "trace", "h1 ping -c 1 h2", "trace off s1", "h1 ping -c 1 h2", "trace"
    )
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert (lines[0], lines[1], lines[-1]) == ("nothing is traced", "s1 is traced", "nothing is traced")
    trees = [number for number, line in enumerate(lines) if line.startswith("packet")]
    replies = [number for number, line in enumerate(lines) if line.startswith("64 bytes from")]
    assert [lines[number] for number in trees] == [
        "packet 0 at s1: in on port 1, 98 bytes  at 1ms",
        "packet 1 at s1: in on port 2, 98 bytes  at 5.1578ms",
    ]
    assert len(replies) == 2 and trees[1] < replies[0], "trees come as the packets pass"


def test_trace_of_so_many_packets_at_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shell(capsys, "trace s1 1", "h1 ping -c 2 h2", "trace")
    assert (code, out.count("at s1: in on port")) == (0, 1)
    assert out.endswith("nothing is traced\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("trace on", 'trace: cannot read "on" (trace [on|off SWITCH | SWITCH PACKETS])'),
        ("trace on s9", 'there is no switch "s9"; did you mean "s1"?'),
        ("trace s1", 'trace: cannot read "s1" (trace [on|off SWITCH | SWITCH PACKETS])'),
        ("trace s1 x", 'trace: expected a number of packets, 1 or more, found "x"'),
        ("trace s1 0", 'trace: expected a number of packets, 1 or more, found "0"'),
        ("trace s9 3", 'there is no switch "s9"; did you mean "s1"?'),
        ("messages", "messages: expected a switch (messages SWITCH)"),
        ("messages s9", 'there is no switch "s9"; did you mean "s1"?'),
    ],
)
def test_wrong_commands_at_the_prompt(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell(capsys, line) == (1, "", f"error: {message}\n")


TELLING = """\
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t ethernet; }
struct metadata_t {}
struct learn_t { bit<48> src; bit<9> port; }
parser P(packet_in p, out headers_t hdr, inout metadata_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.ethernet); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t m) { apply {} }
control I(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t s) {
    action to(bit<9> port) { s.egress_spec = port; }
    table ports {
        key = { s.ingress_port: exact; }
        actions = { to; NoAction; }
        default_action = NoAction();
        support_timeout = true;
    }
    apply {
        ports.apply();
        digest<learn_t>(1, { hdr.ethernet.src, s.ingress_port });
        log_msg("from port {}", { s.ingress_port });
    }
}
control E(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def test_switch_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "telling.p4"
    program.write_text(TELLING)
    # The router's entries are not for this program.
    topology = json.loads((NET / "topology.json").read_text())
    topology["switches"]["s1"] = {}
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(topology))
    with Network.load(file, p4=program, seed=1) as net:
        switch = net.switch("s1")
        for line in (
            "table_add ports to 1 => 2",
            "table_add ports to 2 => 1",
            "table_set_timeout ports 0 500",
        ):
            switch.runtime.run(line)
        net.host("h1").ping("10.0.2.2", count=1, timeout="1s")
        net.run_for("1s")
        digests = switch.digests()
        assert digests[0]["src"] == 0x080000000111
        assert digests[0]["port"] == 1
        assert digests[0].receiver == 1
        assert str(digests[0]) == ("1ms  digest to receiver 1: src = 08:00:00:00:01:11, port = 1")
        with pytest.raises(KeyError, match="the digest has: src, port"):
            digests[0]["dst"]
        assert switch.log()[0].text == "from port 1"
        [notice] = switch.idle_notices()
        assert (notice.table, notice.entry.match) == ("I.ports", {"s.ingress_port": "1"})
        assert notice.time_ns > 500_000_000
        assert (switch.digests(), switch.log(), switch.idle_notices(), switch.messages()) == ([], [], [], [])
    _, out, _ = weir(
        capsys, "run", str(file), "--p4", str(program), "-c", "h1 ping -c 1 -W 0.1 10.0.2.2", "-c", "messages s1",
        "-c", "messages s1",
    )  # fmt: skip
    assert "digest to receiver 1: src = 08:00:00:00:01:11" in out
    assert "1ms  log: from port 1" in out
    assert out.endswith("none\n")


def test_a_packet_without_end_is_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    endless = tmp_path / "endless.p4"
    text = Path(FORKS).read_text(encoding="utf-8")
    endless.write_text(text.replace(" && hdr.order.passes == 0", ""))
    code, out, err = weir(capsys, "trace", str(endless), "--packet", "10000000", "--port", "1", "--json")
    assert (code, err) == (
        1,
        "error: the packet was still in the switch after a virtual second, or 1000 passes: its program "
        "may recirculate, resubmit or clone it endlessly\n",
    )
    [packet] = json.loads(out)["packets"]
    assert not packet["ways"][0]["ended"]
    file = tmp_path / "endless.stf"
    file.write_text("packet 1 10000000\nexpect 1\n")
    code, out, err = weir(capsys, "test", str(endless), str(file))
    assert code == 1
    assert "endless.stf:1" in out + err
    assert "was still in the switch after 10" in out + err
    assert "endlessly; the test ends here" in out + err


def test_a_measurement_ends_though_a_packet_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endless = tmp_path / "endless.p4"
    text = Path(FORKS).read_text(encoding="utf-8")
    endless.write_text(text.replace(" && hdr.order.passes == 0", ""))
    packet = "1000000000000000"
    code, out, err = weir(
        capsys, "bench", "pipeline", str(endless), "--packet", packet, "--flows", "1", "--seconds", "0.2"
    )
    assert (code, out) == (1, "")
    assert f"packet 0 of 1 (port 0, 8 bytes: {packet}) was still in the switch after 1000 passes" in err
    assert "endlessly" in err


@pytest.mark.parametrize("drop", ["", " mark_to_drop(sm);"])
def test_a_measurement_names_a_packet_that_is_cloned_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drop: str
) -> None:
    program, session = tmp_path / "clones.p4", tmp_path / "session.txt"
    program.write_text(
        "#include <v1model.p4>\n"
        "header tag_t { bit<8> value; } struct headers_t { tag_t tag; } struct meta_t { }\n"
        "parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t sm) {"
        " state start { p.extract(h.tag); transition accept; } }\n"
        "control V(inout headers_t h, inout meta_t m) { apply { } }\n"
        "control I(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {"
        " apply { sm.egress_spec = 2; } }\n"
        "control E(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {"
        f" apply {{ if (h.tag.value == 7) {{ clone(CloneType.E2E, 5);{drop} }} }} }}\n"
        "control D(packet_out p, in headers_t h) { apply { p.emit(h.tag); } }\n"
        "V1Switch(P(), V(), I(), E(), V(), D()) main;\n"
    )
    session.write_text("mirroring_add 5 1\n")
    options = ["--entries", str(session), "--flows", "1", "--seconds", "0.05"]
    code, out, err = weir(capsys, "bench", "pipeline", str(program), "--packet", "07aa", *options)
    assert (code, out) == (1, "")
    assert "packet 0 of 1 (port 0, 2 bytes: 07aa) had so many clones of clones" in err
    code, out, err = weir(capsys, "bench", "pipeline", str(program), "--packet", "08aa", *options)
    assert (code, err) == (0, "")
