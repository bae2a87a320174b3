"""Measurements in the background, at the prompt."""

import pytest

import weir
from command import RUN, weir as weir_command
from weir.cli.shell.shell import Shell


@pytest.fixture
def shell(network: weir.Network) -> Shell:
    """The shell of a small network."""
    return Shell(network)


def lines(capsys) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_a_flow_runs_while_another_command_does(shell: Shell, capsys):
    assert shell.run("h1 iperf -t 2 h2 &")
    assert lines(capsys) == ["[1] h1 iperf -t 2 h2"]
    assert shell.network.now_ns == 0
    assert shell.run("h1 ping -c 4 h2")
    out = lines(capsys)
    place = out.index("[1] h1 iperf -t 2 h2: done")
    # The ping waited behind the flow's packets, and ended first.
    assert any(line.startswith("rtt min/avg/max") for line in out[:place])
    assert out[place + 1] == "h1 -> h2" and out[-1].startswith("[  1] 0.00-")
    assert shell.run("jobs") and lines(capsys) == ["there are no background jobs"]


@pytest.mark.parametrize("line", ["wait", "wait %1", "wait 5", "sleep 5"])
def test_time_passes_while_the_prompt_waits(shell: Shell, capsys, line: str):
    shell.run("h1 ping -c 2 h2&")
    assert shell.run("jobs") and lines(capsys) == ["[1] h1 ping -c 2 h2"] * 2
    assert shell.run(line)
    out = lines(capsys)
    assert "[1] h1 ping -c 2 h2: done" in out
    assert "2 packets transmitted, 2 received, 0% packet loss, time 1000ms" in out
    assert [line.split()[5] for line in out if "bytes from" in line] == ["icmp_seq=1", "icmp_seq=2"]


def test_the_result_is_that_of_the_foreground(router: weir.Program, capsys):
    calls = []
    for command in (["h1 iperf -u -b 2M -t 2 h2"], ["h1 iperf -u -b 2M -t 2 h2 &", "wait"]):
        with weir.Network.load(RUN[1], router) as net:
            assert Shell(net).run_all(command)
        calls.append(capsys.readouterr().out)
    assert calls[1].endswith(calls[0])


def test_several_run_at_once(shell: Shell, capsys):
    for line in ("h1 iperf -t 5 h2 &", "h2 iperf -t 1 h1 &", "h1 ping -c 3 h2 &"):
        assert shell.run(line)
    lines(capsys)
    assert shell.run("wait %2")
    out = lines(capsys)
    assert "[2] h2 iperf -t 1 h1: done" in out and not any(line.startswith("[1]") for line in out)
    assert shell.run("wait")
    ended = [line for line in lines(capsys) if line.endswith(": done")]
    assert ended == ["[1] h1 iperf -t 5 h2: done", "[3] h1 ping -c 3 h2: done"]


def test_a_job_can_be_stopped(shell: Shell, capsys):
    shell.run("h1 iperf -t 100 h2 &")
    shell.run("wait 2")
    lines(capsys)
    assert shell.run("kill %1")
    out = lines(capsys)
    assert out[0] == "[1] h1 iperf -t 100 h2: stopped" and out[1] == "h1 -> h2"
    assert shell.run("jobs") and lines(capsys) == ["there are no background jobs"]
    before = shell.network.now
    assert shell.run("h1 ping -c 1 h2") and shell.network.now - before < 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("wait %3", 'there is no job "%3" (there are: none)'),
        ("kill 1", 'there is no job "1" (there are: none)'),
        ("kill", "kill: expected a job (kill %N); jobs shows them"),
        ("wait 1 2", "wait: expected one time such as 5 or 500ms, found 2 (wait TIME)"),
        ("sleep", "sleep: expected a time such as 5 or 500ms (sleep TIME)"),
        (
            "h1 ping h2 & h2 ping h1",
            '"&" ends a line: type each command on a line of its own; did you mean "h1 ping h2 &"?',
        ),
        ("jobs 1", 'jobs takes no arguments, found "1"'),
        ("h1 traceroute h2 &", "h1 traceroute: only ping and iperf run in the background with &"),
        ("h1 ip addr &", "h1 ip: only ping and iperf run in the background with &"),
        ("h1 &", "h1 : only ping and iperf run in the background with &"),
        ("h1 ping h7 &", 'there is no host "h7"'),
        ("h1 iperf -t x h2 &", "x"),
    ],
)
def test_mistakes(shell: Shell, capsys, line: str, message: str):
    assert not shell.run(line)
    assert message in capsys.readouterr().err
    assert not shell._jobs.has_any()


def test_waiting_for_an_ended_job_is_no_mistake(shell: Shell, capsys):
    shell.run("h1 ping -c 1 h2 &")
    shell.run("wait 5")
    lines(capsys)
    before = shell.network.now_ns
    assert shell.run("wait") and shell.network.now_ns == before
    assert lines(capsys) == ["there are no background jobs; to let the network's time pass, type wait TIME"]


def test_a_failing_job_says_so_when_it_ends(shell: Shell, capsys):
    shell.network.link("h2", "s1").up = False
    shell.run("h1 iperf -n 10k h2 &")
    assert not shell.run("wait")
    out, err = capsys.readouterr()
    assert "[1] h1 iperf -n 10k h2: done" in out and "nobody answered. Why: the link from s1-p2" in err


def test_the_end_of_the_session_stops_jobs():
    code, out, err = weir_command(*RUN, "-c", "h1 iperf -t 100 h2 &", "-c", "h2 ping -c 2 h1")
    assert (code, err) == (0, "")
    assert "[1] h1 iperf -t 100 h2: stopped at the end of the session\nh1 -> h2" in out


def test_a_file_of_commands(shell: Shell, capsys, tmp_path):
    file = tmp_path / "commands"
    file.write_text("h1 ping -c 1 h2 &\nwait\n")
    assert shell.run(f"source {file}")
    assert "[1] h1 ping -c 1 h2: done" in lines(capsys)
