"""Words for command lines, and files that they name."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Final

from torture.switch import ROOT

NET: Final = ROOT / "tests" / "net"

ODD: Final = [
    "", " ", "x", "-", "--", "-1", "0", "1", "2", "1.5", "nan", "inf", "1e400", "9" * 5000, "18446744073709551616", "٣", "é", "\u202e", "x" * 5000,
    "../x", "<b>", "$(x)", "%s", "{0}", "a=b", "=", ",", "a,b", "1,2,3", "*", "h1", "s1", "h1,h2", "1ms", "-1ms", "1h", "1Mbit", "0bit", "1%", "101%", "10p", "1MB",
]  # fmt: skip

PATHS: Final = [
    "topology.json", "router.p4", "s1-runtime.json", "commands.txt", "a.stf", "a.pcap", "study.py", "random.bin", "empty", "folder", "missing", "new",
    "new.csv", "new.png", "new.svg", "new.json", "new.html", "no/such/folder/x", "/nonexistent/x", "/dev/null", "/dev/full", "loop", "", ".", "x" * 300, "é.p4",
]  # fmt: skip
"""Names of files, most of which :func:`prepare` makes."""

_STUDY: Final = '''import weir

@weir.experiment(x=[1, 2], name=["a", "b"])
def small(x, name, seed):
    """A small one."""
    return {"y": x}
'''


def prepare(folder: Path) -> None:
    """Makes the files."""
    for name in ("router.p4", "topology.json", "s1-runtime.json"):
        (folder / name).write_bytes((NET / name).read_bytes())
    (folder / "commands.txt").write_text("table_dump ipv4_lpm\n")
    (folder / "a.stf").write_text(f"packet 1 {'00' * 60}\n")
    packet = struct.pack("<IIII", 0, 0, 60, 60) + bytes(60)
    (folder / "a.pcap").write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1) + packet)
    (folder / "study.py").write_text(_STUDY)
    (folder / "random.bin").write_bytes(random.Random(1).randbytes(3000))
    (folder / "links.json").write_text(json.dumps([{"ends": ["no0", "no1"], "delay": "1ms"}]))
    (folder / "empty").write_bytes(b"")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
