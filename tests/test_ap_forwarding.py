"""``weir ap``: what Linux forwards while the access point routes, and afterwards."""

import os
import subprocess
from pathlib import Path

import pytest

from test_ap import BASE, machine, trouble
from weir.ap import folder as files
from weir.ap.settings import parse_settings


def test_linux_forwards_only_what_a_rule_allows(tmp_path: Path):
    stations = "10.42.0.0/24"
    outward = f'iifname "ap0" oifname "eth0" ip saddr {stations} accept'
    inward = f'iifname "eth0" oifname "ap0" ip daddr {stations} accept'
    answers = f'iifname "eth0" oifname "ap0" ip daddr {stations} ct state established,related accept'
    meet = f'iifname "ap0" oifname "ap0" ip saddr {stations} accept'
    without_nat = BASE.replace("\nnat = true", "\nnat = false")
    together = BASE.replace("isolate = true", "isolate = false")
    neither = without_nat.replace("isolate = true", "isolate = false")
    for text, nat, rules in (
        (BASE, True, [outward, answers]),
        (without_nat, False, [outward, inward]),
        (together, True, [outward, answers, meet]),
        (neither, False, [outward, inward, meet]),
    ):
        contents = files.contents(parse_settings(text, Path("ap.toml")))
        written = contents["weir-ap.nft"]
        forward = written.partition("chain forward {")[2].splitlines()[1:]
        assert forward[0].strip() == "type filter hook forward priority filter; policy drop;"
        assert [line.strip() for line in forward[1:-2]] == rules
        assert ("masquerade" in written) == nat
        assert written.count("{") == written.count("}")
        assert "nft" in contents["network"] and "nftables" in contents["README"]
        without_nft = machine(tmp_path, programs="hostapd dnsmasq iw ip systemctl weir-switchd")
        assert trouble(without_nft, text) == [("missing", "nft")]
    forwards = machine(tmp_path / "b")
    (tmp_path / "b/proc/sys/net/ipv4").mkdir(parents=True)
    (tmp_path / "b/proc/sys/net/ipv4/ip_forward").write_text("1\n")
    assert trouble(forwards) == [("warning", "ip_forward")]


@pytest.mark.parametrize("before", ["0", "1"])
def test_forwarding_is_restored(before: str, tmp_path: Path):
    """Rules exist before Linux forwards, and until it stops forwarding."""
    script = files.contents(parse_settings(BASE, Path("ap.toml")))["network"]
    forwarding, log = tmp_path / "ip_forward", tmp_path / "log"
    forwarding.write_text(f"{before}\n")
    script = script.replace("/proc/sys/net/ipv4/ip_forward", str(forwarding))
    script = script.replace("/run/weir-ap", str(tmp_path / "run"))
    for program in ("ip", "nft", "rfkill", "resolvectl"):
        stand_in = tmp_path / "bin" / program
        stand_in.parent.mkdir(exist_ok=True)
        stand_in.write_text(f'#!/bin/sh\necho "{program} $1: $(cat {forwarding})" >> {log}\n')
        stand_in.chmod(0o755)
    (tmp_path / "network").write_text(script)

    def network(word: str) -> list[str]:
        log.write_text("")
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        subprocess.run(["sh", tmp_path / "network", word], check=True, env={**os.environ, "PATH": path})
        return [line for line in log.read_text().splitlines() if line.startswith("nft")]

    assert network("up") == [f"nft -f: {before}"]
    assert forwarding.read_text() == "1\n"
    # A second start still knows the state before the first.
    network("up")
    assert network("down") == [f"nft delete: {before}"]
    assert forwarding.read_text() == f"{before}\n"
    forwarding.write_text("1\n")
    # A second stop changes nothing.
    network("down")
    assert forwarding.read_text() == "1\n"
