"""Tests that the two programs need no other file: alone.py WEIR-SWITCHD WEIR-LINK.

Runs each in an empty folder with /proc, as its root. Frames cross the switch, a P4Runtime
controller changes a table and sends a program; frames cross the link. Prints the switch's memory.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from real_network import Raw, ethernet, eventually, switch, wires

from weir.p4runtime import Client

HERE = Path(__file__).parent


def try_switch(folder: Path) -> None:
    """Sends frames between two hosts, before and after a change; one port has a ring of the
    kernel."""
    os.environ["WEIR_SWITCHD"] = f"chroot {folder} /weir-switchd"
    ports = ["-i", "1@s1-eth1", "-i", "2@s1-eth2,kind=ring"]
    options = ["--entries", "/entries.json", "--cpu-port", "64", "--p4runtime", "unix:/p4.sock"]
    with switch("/ports.p4", *ports, *options, "--metrics", "127.0.0.1:9100") as service:
        one, two = Raw("h1"), Raw("h2")
        for size in range(46, 1500, 7):
            one.send(frame := ethernet(2, 0x0800, bytes([size % 256]) * size))
            assert two.receive() == frame
        with Client(f"unix:{folder}/p4.sock", 0) as controller:
            controller.table("ports").insert({"hdr.ethernet.dst": "08:00:00:00:00:05"}, "to", {"port": 1})
            two.send(frame := ethernet(5, 0x0800, bytes(60)))
            assert one.receive() == frame
            show_memory(service.process.pid, "in use")
            controller.set_program(HERE / "ports.p4")
            show_memory(service.process.pid, "when a controller has sent a program")
            # The compiler's code goes within seconds.
            eventually(lambda: resident(service.process.pid, "VmRSS") < 15_000)
            show_memory(service.process.pid, "later")
        service.stop()


def resident(process: int, kind: str) -> int:
    """Resident memory of a process in KiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split(f"{kind}:")[1].split()[0])


def show_memory(process: int, when: str) -> None:
    """Prints the memory of the switch."""
    total, own = (resident(process, kind) for kind in ("VmRSS", "RssAnon"))
    print(f"the switch, {when}: {total} KiB of memory, {own} KiB of them its own")


def try_link(folder: Path) -> None:
    """Sends frames between two hosts, in both directions."""
    command = ["chroot", str(folder), "/weir-link", "s1-eth1", "s1-eth2", "--delay", "1ms"]
    link = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    one, two = Raw("h1"), Raw("h2")

    def arrives() -> bool:
        one.send(ethernet(2, 0x0800, bytes(60)))
        return not two.is_quiet(0.1)

    # It does not say when it is ready.
    eventually(arrives)
    two.send(frame := ethernet(1, 0x0800, bytes(61)))
    assert one.receive() == frame
    link.terminate()
    printed, _ = link.communicate(timeout=20)
    assert link.returncode == 0 and printed, printed


@contextmanager
def proc(folder: Path) -> Iterator[None]:
    """Mounts /proc in a folder while its block runs."""
    (folder / "proc").mkdir()
    subprocess.run(["mount", "--rbind", "/proc", folder / "proc"], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder / "proc"], check=True)


def main() -> None:
    """Tries both programs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program, binary in zip(("weir-switchd", "weir-link"), sys.argv[1:], strict=True):
            shutil.copy(binary, folder / program)
        for file in ("ports.p4", "entries.json"):
            shutil.copy(HERE / file, folder)
        wires(2)
        with proc(folder):
            try_switch(folder)
            try_link(folder)
    print("frames cross weir-switchd and weir-link, each alone in a folder")


main()
