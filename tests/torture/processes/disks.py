"""Results on a disk that is full, that cannot be written, or that is not a disk."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

from torture.case import Case, Failed
from torture.processes import command, results
from torture.processes.command import NETWORK, WEIR, Ended


def _mounted(args: list[str], folder: Path, options: str) -> Ended:
    """Runs the command in a folder that is a file system of its own, in a mount namespace.

    The folder begins with older results; its final contents are copied to ``kept``.
    """
    script = (
        "set -e; mkdir disk kept; mount -t tmpfs -o $0 none disk; cd disk; "
        "printf 'an older result\\n' > a.csv; cp a.csv a.png; mount -o remount,$1 none .; shift; set +e; "
        '"$@"; code=$?; find . -type f -exec cp --parents {} ../kept \\; ; exit $code'
    )
    size, mode = options.split(" ")
    process = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script, size, mode, WEIR, *args],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    return command.end(process)


def disks(chance: random.Random) -> Case:
    """A run that writes results where they do not fit, or where it has no permission to write."""
    rows = chance.choice([3, 3000])
    plot = chance.choice([[], ["--plot", "a.png"]])
    args = ["ping", *NETWORK, "-c", str(rows), "-i", "0.001", "--csv", "a.csv", *plot]
    if chance.random() < 0.4:
        args += ["--pcap", "captures"]
    if os.getuid() == 0 and chance.random() < 0.7:
        options = chance.choice(
            ["size=8k rw", "size=16k rw", "size=64k rw", "size=300k rw", "size=64k ro", "nr_inodes=5 rw"]
        )

        def mounted(folder: Path) -> str:
            ended = _mounted(args, folder, options).check(0, 1)
            kept = folder / "kept"
            states = [results.check(kept / name, rows) for name in ("a.csv", "a.png")]
            if "none" in states:
                raise Failed(f"an older result is gone: {states}")
            for path in kept.rglob("*.pcapng"):
                results.check(path)
            results.check_no_partial(kept)
            if ended.code == 1 and "error: " not in ended.err:
                raise Failed(f"no reason: {ended.err}")
            return "written" if ended.code == 0 else "refused"

        return Case("disks", mounted, {"command.txt": f"{args}\n{options}\n"})

    place = chance.choice(
        [
            "/dev/full",
            "/dev/null",
            "no/such/folder/a.csv",
            "folder",
            "",
            "x" * 300,
            "/proc/self/x",
            "link",
            "loop",
        ]
    )
    flag = chance.choice(["--csv", "--plot", "--pcap"])
    bad = [
        "ping",
        *NETWORK,
        flag,
        place + (".png" if flag == "--plot" and not place.startswith("/dev") else ""),
    ]

    def unmounted(folder: Path) -> str:
        (folder / "folder").mkdir()
        (folder / "link").symlink_to("nowhere/at/all")
        (folder / "loop").symlink_to("loop")
        ended = command.run(bad, folder).check(0, 1, 2)
        results.check_no_partial(folder)
        return "written" if ended.code == 0 else "refused"

    return Case("disks", unmounted, {"command.txt": f"{bad}\n"})
