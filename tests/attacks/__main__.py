"""Attacks Weir's services, each for a minute: ``python tests/attacks --seconds 60``; needs Linux.

For each attack a service starts with a memory limit: a switch that forwards frames and answers its
controller, the stand-in of BMv2 with a client of Thrift, or a listener for telemetry with a node
that reports. A line says whether the service survived, what the other clients lost or how long
their calls took, and whether the memory returned.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parent.parent))

from attacks import attackers, scene, services
from attacks.attackers import Target

MB = 1 << 20
P = TypeVar("P", bound=scene.Process)


@dataclass
class Watch:
    """The results of an attack, and the memory of the attacked process meanwhile."""

    did: dict[str, int] = field(default_factory=dict)
    peak: float = 0.0

    def attack(
        self, name: str, seconds: float, target: Target, process: scene.Process, turn: Callable[[int], None]
    ) -> None:
        """Runs the attack to its end, and calls ``turn`` 20 times a second."""
        command = [sys.executable, str(Path(__file__).parent / "attackers.py"), name, str(seconds)]
        arguments = json.dumps(asdict(target))
        attacker = subprocess.Popen([*command, arguments], stdout=subprocess.PIPE, text=True)
        number = 0
        while attacker.poll() is None:
            self.peak = max(self.peak, process.memory())
            turn(number)
            number += 1
            time.sleep(0.05)
        self.did = json.loads(attacker.communicate()[0] or "{}")


def on_switch(name: str, seconds: float, group: scene.Group, files: scene.Files, rate: int) -> dict[str, Any]:
    """Attacks ``weir switch`` and returns what was seen."""
    tls = name in attackers.WITH_TLS
    with closed(scene.Switch(group, files.server() if tls else [])) as switch:
        quiet = scene.Frames(rate)
        with quiet.flowing():
            time.sleep(min(seconds, 10))
        frames, watch, scrapes = scene.Frames(rate), Watch(), []

        def scrape(number: int) -> None:
            if number % 20 == 19:
                scrapes.append(switch.scrape())

        target = Target(
            p4runtime=switch.p4runtime,
            metrics=switch.metrics,
            p4info=str(files.p4info()),
            bomb=str(files.bomb()),
        )
        with (
            scene.Controller(switch.p4runtime, files.client() if tls else None) as controller,
            frames.flowing(),
        ):
            before = switch.memory()
            watch.attack(name, seconds, target, switch, scrape)
        time.sleep(10)
        return {
            **seen(name, watch, before, switch),
            "lost without": quiet.sent - quiet.received,
            "sent without": quiet.sent,
            "lost": frames.sent - frames.received,
            "sent": frames.sent,
            **calls("write", controller.seconds, controller.errors),
            "scrapes": len(scrapes),
            "unanswered scrapes": scrapes.count(None),
        }


def on_stand_in(name: str, seconds: float, group: scene.Group) -> dict[str, Any]:
    """Attacks the stand-in's Thrift services and returns what was seen."""
    with closed(services.StandIn(group)) as stand_in:
        before, watch, caller = stand_in.memory(), Watch(), services.Caller(stand_in.port)
        caller.call()  # Without Thrift services, all calls during the attack would fail for another reason.
        with caller.calling():
            watch.attack(name, seconds, Target(thrift=stand_in.port), stand_in, lambda _: None)
        time.sleep(10)
        return {**seen(name, watch, before, stand_in), **calls("call", caller.seconds, caller.errors)}


def on_listener(name: str, seconds: float, group: scene.Group) -> dict[str, Any]:
    """Attacks ``weir telemetry listen`` and returns what was seen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closed(services.Listener(group, Path(folder) / "store")) as listener,
    ):
        reporter, watch, disk = services.Reporter(listener.port), Watch(), [0.0]

        def look(number: int) -> None:
            if number % 20 == 0:
                disk.append(listener.disk_mb())

        with reporter.reporting():
            time.sleep(3)
            before = listener.memory()
            watch.attack(name, seconds, Target(telemetry=listener.port), listener, look)
        during = reporter.sent
        time.sleep(10)
        known = listener.stored()
        with reporter.reporting():
            time.sleep(3)
        time.sleep(2)
        return {
            **seen(name, watch, before, listener),
            "reports": during,
            "stored reports": known,
            "reports after": reporter.sent - during,
            "stored reports after": listener.stored() - known,
            "disk": max(disk),
        }


@contextlib.contextmanager
def closed(process: P) -> Iterator[P]:
    """Ends the process after the block, and prints its log if it has ended by itself."""
    try:
        yield process
    finally:
        if not process.is_alive():
            print(process.log().decode(errors="replace")[-2000:], flush=True)
        process.end()


def seen(name: str, watch: Watch, before: float, process: scene.Process) -> dict[str, Any]:
    """The results of every attack; memory in MB."""
    return {
        "attack": name,
        "did": watch.did,
        "alive": process.is_alive(),
        "load": os.getloadavg()[0],
        "memory before": before,
        "memory peak": watch.peak,
        "memory after 10 s": process.memory(),
    }


def calls(what: str, seconds: list[float], errors: list[str]) -> dict[str, Any]:
    """How long the calls of a client took, in seconds."""
    times = sorted(seconds)
    return {
        f"{what}s": len(times),
        f"{what} p50": times[len(times) // 2] if times else None,
        f"{what} p99": times[int(len(times) * 0.99)] if times else None,
        f"{what} max": times[-1] if times else None,
        f"{what} errors": len(errors),
        "errors": errors[:3],
    }


def line(seen: dict[str, Any]) -> str:
    """Returns one line for people."""
    parts = [
        f"{seen['attack']:<20} {'alive' if seen['alive'] else 'ENDED'}",
        "memory " + ", ".join(f"{seen[key]:.0f}" for key in seen if key.startswith("memory")) + " MB",
    ]
    for what in ("write", "call"):
        if f"{what}s" in seen:
            times = [seen[f"{what} {key}"] for key in ("p50", "p99", "max")]
            texts = [f"{1000 * one:.1f}" if one is not None else "none" for one in times]
            parts.append(
                f"{seen[f'{what}s']} {what}s, p50 {texts[0]}, p99 {texts[1]}, max {texts[2]} ms, "
                f"{seen[f'{what} errors']} errors"
            )
    if "lost" in seen:
        parts.append(
            f"lost {seen['lost']} of {seen['sent']} frames ({seen['lost without']} of {seen['sent without']} without)"
        )
        parts.append(f"{seen['unanswered scrapes']} of {seen['scrapes']} scrapes unanswered")
    if "reports" in seen:
        parts.append(
            f"stored {seen['stored reports']} of {seen['reports']} reports, afterwards "
            f"{seen['stored reports after']} of {seen['reports after']}; at most {seen['disk']:.0f} MB on disk"
        )
    parts.append(", ".join(f"{value} {what}" for what, value in seen["did"].items()))
    parts.append(f"load {seen['load']:.1f}")
    return "; ".join(parts)


def main() -> int:
    """Runs the attacks and returns 1 if a service ended."""
    parser = argparse.ArgumentParser(prog="tests/attacks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of each attack (%(default)s)")
    parser.add_argument("--memory", type=int, default=512, help="the service's limit in MiB (%(default)s)")
    parser.add_argument("--rate", type=int, default=2000, help="frames per second (%(default)s)")
    parser.add_argument(
        "--attack", action="append", choices=list(attackers.ATTACKS), help="one of them; may be repeated"
    )
    parser.add_argument("--out", type=Path, help="a file for what was seen, as JSON lines")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.inside:
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        os.execvp(
            "unshare",
            ["unshare", "--net", *own, sys.executable, str(Path(__file__).parent), *sys.argv[1:], "--inside"],
        )
    scene.lay_cables()
    group = scene.Group(given.memory * MB)
    if group.folder is None:
        print("no control group can be made here: the memory is measured, not limited", flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        files = scene.Files.made(Path(folder))
        for name in given.attack or attackers.ATTACKS:
            if name in attackers.ON_LISTENER:
                results = on_listener(name, given.seconds, group)
            elif name in attackers.ON_STAND_IN:
                results = on_stand_in(name, given.seconds, group)
            else:
                results = on_switch(name, given.seconds, group, files, given.rate)
            print(line(results), flush=True)
            failed |= not results["alive"]
            if given.out:
                with given.out.open("a") as out:
                    out.write(json.dumps(results) + "\n")
    group.remove()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
