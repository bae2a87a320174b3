"""Attacks a switch, each attack for a minute: ``python tests/attacks --seconds 60``; needs Linux.

For each attack a switch starts with a memory limit, forwards frames and answers its controller.
A line says whether the switch survived, how many frames it lost, how long writes took, and whether
its memory returned.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from attacks import attackers, scene

MB = 1 << 20


def attack(name: str, seconds: float, group: scene.Group, files: scene.Files, rate: int) -> dict[str, object]:
    """Runs one attack and returns what was seen."""
    tls = name in attackers.WITH_TLS
    switch = scene.Switch(group, files.server() if tls else [])
    try:
        quiet = scene.Frames(rate)
        with quiet.flowing():
            time.sleep(min(seconds, 10))
        frames = scene.Frames(rate)
        peak, scrapes = 0.0, []
        with (
            scene.Controller(switch.p4runtime, files.client() if tls else None) as controller,
            frames.flowing(),
        ):
            before = switch.resident()
            attacker = subprocess.Popen(
                [sys.executable, str(Path(__file__).parent / "attackers.py"), name, str(seconds),
                 str(switch.p4runtime), str(switch.metrics), str(files.p4info()), str(files.bomb())],
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            turn = 0
            while attacker.poll() is None:
                peak = max(peak, switch.resident())
                if turn % 20 == 19:
                    scrapes.append(switch.scrape())
                turn += 1
                time.sleep(0.05)
            done = json.loads(attacker.communicate()[0] or "{}")
        time.sleep(10)
        times = sorted(controller.seconds)
        return {
            "attack": name,
            "did": done,
            "alive": switch.is_alive(),
            "resident before": before,
            "resident peak": peak,
            "resident after 10 s": switch.resident(),
            "lost without": quiet.sent - quiet.received,
            "sent without": quiet.sent,
            "lost": frames.sent - frames.received,
            "sent": frames.sent,
            "writes": len(times),
            "write p50": times[len(times) // 2] if times else None,
            "write p99": times[int(len(times) * 0.99)] if times else None,
            "write max": times[-1] if times else None,
            "errors": controller.errors[:3],
            "scrapes": len(scrapes),
            "unanswered scrapes": scrapes.count(None),
        }
    finally:
        if not switch.is_alive():
            print(switch.log().decode(errors="replace")[-2000:], flush=True)
        switch.end()


def line(seen: dict[str, object]) -> str:
    """Returns one line for people."""
    number = lambda key, digits=0: f"{seen[key]:.{digits}f}" if seen[key] is not None else "none"  # noqa: E731
    milliseconds = [
        f"{1000 * seen[key]:.1f}" if seen[key] else "none" for key in ("write p50", "write p99", "write max")
    ]
    return (
        f"{seen['attack']:<20} {'alive' if seen['alive'] else 'ENDED'}; "
        f"resident {number('resident before')}, {number('resident peak')}, {number('resident after 10 s')} MB; "
        f"lost {seen['lost']} of {seen['sent']} frames ({seen['lost without']} of {seen['sent without']} without); "
        f"{seen['writes']} writes, p50 {milliseconds[0]}, p99 {milliseconds[1]}, max {milliseconds[2]} ms, "
        f"{len(seen['errors'])} errors; {seen['unanswered scrapes']} of {seen['scrapes']} scrapes unanswered; "
        f"{', '.join(f'{value} {what}' for what, value in seen['did'].items())}"
    )


def main() -> int:
    """Runs the attacks and returns 1 if a switch ended."""
    parser = argparse.ArgumentParser(prog="tests/attacks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of each attack (%(default)s)")
    parser.add_argument("--memory", type=int, default=512, help="the switch's limit in MiB (%(default)s)")
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
            seen = attack(name, given.seconds, group, files, given.rate)
            print(line(seen), flush=True)
            failed |= not seen["alive"]
            if given.out:
                with given.out.open("a") as out:
                    out.write(json.dumps(seen) + "\n")
    group.remove()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
