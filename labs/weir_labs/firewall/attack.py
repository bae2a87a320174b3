"""The experiment "attack": attack packets must not leave a switch, and admitted hosts must not lose
packets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

import weir
from weir.lab import one_of

from .attacks import ATTACKS, POLICY
from .messages import CHALLENGE, CONTROLLER_MAC, JOIN, Message
from .network import STATIONS, STRANGERS, SWITCHES, refusals
from .office import Office, Talker

_BATCH_PACKETS: Final = 100
_DATAGRAM_INTERVAL: Final = "2ms"


class _Guard(weir.HostProgram):
    """Counts answers and leaks among the frames that reach the attacker, and answers challenges
    with recorded tokens."""

    def __init__(self, recorded: Sequence[bytes], answers: bool) -> None:
        self.answers = self.leaked = self.sent = 0
        self._tokens = [bytes(32), *(frame[-32:] for frame in recorded)]
        self._may_answer = answers

    def on_frame(self, frame: weir.Frame) -> None:
        """Counts a frame as the controller's answer to a request or as a leak."""
        message = Message.read(frame.data)
        if message is None or message.source != CONTROLLER_MAC:
            self.leaked += 1
            return
        self.answers += 1
        if self._may_answer and message.kind == CHALLENGE:
            # The challenge's own token is among the tokens that the attacker tries.
            tokens = [*self._tokens, message.token]
            token = tokens[self.sent % len(tokens)]
            self.send(
                bytes(replace(message, target=CONTROLLER_MAC, source=message.target, kind=JOIN, token=token))
            )
            self.sent += 1


@weir.experiment(attack=[*ATTACKS], packets=[145_000])
def attack(attack: str, packets: int, seed: int) -> dict[str, Any]:
    """Does a packet of an attack leave a switch? Do admitted hosts lose packets during an attack?

    h1, h2, h3 and the new host h4 are admitted, and h1 and h3 exchange packets all the time. A leak
    is any frame from other hosts that leaves a switch.
    """
    plan = ATTACKS[one_of("attack", attack, *ATTACKS)]
    rnd = random.Random(f"{attack} {seed}")
    with Office(seed=seed, limited=plan.limited, new=["h4"], rules=POLICY) as office:
        net, controller = office.net, office.controller
        office.join("h2", "h1", "h3", "h4")
        # Messages that a stranger may have recorded: those of a whole membership, and joins that
        # are still valid.
        office.agents["h2"].leave()
        net.run_for("20ms")
        office.join("h2")
        recorded = [frame for agent in office.agents.values() for frame in agent.sent]
        members_before, requests = dict(controller.members), controller.requests
        refused_before = refusals(net)
        guard = net.host(plan.attacker).run(_Guard(recorded, plan.attacker in STRANGERS), frames=True)
        other_stations = [one.name for one in STATIONS if one.name != plan.attacker]
        sniffer = net.sniff([*other_stations, "s3-p1", "s3-p2"])
        batches = -(-packets // _BATCH_PACKETS)
        until_ns = net.now_ns + 1000 * plan.interval_us * batches
        talkers = [
            net.host(a).run(Talker(receiver, _DATAGRAM_INTERVAL, until_ns), udp=Talker.PORT)
            for a, receiver in (("h1", "h3"), ("h3", "h1"))
        ]
        frames = plan.frames(rnd, recorded)
        sender = net.host(plan.attacker)
        for start in range(0, packets, _BATCH_PACKETS):
            for _ in range(min(_BATCH_PACKETS, packets - start)):
                sender.send(next(frames))
            net.run_for(f"{plan.interval_us}us")
        net.run_for("100ms")
        leaked = guard.leaked + count_leaks(sniffer.stop(), other_stations)
        counted = {name: count - refused_before[name] for name, count in refusals(net).items()}
        requested = controller.requests - requests
        return {
            "sent": packets + guard.sent,
            "leaked": leaked,
            "refused": sum(counted.values()),
            "requests": requested,
            "answers": guard.answers,
            "unexplained": packets + guard.sent - sum(counted.values()) - requested,
            "members_changed": int(controller.members != members_before),
            "own_sent": sum(talker.sent for talker in talkers),
            "own_lost": sum(talker.sent for talker in talkers)
            - sum(len(talker.received) for talker in talkers),
            "entries": sum(len(net.switch(name).table("sources")) for name in SWITCHES),
            "reasons": pl.DataFrame(
                {
                    "reason": [name for name in counted if counted[name]],
                    "refused_packets": [n for n in counted.values() if n],
                }
            ),
            "controller": pl.DataFrame(
                {
                    "reason": sorted(controller.refused),
                    "requests": [controller.refused[r] for r in sorted(controller.refused)],
                },
                schema={"reason": pl.String, "requests": pl.Int64},
            ),
        }


def count_leaks(frames: Sequence[weir.Frame], hosts: Sequence[str], answered: Sequence[str] = ()) -> int:
    """Counts the frames that left a switch and come neither from the talking hosts nor from the
    controller.

    Args:
        frames: the frames seen at hosts and at links between switches.
        hosts: the names of the hosts at which frames were seen.
        answered: the hosts that get answers from the controller.
    """
    leaks = 0
    for frame in frames:
        host = frame.end.partition("-")[0]
        if frame.outbound and host in hosts:
            continue  # A frame that a host sends has not left a switch yet.
        if host in answered:
            message = Message.read(frame.data)
            if message is not None and message.source == CONTROLLER_MAC:
                continue
        leaks += Talker.MARK not in frame.data
    return leaks
