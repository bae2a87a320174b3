"""The progress of long calls, and Ctrl-C during them."""

import os
import signal
from collections.abc import Iterator

import pytest

import weir
from command import commands, weir as run_weir
from weir.system import meter


def network(**options) -> weir.Network:
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", delay="1ms")
    return weir.Network(topo, **options)


@pytest.fixture(autouse=True)
def each_call_is_long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(meter, "_FIRST_UPDATE_S", 0.0)
    monkeypatch.setattr(meter, "_UPDATE_INTERVAL_S", {True: 0.0, False: 0.0})
    yield
    weir.progress(False)


def test_the_line_has_virtual_time_real_time_and_speed():
    line = meter.text(3_210_000_000, 10_000_000_000, 4.1)
    assert line == "virtual time 3.21 s of 10 s, real time 4.1 s, 783 ms per second"
    assert meter.text(999, None, 2.0) == "virtual time 999 ns, real time 2.0 s, 500 ns per second"
    assert meter.text(7_200_000_000_000, None, 1.0).endswith("7200 s per second")
    assert "of 1 s," in meter.text(0, 999_990_000, 1.0)


def test_where_time_is_real_the_line_has_only_that():
    assert meter.real_text(3_210_000_000, 10_000_000_000) == "real time 3.21 s of 10 s"
    # Answers arrived late, or not at all.
    assert meter.real_text(3_210_000_000, 2_000_000_000) == "real time 3.21 s"
    assert meter.real_text(3_210_000_000, None) == "real time 3.21 s"


def test_scripts_show_none_by_default(capfd: pytest.CaptureFixture[str]):
    network().host("h1").ping("h2")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("everywhere", [True, False])
def test_a_network_or_a_call_turns_progress_on(capfd: pytest.CaptureFixture[str], everywhere: bool):
    if everywhere:
        weir.progress()
    net = network() if everywhere else network(progress=True)
    net.host("h1").ping("h2", count=3)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("virtual time 2 s, real time ")
    net.run_for("10s")
    assert "virtual time 10 s of 10 s, real time" in capfd.readouterr().err
    net.host("h1").iperf("h2", udp=True, duration="5s")
    assert "of 5 s, real time" in capfd.readouterr().err
    # One call with one start, although it consists of two runs.
    net.ping_all()
    assert capfd.readouterr().err.count("per second") == 3


def test_a_network_can_turn_progress_off(capfd: pytest.CaptureFixture[str]):
    weir.progress(True)
    network(progress=False).host("h1").ping("h2")
    assert capfd.readouterr().err == ""


def test_short_calls_show_none(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meter, "_FIRST_UPDATE_S", 3600.0)
    network(progress=True).host("h1").ping("h2")
    assert capfd.readouterr().err == ""


def test_the_command_shows_progress_only_with_its_option():
    lines = commands("h1 iperf -t 3000 -i 0 h2")
    code, _, err = run_weir(*lines, "--progress")
    assert code == 0
    assert "of 3000 s, real time" in err
    assert run_weir(*commands("h1 iperf -t 1 h2"))[2] == ""


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_ends_a_run_and_the_next_one_works():
    net = network()
    net.at("1.5s", press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        net.host("h1").ping("h2", count=100)
    assert net.now == 1.5
    assert net.host("h1").ping("h2", count=3).received == 3
    assert not net.audit().violations
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_loses_nothing_for_programs_and_callbacks():
    net = network()
    heard = []

    class Listen(weir.HostProgram):
        def on_datagram(self, datagram):
            heard.append(datagram.payload)
            if len(heard) == 1:
                press_ctrl_c()

    net.host("h2").run(Listen(), udp=7)

    class Send(weir.HostProgram):
        def start(self):
            for number in range(3):
                self.send_udp("h2", 7, bytes([number]))

    net.host("h1").run(Send(), udp=8)
    with pytest.raises(KeyboardInterrupt):
        net.run_for("10ms")
    assert len(heard) < 3
    net.run_for("10ms")
    assert heard == [b"\0", b"\1", b"\2"]


def test_programs_that_handle_the_signal_keep_their_handler():
    calls = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        net = network()
        net.at("1s", press_ctrl_c)
        net.run_for("2s")
        assert calls == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
