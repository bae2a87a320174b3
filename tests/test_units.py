"""Quantities: what is read, what is refused and with which words, and that what is written is read back."""

import pytest

from weir import units
from weir.errors import UnitError


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("20ms", 20_000_000),
        ("5us", 5_000),
        ("5µs", 5_000),
        ("1.5s", 1_500_000_000),
        ("0ms", 0),
        ("7ns", 7),
        (" 3 ms ", 3_000_000),
        ("2min", 120_000_000_000),
        ("1h", 3_600_000_000_000),
    ],
)
def test_times(text: str, nanoseconds: int):
    assert units.time_ns(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("10Mbit", 10_000_000),
        ("1Gbit", 1_000_000_000),
        ("64kbit", 64_000),
        ("9600bit", 9600),
        ("2.5Gbit/s", 2_500_000_000),
        ("100Mbps", 100_000_000),
        ("10mbit", 10_000_000),
        ("1Tbit", 10**12),
    ],
)
def test_rates(text: str, bits: int):
    assert units.rate_bps(text) == bits


@pytest.mark.parametrize(
    ("text", "size"),
    [("1500B", 1500), ("64kB", 64_000), ("1MiB", 1_048_576), ("8kbit", 1000), ("1.5kB", 1500), ("0B", 0)],
)
def test_sizes_in_bytes(text: str, size: int):
    assert units.size_bytes(text) == size


def test_queues_are_limited_in_packets_or_bytes():
    assert units.queue("100p") == (100, None)
    assert units.queue(" 64 kB ") == (None, 64_000)
    assert units.packets("7p") == 7


@pytest.mark.parametrize(("text", "part"), [("1%", 0.01), ("0%", 0.0), ("100%", 1.0), ("0.5%", 0.005)])
def test_shares(text: str, part: float):
    assert units.share(text) == part


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (units.rate_bps, 10, 'a bare number 10 has no unit: did you mean "10Mbit"?'),
        (units.rate_bps, "10", "rate '10' has no unit: did you mean \"10Mbit\"?"),
        (
            units.rate_bps,
            "10Mbyte",
            "unknown unit 'Mbyte' in rate '10Mbyte': use bit, kbit, Mbit, Gbit or Tbit (per second)",
        ),
        (
            units.rate_bps,
            "0Mbit",
            "rate '0Mbit' lets nothing through: a rate must be above zero (None means unlimited)",
        ),
        (units.rate_bps, "-1Mbit", "rate '-1Mbit' is negative"),
        (units.rate_bps, "fast", "cannot read rate 'fast': expected a number and a unit, such as \"10Mbit\""),
        (units.rate_bps, "1e3Mbit", "cannot read rate '1e3Mbit'"),
        (units.rate_bps, "0.5bit", "rate '0.5bit' is finer than a bit per second"),
        (units.rate_bps, "99999Tbit", "rate '99999Tbit' is too large"),
        (units.rate_bps, None, 'expected a rate such as "10Mbit", found NoneType'),
        (units.rate_bps, True, 'expected a rate such as "10Mbit", found bool'),
        (units.time_ns, 5, 'a bare number 5 has no unit: did you mean "5ms"?'),
        (units.time_ns, 0.5, 'a bare number 0.5 has no unit: did you mean "0.5ms"?'),
        (units.time_ns, "5", "time '5' has no unit: did you mean \"5ms\"?"),
        (units.time_ns, "5sec", "unknown unit 'sec' in time '5sec': use ns, us, ms, s, min or h"),
        (units.time_ns, "-5ms", "time '-5ms' is negative"),
        (units.time_ns, "0.5ns", "time '0.5ns' is finer than a nanosecond"),
        (units.time_ns, "999999999999h", "time '999999999999h' is too large"),
        (units.time_ns, "", "cannot read time ''"),
        (units.share, 0.01, 'a bare number 0.01 has no unit: did you mean "0.01%"?'),
        (units.share, "1", "share '1' has no unit: did you mean \"1%\"?"),
        (units.share, "101%", "share '101%' is outside 0% to 100%"),
        (units.share, "-1%", "share '-1%' is outside 0% to 100%"),
        (units.share, "1ms", "unknown unit 'ms' in share '1ms': use %"),
        (units.size_bytes, 1500, 'a bare number 1500 has no unit: did you mean "1500B"?'),
        (units.size_bytes, "1500", "size '1500' has no unit: did you mean \"1500B\"?"),
        (units.size_bytes, "3bit", "size '3bit' is finer than a byte"),
        (units.size_bytes, "1p", "unknown unit 'p' in size '1p'"),
        (units.packets, 100, 'a bare number 100 has no unit: did you mean "100p"?'),
        (units.packets, "0.5p", "packets '0.5p' is finer than a packet"),
        (units.packets, "1kB", "unknown unit 'kB' in packets '1kB': use p (packets)"),
        (units.queue, 100, 'a bare number 100 has no unit: did you mean "100p"?'),
        (units.queue, "64", "queue '64' has no unit: did you mean \"64p\"?"),
        (units.queue, "5ms", "unknown unit 'ms' in queue '5ms': use p (packets) or a size's unit such as kB"),
        (units.queue, "-1p", "queue '-1p' is negative"),
    ],
)
def test_wrong_quantities(read, value, message: str):
    with pytest.raises(UnitError) as caught:
        read(value)
    assert str(caught.value).startswith(message)


def test_the_message_says_what_the_quantity_is_for():
    with pytest.raises(UnitError, match="delay '1x'"):
        units.time_ns("1x", "delay")


@pytest.mark.parametrize("nanoseconds", [0, 1, 999, 1_000, 1_500, 20_000_000, 10**9, 90 * 10**9, 123_456_789])
def test_times_are_read_back(nanoseconds: int):
    assert units.time_ns(units.format_time(nanoseconds)) == nanoseconds


@pytest.mark.parametrize("bits", [1, 999, 1_000, 10_000_000, 2_500_000_000, 10**12, 1_234_567])
def test_rates_are_read_back(bits: int):
    assert units.rate_bps(units.format_rate(bits)) == bits


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (units.format_time(20_000_000), "20ms"),
        (units.format_time(1_500_000_000), "1.5s"),
        (units.format_rate(10_000_000), "10Mbit"),
        (units.format_rate(None), "unlimited"),
        (units.format_share(0.01), "1%"),
        (units.format_share(0.0), "0%"),
        (units.format_share(0.005), "0.5%"),
    ],
)
def test_shown(shown: str, text: str):
    assert shown == text
