"""Closed pipes, odd environments, odd names and words."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from torture.case import Case, Failed
from torture.processes import command, results
from torture.processes.command import NET, NETWORK, WEIR, environment

_COMMANDS = [
    ["--help"], ["--version"], ["check", str(NET / "router.p4")], ["ir", str(NET / "router.p4")], ["explain"], ["explain", "unused"],
    ["ping", *NETWORK], ["ping", *NETWORK, "--json"], ["iperf", *NETWORK, "-t", "0.1"], ["lab", "list"],
    ["run", NETWORK[0], "--p4", NETWORK[-1], "-c", "h1 ping -c 2 h2", "-c", "pingall"],
    ["trace", str(NET / "router.p4"), "--packet", "00" * 60, "--port", "1"],
]  # fmt: skip


def streams(chance: random.Random) -> Case:
    """Standard streams that are closed, full, or not read."""
    args = chance.choice(_COMMANDS)
    form = chance.choice(
        [
            "no reader",
            "early reader",
            ">&-",
            "2>&-",
            "<&-",
            ">&- 2>&- <&-",
            ">/dev/full",
            "2>/dev/full",
            "< /dev/zero",
        ]
    )

    def run(folder: Path) -> str:
        if form == "no reader":
            read, write = os.pipe()
            os.close(read)
            try:
                ended = command.run(args, folder, stdout=write)
            finally:
                os.close(write)
        elif form == "early reader":
            process = command.start(args, folder, stderr=subprocess.PIPE)
            assert process.stdout is not None
            process.stdout.read(1)
            process.stdout.close()
            process.stdout = None
            ended = command.end(process)
        else:
            words = ["sh", "-c", f'exec "$0" "$@" {form}', WEIR, *args]
            process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       stdin=None if "<" in form else subprocess.DEVNULL)  # fmt: skip
            ended = command.end(process)
        if ended.code < 0 and ended.code != -signal.SIGPIPE:
            raise Failed(f"ended by signal {-ended.code}: {ended.err}")
        command.Ended(0, ended.out, ended.err).check(0)
        if ended.code not in (0, 1, -signal.SIGPIPE):
            raise Failed(f"exit code {ended.code}: {ended.err}")
        return "done" if ended.code == 0 else "refused"

    return Case("streams", run, {"command.txt": f"{args} {form}\n"})


def environments(chance: random.Random) -> Case:
    """Environments without HOME, TERM or a locale, or with values that make no sense."""
    odd: dict[str, list[str | None]] = {
        "HOME": [None, "/nonexistent", "", "\x01", "/dev/null"], "TERM": [None, "dumb", "", "x" * 1000], "PATH": [None, ""],
        "LANG": [None, "C", "tr_TR.UTF-8", "xx"], "LC_ALL": [None, "C", "POSIX", "ja_JP.SJIS"], "PYTHONUTF8": [None, "0", "1"],
        "PYTHONIOENCODING": [None, "ascii", "utf-16", "latin-1:strict"], "COLUMNS": [None, "0", "1", "-5", "x", "99999999"], "LINES": [None, "0", "x"],
        "TMPDIR": [None, "/nonexistent"], "MPLCONFIGDIR": [None, "/nonexistent", "/dev/null"], "TZ": [None, "x", ":/dev/zero"], "NO_COLOR": [None, "1"],
        "FORCE_COLOR": [None, "1", "9"], "PYTHONHASHSEED": [None, "0", "12345"], "MPLBACKEND": [None, "agg"], "POLARS_MAX_THREADS": [None, "1"],
    }  # fmt: skip
    changes = {name: chance.choice(values) for name, values in odd.items() if chance.random() < 0.4}
    args = chance.choice([*_COMMANDS, ["ping", *NETWORK, "--plot", "a.png", "--csv", "a.csv"]])
    gone = chance.random() < 0.1

    def run(folder: Path) -> str:
        target = folder / "there"
        target.mkdir()
        if gone:
            # The current folder is removed before the command begins.
            words = ["sh", "-c", 'rmdir "$PWD"; exec "$0" "$@"', WEIR, *args]
            process = subprocess.Popen(words, cwd=target, env=environment(**{**changes, "PATH": os.environ["PATH"]}),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
            ended = command.end(process).check(0, 1)
        else:
            ended = command.run(args, target, env=environment(**changes)).check(0)
            # HOME may be a folder in this one, where libraries keep settings.
            for path in filter(Path.is_file, target.iterdir()):
                results.check(path)
        return "done" if ended.code == 0 else "refused"

    return Case("environments", run, {"command.txt": f"{args}\n{changes}\nwithout folder: {gone}\n"})


# ELSEWHERE stands for a folder of the case, whose path is absolute.
_NAMES = [
    "../x", "../../etc/x", "ELSEWHERE/x", "a/b", "..", ".", "<script>alert(1)</script>", '"><img src=x>', "h1\nh2", "h\x00", "é", "-c", "--help", "h 1",
    "$(touch x)", "`touch x`", "x" * 300, "con", "h1;ls", "%s%n", "{0}", "\x1b[31mred", "CON.", "'", "a\\b",
]  # fmt: skip


def names(chance: random.Random) -> Case:
    """Hosts, switches and files with names that are paths, HTML or commands."""
    host, switch = chance.choice([*_NAMES, "h1"]), chance.choice([*_NAMES, "s1", "s1"])
    document: dict[str, Any] = json.loads((NET / "topology.json").read_text())
    text = json.dumps(document).replace('"h1"', json.dumps(host)).replace('"s1"', json.dumps(switch))
    text = text.replace('"s1-p1"', json.dumps(f"{switch}-p1")).replace('"s1-p2"', json.dumps(f"{switch}-p2"))
    text = text.replace("s1-runtime.json", str(NET / "s1-runtime.json"))
    args = [
        "ping",
        "topology.json",
        "h" if "\x00" in host else host,
        "h2",
        "--p4",
        NETWORK[-1],
        "-c",
        "2",
        "-i",
        "0.01",
        "--pcap",
        "captures",
        "--plot",
        "a.svg",
    ]

    def run(folder: Path) -> str:
        work = folder / "deep" / "work"
        work.mkdir(parents=True)
        (folder / "elsewhere").mkdir()
        elsewhere = ("ELSEWHERE", str(folder / "elsewhere"))
        (work / "topology.json").write_text(text.replace(*elsewhere))
        ended = command.run([word.replace(*elsewhere) for word in args], work).check(0, 1, 2)
        allowed = {work / "topology.json", work / "a.svg"}
        for path in folder.rglob("*"):
            if path.is_file() and path not in allowed and path.parent != work / "captures":
                raise Failed(f"wrote {path.relative_to(folder)}")
        if "\x1b" in ended.out + ended.err:
            raise Failed("a name did something")
        picture = work / "a.svg"
        if picture.exists() and ("<script>" in picture.read_text() or "<img" in picture.read_text()):
            raise Failed("a name is in the picture unescaped")
        shutil.rmtree(work)
        return "done" if ended.code == 0 else "refused"

    return Case("names", run, {"topology.json": text, "command.txt": f"{args}\n"})


def words(chance: random.Random) -> Case:
    """Commands at the prompt of ``weir run``: words it knows, words it does not, any bytes."""
    known = [
        "help", "h1 ping -c 2 h2", "h1 iperf h2 -t 0.01", "pingall", "nodes", "links", "s1 table_dump ipv4_lpm", "h1", "s1", "exit", "quit", "xterm h1",
        "h1 ip route", "h1 tc qdisc show", "s1 table_add ipv4_lpm drop 1 =>", "link s1 h1 down", "link s1 h1 up", "# x", "sh ls", "py 1", "h1 kill %1", "h1 ping h2 &",
        "h1 ping -c", "h9 ping h1", "s1 show_tables", "h1 ifconfig", "dump", "net", "time", "run 1s", "\t", "\x04", "\x03", "é" * 50, "x" * 10_000, "\x00", "h1 cat /etc/passwd",
    ]  # fmt: skip
    lines = []
    for _ in range(chance.randrange(1, 15)):
        line = chance.choice(known)
        if chance.random() < 0.4:
            parts = [*line.split(" "), *chance.choice(known).split(" ")]
            chance.shuffle(parts)
            line = " ".join(parts[: chance.randrange(1, 6)])
        lines.append(line)
    content = "\n".join(lines).encode()
    if chance.random() < 0.1:
        content = chance.randbytes(2000)

    def run(folder: Path) -> str:
        process = command.start(["run", NETWORK[0], "--p4", NETWORK[-1]], folder, stdin=subprocess.PIPE)
        ended = command.end(process, content).check(0, 1)
        if "root:x:0" in ended.out:
            raise Failed("shows a file of this machine")
        return "done" if ended.code == 0 else "refused"

    return Case("words", run, {"input.txt": content})
