"""Externs that a program declares itself, with code in Python."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

import weir
from weir.errors import NetworkError, P4Error
from weir.stf.bench import Bench

PROGRAM = """
#include <core.p4>
#include <v1model.p4>

enum Mode {{ FIRST, SECOND }}
extern bit<16> mix(in bit<48> a, in bit<48> b);
extern void split(in bit<16> word, out bit<8> high, inout bit<8> low);
extern int<8> less(in int<8> number, in bool really, in Mode mode, in bit<100> wide);
extern bit<100> widen<T>(in T data);
extern Sketch {{
    Sketch(bit<32> rows, string name);
    bit<32> update(in bit<48> key);
    void forget();
}}

header ethernet_t {{ bit<48> dst; bit<48> src; bit<16> type; }}
header seen_t {{ bit<32> count; bit<16> mixed; bit<8> high; bit<8> low; int<8> less; bit<100> wide; bit<4> pad; }}
struct headers {{ ethernet_t ethernet; seen_t seen; }}
struct metadata {{ }}

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.ethernet); transition accept; }}
}}
control V(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    Sketch(1024, "sources") sources;
    apply {{
        {code}
        sm.egress_spec = 2;
    }}
}}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control C(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control D(packet_out packet, in headers hdr) {{ apply {{ packet.emit(hdr.ethernet); packet.emit(hdr.seen); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""

ALL = """
        hdr.seen.setValid();
        hdr.seen.count = sources.update(hdr.ethernet.src);
        hdr.seen.mixed = mix(hdr.ethernet.dst, hdr.ethernet.src);
        hdr.seen.low = 0xf0;
        split(hdr.seen.mixed, hdr.seen.high, hdr.seen.low);
        hdr.seen.less = less(-100, hdr.ethernet.type == 0xffff, Mode.SECOND, 1 << 99);
        hdr.seen.wide = widen(hdr.ethernet);
        if (hdr.ethernet.type == 0xffff) { sources.forget(); }
"""


def mix(a: int, b: int) -> int:
    return (a ^ b) & 0xFFFF


def split(word: int, high: weir.OutArgument, low: weir.OutArgument) -> None:
    high.value, low.value = word >> 8, (low.value + word) & 0xFF


def less(number: int, really: bool, mode: int, wide: int) -> int:
    assert isinstance(really, bool)
    assert (mode, wide) == (1, 1 << 99)
    return number - 28 if really else number


def widen(data: tuple[int, ...]) -> int:
    dst, src, kind = data
    return (dst << 48 | src) + kind


class Sketch:
    made: ClassVar[list[tuple[int, str]]] = []

    def __init__(self, rows: int, name: str) -> None:
        self.made.append((rows, name))
        self.seen: dict[int, int] = {}

    def update(self, key: int) -> int:
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key]

    def forget(self) -> None:
        self.seen.clear()


CODE: dict[str, Any] = {"mix": mix, "split": split, "less": less, "widen": widen, "Sketch": Sketch}


def compiled(folder: Path, code: str, executor: str | None = None, **externs: Any) -> weir.Program:
    path = folder / "own.p4"
    path.write_text(PROGRAM.format(code=code))
    return weir.compile(path, executor=executor, externs={"Sketch": Sketch, **externs})


FRAME = bytes.fromhex("00000000aaaa 000000000b01 0800")
LAST = bytes.fromhex("00000000aaaa 000000000b01 ffff")


def seen(count: int, mixed: int, number: int, kind: int) -> bytes:
    """The header that the program with all calls adds."""
    wide = (0xAAAA << 48 | 0x0B01) + kind
    fields = [(count, 32), (mixed, 16), (mixed >> 8, 8), ((0xF0 + mixed) & 0xFF, 8), (number % 256, 8)]
    text = "".join(f"{value:0{width}b}" for value, width in [*fields, (wide, 100), (0, 4)])
    return int(text, 2).to_bytes(len(text) // 8, "big")


@pytest.mark.parametrize("executor", ["native", "interp"])
@pytest.mark.parametrize("block_steps", [False, True])
def test_functions_and_objects_run_in_python(tmp_path: Path, executor: str, block_steps: bool) -> None:
    program = compiled(tmp_path, ALL, executor, **CODE)
    bench = Bench(program, [1, 2], block_steps=block_steps)
    assert Sketch.made[-1] == (1024, "sources")
    mixed = 0xAAAA ^ 0x0B01
    for frame, count, number in [(FRAME, 1, -100), (FRAME, 2, -100), (LAST, 3, -128), (FRAME, 1, -100)]:
        [output] = bench.send(1, frame).outputs
        added = seen(count, mixed, number, int.from_bytes(frame[12:]))
        assert (output.port, output.packet) == (2, frame + added)


def test_each_switch_has_objects_of_its_own(tmp_path: Path) -> None:
    program = compiled(tmp_path, "hdr.ethernet.dst = (bit<48>)sources.update(hdr.ethernet.src);")
    for bench in (Bench(program, [1, 2]), Bench(program.with_executor("interp"), [1, 2])):
        counts = [bench.send(1, FRAME).outputs[0].packet[5] for _ in range(2)]
        assert counts == [1, 2]
        bench.switch.reset()
        assert bench.send(1, FRAME).outputs[0].packet[5] == 1


@pytest.mark.parametrize("executor", ["native", "interp"])
def test_an_exception_ends_the_run_and_drops_the_packet(tmp_path: Path, executor: str) -> None:
    calls = []

    def failing(a: int, b: int) -> int:
        calls.append(a)
        raise LookupError(f"nothing for {b:#x}")

    program = compiled(tmp_path, "hdr.ethernet.type = mix(1, hdr.ethernet.src);", executor, mix=failing)
    bench = Bench(program, [1, 2])
    with pytest.raises(LookupError, match="nothing for 0xb01") as raised:
        bench.send(1, FRAME)
    assert calls == [1]
    line = PROGRAM.splitlines().index("        {code}") + 1
    assert raised.value.__notes__ == [f"{tmp_path}/own.p4:{line}:9: the program calls `mix` here"]

    with contextlib.closing(network(program)) as net:
        with pytest.raises(LookupError, match="nothing for"):
            net.host("h1").ping("h2", count=1)
        assert "extern failed" in str(net.audit())


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (1 << 16, "returned 65536; expected a number between 0 and 2\\*\\*16 - 1"),
        (-1, "returned -1; expected a number between 0 and 2\\*\\*16 - 1"),
        (1 << 200, "expected a number between"),
        # Python refuses to write such a number as text, also in the name of a test.
        pytest.param(
            1 << 100_000, "returned a number of 100001 bits; expected a number between", id="100001 bits"
        ),
        ("text", "returned 'text'; expected an int"),
        (None, "returned None; expected an int"),
        ((1, 2), "expected an int"),
        (1.5, "returned 1.5; expected an int"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(tmp_path: Path, value: object, error: str) -> None:
    program = compiled(tmp_path, "hdr.ethernet.type = mix(1, 2);", mix=lambda a, b: value)
    bench = Bench(program, [1, 2])
    with pytest.raises((ValueError, TypeError), match=error):
        bench.send(1, FRAME)


def test_an_argument_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    def wrong(word: int, high: weir.OutArgument, low: weir.OutArgument) -> None:
        high.value = 256

    code = "bit<8> low = 1; bit<8> high; split(1, high, low); hdr.ethernet.type = high ++ low;"
    bench = Bench(compiled(tmp_path, code, split=wrong), [1, 2])
    with pytest.raises(ValueError, match="the extern `split` set `high` to 256; expected a number"):
        bench.send(1, FRAME)


def test_code_that_does_not_fit_the_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(P4Error, match="extern `mix` is not supported"):
        compiled(tmp_path, "hdr.ethernet.type = mix(1, 2);")
    with pytest.raises(NetworkError, match='uses no extern "mixt"; did you mean "mix"'):
        compiled(tmp_path, "hdr.ethernet.type = mix(1, 2);", mix=mix, mixt=mix)
    with pytest.raises(NetworkError, match="its code must be a function, not a class"):
        compiled(tmp_path, "hdr.ethernet.type = mix(1, 2);", mix=Sketch)
    with pytest.raises(NetworkError, match="its code must be a class, not a function"):
        compiled(tmp_path, "sources.forget();", Sketch=mix)
    with pytest.raises(NetworkError, match='extern "mix" must be a function or a class, not 7'):
        compiled(tmp_path, "hdr.ethernet.type = mix(1, 2);", mix=7)
    with pytest.raises(P4Error, match="`hash` is an extern of the architecture"):
        code = "hash(hdr.ethernet.type, HashAlgorithm.crc16, 16w0, { hdr.ethernet.src }, 16w100);"
        compiled(tmp_path, code, hash=mix)

    class Other:
        def __init__(self, rows: int) -> None: ...

    code = "hdr.ethernet.dst = (bit<48>)sources.update(1);"
    with pytest.raises(P4Error, match="takes 2 positional arguments but 3 were given"):

        class Update(Other):
            def update(self, key: int) -> int:
                return key

        compiled(tmp_path, code, Sketch=Update)
    with pytest.raises(P4Error, match="the code for the extern `Sketch` has no method `update`"):

        class Nothing:
            def __init__(self, *_: object) -> None: ...

        compiled(tmp_path, code, Sketch=Nothing)


def network(program: weir.Program, world: str = "virtual") -> weir.Network:
    topology = weir.Topology()
    topology.add_host("h1", "10.0.0.1/24")
    topology.add_host("h2", "10.0.0.2/24")
    topology.add_switch("s1")
    topology.add_link("h1", "s1-p1")
    topology.add_link("h2", "s1-p2")
    return weir.Network(topology, p4=program, world=world)


def test_an_extern_cannot_use_the_network_that_calls_it(tmp_path: Path) -> None:
    nets: list[weir.Network] = []

    def curious(a: int, b: int) -> int:
        return int(nets[0].now_ns) & 0xFFFF

    program = compiled(tmp_path, "hdr.ethernet.type = mix(1, 2);", mix=curious)
    with contextlib.closing(network(program)) as net:
        nets.append(net)
        with pytest.raises(NetworkError, match="the code of an extern cannot use switches and networks"):
            net.host("h1").ping("h2", count=1)


def test_a_thread_of_an_extern_waits_for_the_network(tmp_path: Path) -> None:
    """The extern waits in vain for a thread that uses the network, and the network continues."""
    (tmp_path / "own.p4").write_text(PROGRAM.format(code="hdr.ethernet.type = mix(1, 2);"))
    script = """
import threading, weir
times = []
def mix(a, b):
    thread = threading.Thread(target=lambda: times.append(net.now_ns))
    thread.start()
    thread.join(0.1)
    threads.append(thread)
    return 1 if thread.is_alive() else 0
class Sketch:
    def __init__(self, rows, name): pass
    def update(self, key): return 0
    def forget(self): pass
threads = []
topology = weir.Topology()
topology.add_host("h1", "10.0.0.1/24")
topology.add_switch("s1")
topology.add_link("h1", "s1-p1")
with weir.Network(topology, p4=weir.compile("own.p4", externs={"mix": mix, "Sketch": Sketch})) as net:
    net.host("h1").send(bytes(60))
    net.run_for("1ms")
    for thread in threads:
        thread.join()
print(len(times), len(threads))
"""
    command = [sys.executable, "-c", script]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("1 1\n", "")


def test_the_linux_world_refuses_code_in_python(tmp_path: Path) -> None:
    program = compiled(tmp_path, "hdr.ethernet.type = mix(1, 2);", mix=mix)
    with pytest.raises(NetworkError, match="s1 cannot run in the Linux world: the code of the extern Sketch"):
        network(program, "linux")
