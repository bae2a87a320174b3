"""The stand-ins for p4c and simple_switch_grpc, called as scripts call them."""

import os
import socket
import subprocess
from pathlib import Path

from real_network import Raw, ethernet, eventually, wires

from weir.dropin import shims
from weir.p4runtime import Client

wires(2)
shims.install("bin")
path = {**os.environ, "PATH": f"{Path('bin').resolve()}:{os.environ['PATH']}"}
program = Path(__file__).with_name("crossing.p4")
subprocess.run(["p4c-bm2-ss", "--p4v", "16", "-o", "crossing.json", program], env=path, check=True)
Path("pcaps").mkdir()

line = "simple_switch_grpc -i 1@s1-eth1 -i 2@s1-eth2 --pcap pcaps --nanolog ipc:///tmp/bm-0.ipc --device-id 5"
line += " crossing.json --log-file log --log-flush --thrift-port 9091 -- --grpc-server-addr 127.0.0.1:50051"
switch = subprocess.Popen(line.split(), env=path, stderr=subprocess.PIPE, text=True)


def listens(port: int) -> bool:
    """Whether a TCP port accepts connections."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


try:
    eventually(lambda: listens(50051))
    with Client("127.0.0.1:50051", 5) as client:
        assert client.tables == {}
    eventually(lambda: "ready" in Path("log.txt").read_text())
    one, two = Raw("h1"), Raw("h2")
    frame = ethernet(2, 0x0800, b"x" * 60)
    one.send(frame)
    assert two.receive() == frame
    two.send(frame)
    assert one.receive() == frame
    eventually(lambda: "log_msg, packet" in Path("log.txt").read_text())
    try:
        import thriftpy2  # noqa: F401
    except ModuleNotFoundError:
        assert "pip install 'p4weir[bmv2]'" in Path("log.txt").read_text()
    else:
        assert listens(9091)
    # Shells and Mininet end the processes that they started with SIGHUP.
    switch.send_signal(1)
    _, said = switch.communicate(timeout=20)
finally:
    switch.kill()
    switch.wait()
assert switch.returncode == 0, said
assert said.startswith("simple_switch_grpc: --nanolog has no effect"), said
names = sorted(path.name for path in Path("pcaps").iterdir())
assert names == ["s1-eth1_in.pcap", "s1-eth1_out.pcap", "s1-eth2_in.pcap", "s1-eth2_out.pcap"]
# A header and a record: one frame each.
assert {path.stat().st_size for path in Path("pcaps").iterdir()} == {24 + 16 + len(frame)}
print("done")
