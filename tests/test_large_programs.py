"""Programs whose machine code would take minutes and gigabytes run in the interpreter."""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import weir
from weir.errors import NetworkError, WeirWarning
from weir.p4runtime import Client, ServerOptions
from weir.topology import shapes

LARGE = """
#include <core.p4>
#include <v1model.p4>
header wide_t {{ bit<8> more; {fields} }}
struct headers_t {{ wide_t[{count}] wide; }}
struct meta_t {{ }}
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    state start {{
        p.extract(h.wide.next);
        transition select(h.wide.last.more) {{ 1: start; default: accept; }}
    }}
}}
control C(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    apply {{ s.egress_spec = 2; }}
}}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in headers_t h) {{ apply {{ p.emit(h.wide); }} }}
V1Switch(P(), C(), I(), E(), C(), D()) main;
"""


def source(folder: Path, count: int, width: int = 8) -> Path:
    """A program with a stack of this many headers, each with 24 fields of a width."""
    path = folder / "large.p4"
    fields = " ".join(f"bit<{width}> f{i};" for i in range(24))
    path.write_text(LARGE.format(fields=fields, count=count))
    return path


def test_a_large_program_runs_in_the_interpreter_with_a_warning(tmp_path: Path):
    path = source(tmp_path, 4000)
    with pytest.warns(WeirWarning, match=r"large\.p4 runs in the interpreter, which is slower: .*too large"):
        program = weir.compile(path)
    assert program.executor == "interp"


def test_a_large_program_of_a_controller_runs_in_the_interpreter_with_a_warning(tmp_path: Path):
    path = source(tmp_path, 4000)
    options = ServerOptions("127.0.0.1:0")
    with (
        weir.Network(shapes.star(2), "router", p4runtime=options) as net,
        Client(net.p4runtime.address("s1")) as client,
    ):
        with pytest.warns(WeirWarning, match="runs in the interpreter"):
            client.set_program(path)
        with pytest.warns(WeirWarning, match=r"a controller's program .* interpreter, .* too large"):
            net.run_for("1ms")
        assert net.switch("s1").program.executor == "interp"
        # There is one warning.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            net.run_for("1ms")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """Starts ``weir switch`` without interfaces, with these arguments; returns the process and its
    address."""
    started = []

    def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
        address = f"unix:{tmp_path / f'{len(started)}.sock'}"
        command = [sys.executable, "-m", "weir", "switch", *arguments, "--p4runtime", address]
        log = (tmp_path / f"{len(started)}.log").open("w+")
        started.append((subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, text=True), log))
        return started[-1][0], address

    yield start
    for process, log in started:
        process.terminate()
        process.wait(30)
        log.close()


def logged(log: Path, text: str) -> str:
    """The content of a log once it contains ``text``."""
    for _ in range(600):
        found = log.read_text()
        if text in found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"no line with {text!r}: {log.read_text()}")


def test_the_log_of_a_switch_says_that_its_program_runs_in_the_interpreter(
    tmp_path: Path, service: Callable[..., tuple[subprocess.Popen[str], str]]
):
    service(str(source(tmp_path, 4000)))
    lines = logged(tmp_path / "0.log", "the interpreter runs the program")
    assert "too large for machine code" in lines


def test_the_log_of_a_switch_says_that_a_controllers_program_runs_in_the_interpreter(
    tmp_path: Path, service: Callable[..., tuple[subprocess.Popen[str], str]]
):
    _, address = service()
    socket = Path(address.removeprefix("unix:"))
    for _ in range(600):
        if socket.exists():
            break
        time.sleep(0.1)
    with Client(address) as client, pytest.warns(WeirWarning, match="runs in the interpreter"):
        client.set_program(source(tmp_path, 4000))
    lines = logged(tmp_path / "0.log", "the interpreter runs a controller's program")
    assert "too large for machine code" in lines


def test_machine_code_of_a_large_program_is_refused(tmp_path: Path):
    with pytest.raises(NetworkError, match=r"too large for machine code .* with the executor `interp`"):
        weir.compile(source(tmp_path, 4000), executor="native")


def test_wide_fields_count_with_all_their_words(tmp_path: Path):
    with pytest.raises(NetworkError, match=r"too large for machine code"):
        weir.compile(source(tmp_path, 200, width=2048), executor="native")


@pytest.mark.filterwarnings("error")
def test_a_stack_of_a_hundred_headers_is_machine_code(tmp_path: Path):
    assert weir.compile(source(tmp_path, 100)).executor == "native"


PEAK = """
import re, sys, weir
weir.compile(sys.argv[1])
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.mark.parametrize(
    "cells",
    [
        "Counter<bit<64>, bit<32>>(60000000, PSA_CounterType_t.BYTES)",
        "Meter<bit<32>>(5000000, PSA_MeterType_t.BYTES)",
        "Register<bit<64>, bit<32>>(60000000)",
        "Register<bit<64>, bit<32>>(60000000, 77)",
    ],
)
def test_unused_cells_take_no_memory(cells: str, tmp_path: Path):
    """Controllers send such programs to servers with less memory than all cells would take."""
    program = tmp_path / "cells.p4"
    text = (Path(__file__).parent.parent / "testdata" / "psa" / "externs.p4").read_text()
    place = "    Counter<bit<64>, bit<8>>(4,"
    program.write_text(text.replace(place, f"    {cells} more;\n{place}"))
    ended = subprocess.run([sys.executable, "-c", PEAK, program], capture_output=True, text=True, check=True)
    assert int(ended.stdout) < 200, "MB"
