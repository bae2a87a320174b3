"""JSON for tools: ``weir run``, ``weir top`` and ``weir lab list`` with ``--json``."""

import json
from pathlib import Path

import pytest

from command import weir
from test_top import PAGE, serving


def test_run_prints_the_output_of_each_command():
    commands = ["-c", "h1 ping -c 1 h3", "-c", "nonsense"]
    code, out, err = weir("run", "--shape", "dumbbell:2", *commands, "--json")
    document = json.loads(out)
    assert (code, document["version"], document["succeeded"]) == (1, 1, False)
    assert 'there is no command "nonsense"' in err
    ping, nonsense = document["commands"]
    assert list(ping) == ["command", "succeeded", "time_ns", "output", "errors"]
    assert (ping["command"], ping["succeeded"]) == ("h1 ping -c 1 h3", True)
    assert "1 packets transmitted, 1 received" in ping["output"] and ping["time_ns"] > 10**7
    assert (nonsense["succeeded"], nonsense["output"]) == (False, "")


def test_run_stops_at_exit():
    code, out, _ = weir("run", "--shape", "dumbbell:2", "-c", "exit", "-c", "pingall", "--json")
    assert (code, [one["command"] for one in json.loads(out)["commands"]]) == (0, ["exit"])


def test_run_needs_commands():
    code, out, err = weir("run", "--shape", "dumbbell:2", "--json")
    assert (code, out) == (2, "") and "--json needs commands" in err


def test_top_prints_rates_and_totals():
    with serving(PAGE.format(packets=100), PAGE.format(packets=200)) as address:
        code, out, err = weir("top", address, "--json", "--interval", "0.1")
    document = json.loads(out)
    assert (code, err, document["version"]) == (0, "", 1)
    assert list(document) == ["version", "interval_s", "ports", "drops", "tables", "controllers", "workers"]
    port = next(one for one in document["ports"] if (one["switch"], one["port"]) == ("s1", "1"))
    assert port["received_packets_per_s"] == pytest.approx(100 / document["interval_s"], rel=0.01)
    assert port["received_bps"] == pytest.approx(80_000 / document["interval_s"], rel=0.01)
    assert port["sent_packets_per_s"] == 0
    assert {
        "switch": "s1",
        "place": "ingress",
        "reason": 'a "quoted" reason',
        "per_s": 0,
        "total": 3,
    } in document["drops"]
    assert document["tables"][0]["entries"] == 12345
    assert document["workers"][0]["cpu_s"] == 0.2
    with serving(PAGE.format(packets=100)) as address:
        document = json.loads(weir("top", address, "--json", "--interval", "0.1", "--switch", "core")[1])
    assert [one["port"] for one in document["ports"]] == ["2"] and not document["tables"]


def test_labs_and_their_experiments():
    code, out, _ = weir("lab", "list", "--json")
    labs = json.loads(out)
    assert (code, labs["version"]) == (0, 1)
    assert "delay" in {lab["name"] for lab in labs["labs"]} and all(lab["title"] for lab in labs["labs"])
    parts = json.loads(weir("lab", "list", "delay", "--json")[1])["experiments"]
    rtt = next(part for part in parts if part["name"] == "rtt")
    assert (rtt["world"], rtt["points"]) == ("virtual", 75)
    assert "10Mbit" in rtt["parameters"]["rate"] or "1Gbit" in rtt["parameters"]["rate"]
    assert {part["world"] for part in parts} == {"virtual", "linux"}


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["explain", "unknown-act"], ["unknown-action"]),
        (["ping", "--shape", "dumbbell:2", "h1", "h"], ["h1", "h2", "h3", "h4"]),
        (["ping", "net.json", "x"], ["x1"]),
        (["ping", "none.json", "h"], []),
        (["iperf", "ring:3", "h3"], ["h3"]),
        (["run", "--shape", "leaf"], ["leaf_spine:"]),
        (["lab", "new", "mine", "--template", "hel"], ["hello"]),
    ],
)
def test_completion(typed: list[str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    topology = {
        "hosts": {"x1": {"ip": "10.0.0.1/24"}, "y1": {"ip": "10.0.0.2/24"}},
        "switches": {"s1": {}},
        "links": [["x1", "s1-p1"], ["y1", "s1-p2"]],
    }
    (tmp_path / "net.json").write_text(json.dumps(topology), encoding="utf-8")
    monkeypatch.setenv("COMP_WORDS", " ".join(["weir", *typed]))
    monkeypatch.setenv("COMP_CWORD", str(len(typed)))
    monkeypatch.setenv("_WEIR_COMPLETE", "bash_complete")
    code, out, _ = weir(cwd=tmp_path)
    assert code == 0
    assert [line.partition(",")[2] for line in out.splitlines() if line] == expected
