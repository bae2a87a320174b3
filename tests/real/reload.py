"""Tests that a switch reloads changed files: matching entries stay, and packets pass all the
time."""

import os
import socket
import time
from pathlib import Path

from real_network import Raw, ethernet, switch, wires

from weir.p4runtime import Client

HERE = Path(__file__).parent
program, entries = Path("program.p4"), Path("entries.json")
text, first_entries = (HERE / "ports.p4").read_text(), (HERE / "entries.json").read_text()
# A table with constant entries, whose counts are the switch's own.
CONSTANT = """
    direct_counter(CounterType.packets) of_kind;
    table kinds {
        key = { hdr.ethernet.type: exact; }
        actions = { NoAction; }
        const entries = { 0x0800: NoAction(); 0x86dd: NoAction(); }
        counters = of_kind;
    }
    apply {
        kinds.apply();
        if (hdr.ethernet.type == 0x88b5) {"""
text = text.replace("\n    apply {\n        if (hdr.ethernet.type == 0x88b5) {", CONSTANT, 1)
assert "kinds.apply();" in text
program.write_text(text)
entries.write_text(first_entries)

supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
supervisor.bind("notify.sock")
supervisor.settimeout(20)
os.environ["NOTIFY_SOCKET"] = str(Path("notify.sock").absolute())


def states() -> str:
    """The switch's next message to its supervisor, other than that it is alive."""
    while (said := supervisor.recv(4096).decode()).strip() == "WATCHDOG=1":
        pass
    return said


wires(3)
ports = [option for number in (1, 2, 3) for option in ("-i", f"{number}@s1-eth{number}")]
options = ["--entries", str(entries), "--p4runtime", "unix:p4.sock", "--cpu-port", "64"]
with switch(str(program), *ports, *options) as service, Client("unix:p4.sock", 0) as controller:
    assert states().strip() == "READY=1"
    one, two, three = (Raw(f"h{number}") for number in (1, 2, 3))
    table = controller.table("ports")
    table.insert({"hdr.ethernet.dst": "08:00:00:00:00:03"}, "to", {"port": 3})

    def crosses() -> bool:
        """Whether frames to hosts 2 and 3 arrive there."""
        for number, host in ((2, two), (3, three)):
            one.send(frame := ethernet(number, 0x0800, bytes([number]) * 60))
            if host.receive() != frame:
                return False
        return True

    def reloaded() -> dict[str, object]:
        """Asks for a reload, and returns the log's lines about it."""
        service.reload()
        lines = service.wait_for("the files are reloaded")
        state = states()
        assert "RELOADING=1" in state and "MONOTONIC_USEC=" in state, state
        assert "READY=1" in states()
        return lines

    assert crosses()

    def kinds() -> list[int | None]:
        """The counts of the constant entries."""
        return [entry.packets for entry in controller.table("kinds").entries()]

    # Nothing has changed, nor have the counts.
    before = kinds()
    assert sum(before) >= 2, before
    assert reloaded()["changed"] == "nothing"
    assert kinds() == before

    # A line of the entries: the table's other entries and their counts stay.
    entries.write_text(
        first_entries.replace(
            '00:01"}, "action_name": "to", "action_params": {"port": 1}',
            '00:01"}, "action_name": "to", "action_params": {"port": 3}',
        )
    )
    said = reloaded()
    assert (said["program"], said["changed"], said["lost"]) == ("the same", "1 table entries", 0), said
    two.send(frame := ethernet(1, 0x0800, bytes(60)))
    assert three.receive() == frame
    assert [entry.packets for entry in table.entries()] == [1, 1, 1]
    assert crosses()

    # Another program: entries move with their counts; the log names entries that do not fit it.
    other = text.replace("hdr.packet_out.setInvalid();", "hdr.packet_out.setInvalid(); return;")
    program.write_text(other.replace("counters = seen;", "counters = seen; size = 2;"))
    service.reload()
    lost = service.wait_for("lost by the reload")
    assert (lost["what"], lost["count"]) == ("table entries of MyIngress.ports", 1), lost
    said = service.wait_for("the files are reloaded")
    assert (said["program"], said["lost"]) == ("replaced", 1), said
    assert sum(kinds()) >= sum(before)
    assert states() and states()
    assert len(table.entries()) == 2

    # Frames that arrive meanwhile are not lost.
    program.write_text(other)
    service.reload()
    frames = [ethernet(2, 0x0800, number.to_bytes(50)) for number in range(400)]
    for frame in frames:
        one.send(frame)
        time.sleep(0.001)
    assert [two.receive() for _ in frames] == frames
    assert service.wait_for("the files are reloaded")["program"] == "replaced"
    assert states() and states()

    # Copies for a port without an interface are lost.
    before = entries.read_text()
    entries.write_text(before.replace('"egress_port": 3', '"egress_port": 9'))
    service.reload()
    lost = service.wait_for("copies go to")["message"]
    assert lost == "multicast group 1: copies go to port 9, but the switch has no such port"
    service.wait_for("the files are reloaded")
    assert states() and states()
    controller.set_multicast_group(2, [8, 1])
    assert service.wait_for("copies go to")["message"].startswith("multicast group 2: copies go to port 8")
    controller.delete_multicast_group(2)
    entries.write_text(before)
    assert reloaded()["lost"] == 0

    # Mistakes change nothing.
    for file, mistake, expected in (
        (program, text.replace("ports.apply()", "porst.apply()"), "porst"),
        (entries, first_entries.replace('"ports"', '"porst"'), "porst"),
    ):
        before = file.read_text()
        file.write_text(mistake)
        service.reload()
        message = service.wait_for("not reloaded")["message"]
        assert file.name in message and expected in message, message
        assert "RELOADING=1" in states()
        assert "STATUS=the last reload failed" in states()
        file.write_text(before)
    for file in (program, entries):
        before = file.read_text()
        file.unlink()
        os.mkfifo(file)
        service.reload()
        message = service.wait_for("not reloaded")["message"]
        assert f"{file.name}: is a pipe, socket or device, which can be read only once" in message, message
        assert states() and states()
        file.unlink()
        file.write_text(before)
    one.send(frame := ethernet(2, 0x0800, bytes(60)))
    assert two.receive() == frame
    service.stop()
print("done")
