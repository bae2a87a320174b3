"""``weir compile --dissector``: tshark shows what the parsers of P4 programs extract."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import weir
from needed import need
from weir.cli.app import app
from weir.errors import CommandError
from weir.program import dissector

OWN = Path(__file__).parent.parent
PROGRAMS = OWN / "testdata" / "dissector"

ETHERNET = "080000000202 080000000111"
IPV4 = "45 00 0028 0001 4000 40 {protocol} 0000 0a000101 0a000202"

Show = Callable[..., list[list[str]]]


def write_capture(path: Path, frames: Iterable[str | bytes], cut: int | None = None) -> Path:
    """Writes a capture with the first ``cut`` bytes of each frame."""
    data = bytes.fromhex("d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000")
    for frame in frames:
        whole = bytes.fromhex(frame) if isinstance(frame, str) else frame
        kept = whole[:cut]
        data += bytes(8) + len(kept).to_bytes(4, "little") + len(whole).to_bytes(4, "little") + kept
    path.write_bytes(data)
    return path


def tshark(scripts: Sequence[Path], capture: Path, *options: str) -> list[list[str]]:
    loaded = [part for script in scripts for part in ("-X", f"lua_script:{script}")]
    command = ["tshark", "-n", *loaded, "-r", str(capture), *options]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0 and "Lua" not in ran.stderr + ran.stdout, ran.stderr + ran.stdout
    return [line.split("\t") for line in ran.stdout.splitlines()]


@pytest.fixture
def show(tmp_path: Path) -> Show:
    """Returns fields of each frame, as tshark shows them with a program's dissector."""
    need("tshark", required="WEIR_REQUIRE_TSHARK")

    def fields(
        program: Path, frames: Iterable[str | bytes], *names: str, **options: object
    ) -> list[list[str]]:
        script = tmp_path / f"{program.stem}.lua"
        script.write_text(dissector(program, defines=options.get("defines")))  # type: ignore[arg-type]
        capture = write_capture(tmp_path / "frames.pcap", frames, options.get("cut"))  # type: ignore[arg-type]
        wanted = [part for name in names for part in ("-e", name)]
        chosen = [part for option in options.get("preferences", ()) for part in ("-o", option)]  # type: ignore[attr-defined]
        return tshark([script], capture, *chosen, "-T", "fields", *wanted)

    return fields


def test_all_kinds_of_headers(show: Show) -> None:
    udp = IPV4.format(protocol="11")
    options = "46 00 0028 0001 4000 40 c8 0000 0a000101 0a000202 01020304"
    frames = [
        f"{ETHERNET} 0800 {udp} 01020304",
        f"{ETHERNET} 8847 00064040 00065140 {options} 02 fe",
        f"{ETHERNET} 8847 {'00064040' * 4} {udp}",
        f"{ETHERNET} 0800 45000028",
        f"{ETHERNET} 0800 6{udp[1:]}",
        f"{ETHERNET} 0800 4f{udp[2:]}",
        f"{ETHERNET} 0800 44{udp[2:]}",
        f"{ETHERNET} 1234 00",
        f"{ETHERNET} 0800 {IPV4.format(protocol='c8')} 01 80 ffff",
        f"{ETHERNET} 0800 {IPV4.format(protocol='c8')} 03 80",
    ]
    names = [
        "_result",
        "labels.label",
        "labels.last",
        "ipv4.options",
        "report.small.kind",
        "report.small.change",
    ]
    values = show(PROGRAMS / "layers.p4", frames, *(f"p4_layers.{name}" for name in names))
    assert values == [
        ["accept", "", "", "", "", ""],
        ["accept", "100,101", "0,1", "01020304", "2", "-2"],
        ["reject: StackOutOfBounds", "100,100,100", "0,0,0", "", "", ""],
        ["reject: PacketTooShort", "", "", "", "", ""],
        ["reject: NotVersion4", "", "", "", "", ""],
        ["reject: PacketTooShort", "", "", "", "", ""],
        # 2^32 - 32 bits of options are more than the packet has.
        ["reject: PacketTooShort", "", "", "", "", ""],
        ["accept", "", "", "", "", ""],
        ["accept", "", "", "", "1", "-128"],
        ["reject: NoMatch", "", "", "", "3", "-128"],
    ]


def test_addresses_enums_and_wide_numbers(show: Show) -> None:
    large = "ffffffffffffffff 8000000001 0a000909 10102030405060708092"
    frames = [f"{ETHERNET} 0800 {IPV4.format(protocol='99')} {large}"]
    names = ["ethernet.dst", "ipv4.src", "ipv4.ttl", "report.large.serial", "report.large.change"]
    names += ["report.large.source", "report.large.wide", "_states"]
    members = "p4_layers.myparser_reports:1 0x98..0x9a"
    (row,) = show(
        PROGRAMS / "layers.p4", frames, *(f"p4_layers.{name}" for name in names), preferences=[members]
    )
    assert row[:6] == [
        "08:00:00:00:02:02", "10.0.1.1", "64", f"{2**64 - 1}", f"{-(2**39) + 1}", "10.0.9.9",
    ]  # fmt: skip
    # The number does not begin at a byte: a filter sees the bytes that contain it.
    assert row[6] == "10102030405060708092" and row[7].split()[-1] == "large"


def test_metadata_are_preferences_of_the_dissector(show: Show) -> None:
    frames = [f"{ETHERNET} 0800 {IPV4.format(protocol='85')} 02 00"]
    fields_shown = ["p4_layers.report.small.kind", "p4_layers._result"]
    for preferences, result in (
        ([], ["", "accept"]),
        (["p4_layers.myparser_standard_ingress_port:3"], ["2", "accept"]),
        (["p4_layers.myparser_standard_ingress_port:0x3"], ["2", "accept"]),
        (["p4_layers.myparser_reports:0x80&0xf0"], ["", "reject: PacketTooShort"]),
        (["p4_layers.myparser_reports:*"], ["", "reject: PacketTooShort"]),
    ):
        assert show(PROGRAMS / "layers.p4", frames, *fields_shown, preferences=preferences) == [result], (
            preferences
        )
    for preference, part in (
        ("p4_layers.myparser_standard_ingress_port:eth0", "eth0, not a number of 9 bits"),
        ("p4_layers.myparser_standard_ingress_port:512", "512, not a number of 9 bits"),
        ("p4_layers.myparser_reports:1,2", "1,2, not 0x1"),
        ("p4_layers.myparser_reports:0x100", "0x100, not 0x1"),
    ):
        ((_, text),) = show(PROGRAMS / "layers.p4", frames, *fields_shown, preferences=[preference])
        assert text.startswith("unknown: the preference ") and part in text


def test_cut_captures_are_not_called_short(show: Show) -> None:
    frames = [f"{ETHERNET} 0800 {IPV4.format(protocol='11')}"]
    values = show(PROGRAMS / "layers.p4", frames, "p4_layers._result", "p4_layers.ethernet.type", cut=30)
    assert values == [["unknown: the capture has only the first 30 bytes", "2048"]]


def signed(number: int, width: int) -> int:
    return number - 2**width if number >> (width - 1) else number


def results(a: int, b: int, width: int) -> list[tuple[int, int]]:
    """The header that ``operators.p4`` expects, as values and widths."""
    top, by = 2**width - 1, b & 31
    left, right = signed(a, width), signed(b, width)
    low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    values = [
        a, b, a + b, a - b, a * b, a // b if b else 0, a % b if b else 0, min(a + b, top), max(a - b, 0),
        max(low, min(high, left + right)), max(low, min(high, left - right)), a & b, a | b, a ^ b, ~a, -a,
        a << by, a >> by, left >> by,
    ]  # fmt: skip
    return [(value, width) for value in values] + [(a < b, 8), (left < right, 8), (a, 8), (left, 96)]


def packed(fields: Iterable[tuple[int, int]]) -> bytes:
    number, bits = 0, 0
    for value, width in fields:
        number, bits = number << width | int(value) % 2**width, bits + width
    return number.to_bytes(bits // 8, "big")


@pytest.mark.parametrize("width", [8, 24, 32, 64, 72])
def test_operators_compute_as_in_p4(show: Show, width: int) -> None:
    numbers = random.Random(width)
    special = [0, 1, 2, 2 ** (width - 1) - 1, 2 ** (width - 1), 2**width - 1]
    pairs = [(a, b) for a in special for b in special]
    pairs += [(numbers.getrandbits(width), numbers.getrandbits(numbers.randint(1, width))) for _ in range(30)]
    frames = [packed(results(a, b, width)) for a, b in pairs]
    # In the last frames, one result is wrong.
    expected = [["accept"]] * len(frames)
    for place, error in ((2, "Sums"), (4, "Products"), (10, "Saturated"), (18, "Shifts"), (22, "Casts")):
        fields = results(77, 3, width)
        fields[place] = (fields[place][0] + 1, fields[place][1])
        frames.append(packed(fields))
        expected.append([f"reject: {error}"])
    program = PROGRAMS / "operators.p4"
    assert show(program, frames, "p4_operators._result", defines={"W": f"{width}"}) == expected


OWN_NAMES = """
#include <core.p4>
#include <v1model.p4>
header end { bit<8> local; bit<8> _result; }
struct headers_t { end _result; end _states; }
struct metadata_t {}
parser P(packet_in goto, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    state start { goto.extract(h._result); goto.extract(h._states); transition accept; }
}
control C(inout headers_t h, inout metadata_t m) { apply {} }
control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply {} }
control D(packet_out b, in headers_t h) { apply { b.emit(h); } }
V1Switch(P(), C(), I(), I(), C(), D()) main;
"""


def test_headers_cannot_take_the_names_of_the_parsers_result(show: Show, tmp_path: Path) -> None:
    program = tmp_path / "own.p4"
    program.write_text(OWN_NAMES)
    names = ["_result", "_states", "_result_2.local", "_states_2._result"]
    values = show(program, [f"{ETHERNET} 0800"], *(f"p4_own.{name}" for name in names))
    assert values == [["accept", "start", "8", "0"]]


TUNNEL = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header tunnel_t { bit<16> next; bit<16> id; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> length; bit<16> id; bit<3> flags; bit<13> offset;
    bit<8> ttl; bit<8> protocol; bit<16> checksum; bit<32> src; bit<32> dst;
}
struct headers_t { ethernet_t ethernet; tunnel_t tunnel; ipv4_t ipv4; }
struct metadata_t {}
parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) { 0x1212: tunnel; 0x0800: ipv4; default: accept; }
    }
    state tunnel {
        packet.extract(hdr.tunnel);
        transition select(hdr.tunnel.next) { 0x0800: ipv4; default: accept; }
    }
    state ipv4 { packet.extract(hdr.ipv4); transition accept; }
}
control Nothing(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}
control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(MyParser(), Nothing(), MyIngress(), MyIngress(), Nothing(), MyDeparser()) main;
"""


def test_wireshark_goes_on_behind_headers_of_our_own(show: Show, tmp_path: Path) -> None:
    (program := tmp_path / "my-tunnel.p4").write_text(TUNNEL)
    tcp = "1f90 0050 00000001 00000000 5002 2000 0000 0000"
    ip = IPV4.format(protocol="06")
    frames = [
        f"{ETHERNET} 1212 0800 0007 {ip} {tcp}",
        f"{ETHERNET} 0800 {ip} {tcp}",
        f"{ETHERNET} 1212 0801 0007",
    ]
    names = ["p4_my_tunnel.tunnel.id", "p4_my_tunnel.ipv4.dst", "ip.dst", "tcp.dstport"]
    assert show(program, frames, *names) == [
        ["7", "10.0.2.2", "10.0.2.2", "80"],
        ["", "10.0.2.2", "10.0.2.2", "80"],
        ["7", "", "", ""],
    ]


def test_programs_of_our_own_have_dissectors(tmp_path: Path) -> None:
    need("tshark", required="WEIR_REQUIRE_TSHARK")
    scripts = []
    files = [*OWN.glob("python/weir/examples/*/*.p4"), *OWN.glob("python/weir/programs/*.p4")]
    for file in [*files, *OWN.glob("labs/weir_labs/*/*.p4"), OWN / "testdata/check/ok/psa.p4"]:
        if "V1Switch(" in (text := file.read_text()) or "PSA_Switch(" in text:
            # Labs have files of the same name.
            scripts.append(tmp_path / f"{len(scripts)}_{file.stem}.lua")
            renamed = scripts[-1].with_suffix(".p4")
            renamed.write_text(text)
            # Programs of labs include parts next to them.
            parts = [file.parent] if "weir_labs" in file.parts else []
            scripts[-1].write_text(dissector(renamed, include=parts))
    assert len(scripts) > 15
    names = [part for script in scripts for part in ("-e", f"p4_{script.stem.lower()}._result")]
    frames = [f"{ETHERNET} 0800 {IPV4.format(protocol='11')} 1234 0035 0008 0000", f"{ETHERNET} 1313 00"]
    values = tshark(scripts, write_capture(tmp_path / "a.pcap", frames), "-T", "fields", *names)
    assert [len(row) for row in values] == [len(scripts)] * 2
    assert all(value == "accept" or value.startswith("reject") for row in values for value in row)


def test_captures_of_a_network_are_read(tmp_path: Path) -> None:
    need("tshark", required="WEIR_REQUIRE_TSHARK")
    program = OWN / "tests" / "net" / "router.p4"
    with weir.Network.load(program.with_name("topology.json"), p4=program) as net:
        capture = net.capture(tmp_path / "net.pcapng", ["s1-p1"], "tcp")
        net.host("h1").iperf("h2", size="30kB")
        path = capture.close()
    (script := tmp_path / "router.lua").write_text(dissector(program))
    own = [
        "p4_router.ipv4.srcAddr",
        "p4_router.ipv4.dstAddr",
        "p4_router.ipv4.ttl",
        "p4_router.ipv4.totalLen",
    ]
    theirs = ["ip.src", "ip.dst", "ip.ttl", "ip.len"]
    fields = [part for name in [*own, *theirs] for part in ("-e", name)]
    rows = tshark([script], path, "-T", "fields", *fields)
    assert len(rows) > 40 and all(row[:4] == row[4:] for row in rows)
    chosen = tshark(
        [script], path, "-Y", "p4_router.ipv4.srcAddr == 10.0.2.2", "-T", "fields", "-e", "ip.src"
    )
    assert chosen and {tuple(row) for row in chosen} == {("10.0.2.2",)}


def run(*arguments: object):
    return CliRunner().invoke(app, ["compile", *map(str, arguments)])


def test_the_command_writes_files(tmp_path: Path) -> None:
    program = PROGRAMS / "layers.p4"
    out, info = tmp_path / "layers.lua", tmp_path / "layers.txtpb"
    assert run(program, "--dissector", out, "--p4info", info).exit_code == 0
    assert out.read_text() == dissector(program) and "MyIngress" in info.read_text() + "MyIngress"
    assert run(program, "--dissector", "-").output == out.read_text()
    both = run(program, "--dissector", out, "--p4info", out)
    assert both.exit_code != 0 and "each needs its own file" in str(both.exception) + both.output
    missing = run(program, "--dissector", tmp_path / "none" / "x.lua")
    assert missing.exit_code != 0 and "cannot be written" in str(missing.exception) + missing.output


def test_paths_that_externs_choose_are_refused(tmp_path: Path) -> None:
    source = TUNNEL.replace(
        "packet.extract(hdr.tunnel);",
        "packet.extract(hdr.tunnel); bit<16> r; random(r, 0, 9); hdr.tunnel.next = r;",
    )
    (program := tmp_path / "dice.p4").write_text(source)
    with pytest.raises(CommandError) as caught:
        dissector(program)
    line = source[: source.index("random(")].count("\n") + 1
    assert f"dice.p4:{line}:" in str(caught.value) and "depends on `random`" in str(caught.value)
    # The result of an extern that decides nothing is left out.
    program.write_text(source.replace("hdr.tunnel.next = r;", "hdr.tunnel.id = r;"))
    assert "-- left out: random" in dissector(program)


def test_programs_without_a_parser_are_refused(tmp_path: Path) -> None:
    (program := tmp_path / "none.p4").write_text("#include <core.p4>\nconst bit<8> x = 1;\n")
    with pytest.raises(CommandError, match="no parser"):
        dissector(program)
    result = run(program, "--dissector", "-")
    assert result.exit_code != 0


def test_hostile_names_are_escaped(show: Show, tmp_path: Path) -> None:
    """Names in BMv2's JSON may have any characters."""
    hostile = 'ev"il\\\n]] os.exit(3) --\u202e'
    document = json.loads((OWN / "testdata" / "bmv2_json" / "swap.json").read_text())
    name = next(one["name"] for one in document["headers"] if not one["metadata"])
    text = json.dumps(document).replace(json.dumps(name), json.dumps(hostile))
    (program := tmp_path / 'we"ird --[[.json').write_text(text)
    script = dissector(program)
    assert hostile not in script and "\u202e" not in script
    values = show(program, [f"{ETHERNET} 1234 00"], "frame.number")
    assert values == [["1"]]
