"""The controller of the lab firewall: the admitted hosts, and the findings of the experiments."""

from __future__ import annotations

import hmac
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from weir.bench import time_pipeline
from weir.lab import run_lab
from weir.text.measured import grouped
from weir_labs.firewall import native
from weir_labs.firewall.agent import Agent
from weir_labs.firewall.attack import attack
from weir_labs.firewall.attacks import ATTACKS, Attack
from weir_labs.firewall.frames import ethernet, ipv4, udp
from weir_labs.firewall.messages import CHALLENGE, CONTROLLER_MAC, HELLO, JOIN, LEAVE, Identity, Message
from weir_labs.firewall.network import FOLDER, SWITCHES, network, packed_addresses, program, station
from weir_labs.firewall.office import ONLY_MESSAGES, Office


def entries(office: Office) -> dict[str, list[int]]:
    """The numbers of the hosts that may send, by switch; checks that the other tables have the same
    hosts."""
    counts = {}
    for name in SWITCHES:
        switch = office.net.switch(name)
        numbers = sorted(int(entry.params["number"]) for entry in switch.table("sources").entries())
        assert numbers == sorted(int(entry.params["number"]) for entry in switch.table("targets").entries())
        assert len(numbers) == len(switch.table("routes"))
        counts[name] = numbers
    return counts


def test_a_token_is_an_hmac_over_all_that_is_said() -> None:
    one = Identity(1, b"MACMAC", b"ADDR", b"key")
    said = b"\x03MACMACADDR" + b"h" * 16 + b"c" * 16
    assert one.token(JOIN, b"h" * 16, b"c" * 16) == hmac.new(b"key", said, sha256).digest()


def test_rules_are_where_packets_pass() -> None:
    with Office(seed=1) as office:
        office.join("h1", "h2")
        assert entries(office) == {"s1": [1, 2], "s3": [], "s2": []}
        office.join("h3")
        assert entries(office) == {"s1": [1, 2, 3], "s3": [1, 2, 3], "s2": [1, 2, 3]}
        office.agents["h1"].leave()
        office.net.run_for("20ms")
        assert entries(office) == {"s1": [2, 3], "s3": [2, 3], "s2": [2, 3]}
        office.agents["h2"].leave()
        office.net.run_for("20ms")
        assert entries(office) == {"s1": [], "s3": [], "s2": [3]}
        assert not office.controller.refused


def test_who_leaves_is_forgotten() -> None:
    with Office(seed=1, new=["h4"]) as office:
        office.join("h1", "h4")
        h1, h4 = office.net.host("h1"), office.net.host("h4")
        assert h1.ping("h4", count=1).received == 1 and h4.ping("h1", count=1).received == 1
        office.agents["h4"].leave()
        office.net.run_for("100ms")
        office.join("h4")
        assert h4.ping("h1", count=1, timeout="10ms").received == 0


def test_trust_is_one_write_that_loses_nothing() -> None:
    with Office(seed=1, new=["h4"]) as office:
        office.join("h1", "h4")
        writes, h4 = office.controller.writes, office.net.host("h4")
        assert h4.ping("h1", count=1, timeout="10ms").received == 0
        office.controller.trust("h4")
        office.net.run_for("1ms")
        assert office.controller.writes == writes + 3
        assert h4.ping("h1", count=1).received == 1


def test_the_silent_are_shut_out() -> None:
    with Office(seed=1, silence="2s") as office:
        office.join("h1", "h2", "h3")
        for number in range(40):
            office.net.after(f"{100 * number}ms", lambda: office.net.host("h1").send(bytes(60)))
        office.net.run_for("4s")
        # Frames that are refused do not count, either.
        assert list(office.controller.members) == [] and entries(office) == {"s1": [], "s3": [], "s2": []}


def stranger(office: Office, host: str, identity: Identity) -> Agent:
    return office.net.host(host).run(Agent(identity, office.nonces), frames=ONLY_MESSAGES)


def test_without_the_key_nobody_is_admitted() -> None:
    with Office(seed=1) as office:
        h1 = office.identities["h1"]
        guess = stranger(office, "x1", replace(h1, key=bytes(32)))
        guess.join()
        office.net.run_for("1s")
        # The host can tell that the controller has another key, because the challenge's token is
        # wrong.
        assert guess.joined_ns is None and guess.forged >= 4
        unknown = stranger(office, "x2", Identity(9, bytes(6), bytes(4), bytes(32)))
        unknown.join()
        office.net.run_for("100ms")
        assert unknown.joined_ns is None and office.controller.refused["unknown host"] == 1
        assert not office.controller.members


class Silent(weir.HostProgram):
    """Records the last challenge, and does not answer it."""

    challenge: Message | None = None

    def on_frame(self, frame: weir.Frame) -> None:
        message = Message.read(frame.data)
        if message is not None and message.kind == CHALLENGE:
            self.challenge = message


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("wrong token", "wrong token"),
        ("at another port", "no such challenge"),
        ("of another host", "no such challenge"),
        ("another nonce", "no such challenge"),
        ("late", "late"),
        ("twice", "no such challenge"),
        ("right", None),
    ],
)
def test_a_join_is_checked(case: str, reason: str | None) -> None:
    with Office(seed=1) as office:
        h1, h2 = office.identities["h1"], office.identities["h2"]
        program = office.net.host("x1").run(Silent(), frames=ONLY_MESSAGES)
        nonce = b"n" * 16
        office.net.host("x1").send(bytes(Message(CONTROLLER_MAC, h1.mac, HELLO, h1.address, nonce)))
        office.net.run_for("10ms")
        challenge = program.challenge
        assert challenge is not None and challenge.token == h1.token(CHALLENGE, nonce, challenge.nonce)
        token = h1.token(JOIN, nonce, challenge.nonce)
        join = Message(CONTROLLER_MAC, h1.mac, JOIN, h1.address, challenge.nonce, token)
        if case == "wrong token":
            # The token of the challenge belongs to another kind of message.
            join = replace(join, token=challenge.token)
        elif case == "of another host":
            join = replace(join, source=h2.mac, address=h2.address)
        elif case == "another nonce":
            join = replace(join, nonce=bytes(16))
        elif case == "late":
            office.net.run_for("1s")
        sender = office.net.host("x2" if case == "at another port" else "x1")
        for _ in range(2 if case == "twice" else 1):
            sender.send(bytes(join))
        office.net.run_for("10ms")
        assert dict(office.controller.refused) == ({reason: 1} if reason is not None else {})
        assert list(office.controller.members) == (["h1"] if case in ("right", "twice") else [])


def test_only_a_host_itself_can_leave() -> None:
    with Office(seed=1) as office:
        office.join("h1")
        recorded = list(office.agents["h1"].sent)
        h1 = office.identities["h1"]
        office.agents["h1"].leave()
        office.net.run_for("20ms")
        leave = office.agents["h1"].sent[-1]
        office.join("h1")
        # An old LEAVE at the right port, and a LEAVE of another port with the nonce of this
        # membership.
        office.net.host("h1").send(leave)
        nonce = office.controller.members["h1"].nonce
        forged = Message(CONTROLLER_MAC, h1.mac, LEAVE, h1.address, nonce, bytes(32))
        office.net.host("x1").send(bytes(forged))
        office.net.host("h1").send(bytes(forged))
        for frame in recorded:
            office.net.host("x1").send(frame)
        office.net.run_for("20ms")
        assert list(office.controller.members) == ["h1"]
        assert office.controller.refused == {"no such member": 2, "wrong token": 1, "no such challenge": 1}


def test_the_static_network_has_what_the_controller_writes() -> None:
    with Office(seed=1, silence=None) as office, weir.Network.load(FOLDER / "topology.json") as static:
        office.join("h1", "h2", "h3")
        for name in SWITCHES:
            for table in ("sources", "routes", "targets", "policy.rules"):
                ours, theirs = (
                    sorted(str(entry) for entry in net.switch(name).table(f"MyIngress.{table}").entries())
                    for net in (office.net, static)
                )
                assert ours == theirs and ours
        topology = json.loads((FOLDER / "topology.json").read_text())
        with network() as net:
            assert set(topology["hosts"]) == {host.name for host in net.hosts}
        assert static.host("h1").ping("h3", count=1).received == 1
        assert static.host("h1").ping("h4", count=1, timeout="10ms").received == 0


def test_the_experiment_notices_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A well-behaved member does not attack, but each of its packets leaves s1, s3 and arrives."""

    def frames(rnd: random.Random, recorded: list[bytes]) -> Iterator[bytes]:
        (mac, address), (target, there) = packed_addresses(station("h2")), packed_addresses(station("h1"))
        while True:
            yield ethernet(target, mac, ipv4(address, there, udp(4000, 7000)))

    monkeypatch.setitem(ATTACKS, "spoofing", Attack("h2", frames))
    result: dict[str, Any] = attack.function(attack="spoofing", packets=10, seed=1)  # type: ignore[assignment]
    assert result["leaked"] == 10 and result["refused"] == 0 and result["unexplained"] == 10


@pytest.mark.parametrize("kind", native.KINDS)
def test_each_packet_of_the_benchmark_needs_its_rule(kind: str) -> None:
    own = native.rules(kind, 20)
    assert len(set(own)) == 20 and native.rules(kind, 5) == own[:5]
    sent = native.packets(own, 40)
    assert len({len(one) for one in sent}) == 1 and len(set(sent)) == 40
    whole, fewer = (
        time_pipeline(
            program(), load=partial(native.load, policy=policy), packets=sent, ports=(1,), seconds=0.01
        )
        for policy in (own, own[:10])
    )
    assert whole.dropped == 0 < fewer.dropped < fewer.packets


@pytest.fixture(scope="module")
def runs(firewall: Path) -> dict[str, pl.DataFrame]:
    return {path.parent.name: pl.read_parquet(path) for path in firewall.glob("*/runs.parquet")}


def test_no_packet_of_an_attack_leaves_a_switch(runs: dict[str, pl.DataFrame]) -> None:
    attacks = runs["attack"]
    assert set(attacks["attack"]) == set(ATTACKS)
    for name in ("leaked", "unexplained", "members_changed", "own_lost"):
        assert attacks[name].to_list() == [0] * attacks.height, name
    assert attacks["own_sent"].to_numpy().min() > 0
    assert (attacks["refused"] + attacks["requests"]).to_list() == attacks["sent"].to_list()


def test_admitted_hosts_lose_nothing(runs: dict[str, pl.DataFrame]) -> None:
    for row in runs["changing"].iter_rows(named=True):
        assert row["lost"] == 0 and row["sent"] == 2000 * row["seconds"]
        assert row["attack_leaked"] == row["unexplained"] == 0
        assert row["attack_sent"] == 10_000 * row["seconds"]
        assert row["exchanges"] > 10 and row["joins"] > 10 and row["join_max_ms"] < 50


def test_a_change_of_rules_is_atomic(runs: dict[str, pl.DataFrame]) -> None:
    for row in runs["exchange"].iter_rows(named=True):
        whole = row["way"] == "whole set"
        assert (row["back_and_forth"] == 0) == whole and row["final_is_right"] == 1
        assert 0 < row["passed"] < row["packets"]


def test_a_host_joins_in_less_than_50_ms(runs: dict[str, pl.DataFrame]) -> None:
    for row in runs["joining"].iter_rows(named=True):
        assert row["join_max_ms"] < 50 and row["first_ms"] == pytest.approx(
            row["first_predicted_ms"], abs=1e-9
        )
        assert (row["from_new_port"], row["from_old_port"], row["silence_is_right"]) == (row["probes"], 0, 1)


def test_meters_keep_joins_short(runs: dict[str, pl.DataFrame]) -> None:
    limited = runs["flooding"].filter(pl.col("limited"))
    quiet = limited.filter(pl.col("per_second") == 0)["join_mean_ms"][0]
    assert (limited["joined"] == limited["joins"]).all() and (limited["join_max_ms"] < quiet + 2).all()
    worst = runs["flooding"].filter(~pl.col("limited")).sort("per_second").row(-1, named=True)
    assert worst["joined"] < worst["joins"] and worst["lost"] > 0


def test_the_thesis_s_findings(runs: dict[str, pl.DataFrame]) -> None:
    row = runs["binding"].row(0, named=True)
    names = ("members_lost", "late_before", "late_lost", "spoofed_leaked")
    assert [row[name] for name in names] == [0] * 4 and row["entries"] == 2 * 4 * 3


def test_numbers_are_in_the_report(firewall: Path, runs: dict[str, pl.DataFrame]) -> None:
    page = (firewall / "report.html").read_text()
    section = page.split("<h2>Attacks")[1].split("</section>")[0]
    tables = [
        [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
        for body in re.findall(r"<tbody>(.*?)</tbody>", section, re.S)
    ]
    values = {row[0]: row[1:4] for row in tables[0]}
    reasons = Counter[str]()
    for attack_name, _, packets in tables[2]:
        reasons[attack_name] += int(re.sub(r"\D", "", packets))
    for row in runs["attack"].iter_rows(named=True):
        assert values[row["attack"]] == [grouped(str(row[name])) for name in ("sent", "leaked", "refused")]
        assert reasons[row["attack"]] == row["refused"], row["attack"]


def test_results_are_the_same_to_the_byte(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        values = {"attack": ["request-flood", "replay"], "packets": ["300"]}
        run_lab("firewall", tmp_path / name, only=["attack"], values=values, workers=2)
        files.append(
            {
                path.relative_to(tmp_path / name): path.read_bytes()
                for path in (tmp_path / name).rglob("*.parquet")
            }
        )
    assert files[0] == files[1] and len(files[0]) == 3
