//! Tests quantities that are read, the messages for quantities that are refused, and round trips.

use proptest::prelude::*;
use weir_units::{
    Error, Limit, Quantity, WantedQuantity, format_rate, format_share, format_size, format_time,
};

fn time(text: &str) -> Result<u64, Error> {
    Quantity::read(text, WantedQuantity::time("time"))?.nanoseconds()
}

fn rate(text: &str) -> Result<u64, Error> {
    Quantity::read(text, WantedQuantity::rate("rate").unlimited("null"))?.bits_per_second()
}

fn size(text: &str) -> Result<u64, Error> {
    Quantity::read(text, WantedQuantity::size("size"))?.bytes()
}

fn share(text: &str) -> Result<f64, Error> {
    Quantity::read(text, WantedQuantity::share("share"))?.share()
}

fn packets(text: &str) -> Result<u64, Error> {
    Quantity::read(text, WantedQuantity::packets("packets"))?.packets()
}

fn limit(text: &str) -> Result<Limit, Error> {
    Quantity::read(text, WantedQuantity::packets("queue"))?.limit()
}

#[test]
fn times() {
    for (text, nanoseconds) in [
        ("20ms", 20_000_000),
        ("5us", 5_000),
        ("5µs", 5_000),
        ("1.5s", 1_500_000_000),
        ("0ms", 0),
        ("-0ms", 0),
        ("+7ns", 7),
        (" 3 ms ", 3_000_000),
        ("2min", 120_000_000_000),
        ("0.0000000000025h", 9),
        ("1.00000000000000000000000000000000000000000000s", 1_000_000_000),
        ("1000000000s", 1_000_000_000_000_000_000),
    ] {
        assert_eq!(time(text), Ok(nanoseconds), "{text}");
    }
}

#[test]
fn rates() {
    for (text, bits) in [
        ("10Mbit", 10_000_000),
        ("64kbit", 64_000),
        ("9600bit", 9600),
        ("2.5Gbit/s", 2_500_000_000),
        ("100MBPS", 100_000_000),
        ("10mbit", 10_000_000),
        ("0.000000000001Tbit", 1),
        ("1000Tbit", 1_000_000_000_000_000),
    ] {
        assert_eq!(rate(text), Ok(bits), "{text}");
    }
}

#[test]
fn sizes_and_limits() {
    for (text, bytes) in [
        ("1500B", 1500),
        ("64kB", 64_000),
        ("1MiB", 1 << 20),
        ("8kbit", 1000),
        ("1.5kB", 1500),
        ("0B", 0),
        ("8bit", 1),
        // A byte.
        ("0.000000000931322574615478515625GiB", 1),
        ("1000000000GB", 1_000_000_000_000_000_000),
    ] {
        assert_eq!(size(text), Ok(bytes), "{text}");
    }
    assert_eq!(limit("100p"), Ok(Limit::Packets(100)));
    assert_eq!(limit(" 64 kB "), Ok(Limit::Bytes(64_000)));
    assert_eq!(packets("2147483648p"), Ok(1 << 31));
}

#[test]
fn shares() {
    for (text, part) in
        [("1%", 0.01), ("0%", 0.0), ("-0%", 0.0), ("100%", 1.0), ("0.5%", 0.005), ("99.999%", 0.99999)]
    {
        assert_eq!(share(text), Ok(part), "{text}");
    }
}

/// Returns the message and the suggestion for the mistake in `text`.
fn refused<T: std::fmt::Debug>(read: fn(&str) -> Result<T, Error>, text: &str) -> String {
    read(text).expect_err(text).to_string()
}

#[test]
fn wrong_times() {
    for (text, message) in [
        ("5", "time '5' has no unit; did you mean \"5ms\"?"),
        ("-5", "time '-5' is negative, and has no unit: expected one such as \"1ms\""),
        ("5sec", "unknown unit 'sec' in time '5sec': use ns, us, ms, s, min or h"),
        ("5MS", "unknown unit 'MS' in time '5MS': use ns, us, ms, s, min or h; did you mean \"5ms\"?"),
        ("-5ms", "time '-5ms' is negative"),
        ("0.5ns", "time '0.5ns' is finer than a nanosecond"),
        (
            "1.0000000000000000000000000000000000000001s",
            "time '1.00000000000000000000000000000000000000…' is finer than a nanosecond",
        ),
        ("999999999999h", "time '999999999999h' is too large"),
        ("1000000000.1s", "time '1000000000.1s' is too large"),
        ("", "cannot read time '': expected a number and a unit, such as \"1ms\""),
        ("5.ms", "cannot read time '5.ms': expected a number and a unit, such as \"1ms\""),
        (".5ms", "cannot read time '.5ms': expected a number and a unit, such as \"1ms\""),
        ("5 m s", "cannot read time '5 m s': expected a number and a unit, such as \"1ms\""),
        ("1e3ms", "cannot read time '1e3ms': expected a number and a unit, such as \"1ms\""),
        ("5\u{7}", "unknown unit '\\u{7}' in time '5\\u{7}': use ns, us, ms, s, min or h"),
    ] {
        assert_eq!(refused(time, text), message);
    }
}

#[test]
fn wrong_rates() {
    for (text, message) in [
        ("10", "rate '10' has no unit; did you mean \"10Mbit\"?"),
        ("10Mbyte", "unknown unit 'Mbyte' in rate '10Mbyte': use bit, kbit, Mbit, Gbit or Tbit (per second)"),
        ("0Mbit", "rate '0Mbit' lets nothing through: a rate must be above zero (null means unlimited)"),
        ("-0Mbit", "rate '-0Mbit' lets nothing through: a rate must be above zero (null means unlimited)"),
        ("-1Mbit", "rate '-1Mbit' is negative"),
        ("fast", "cannot read rate 'fast': expected a number and a unit, such as \"10Mbit\""),
        ("0.5bit", "rate '0.5bit' is finer than a bit per second"),
        ("99999Tbit", "rate '99999Tbit' is too large"),
        // The product of its digits and a terabit exceeds 128 bits.
        (
            "1.99999999999999999999999999999999999999Tbit",
            "rate '1.99999999999999999999999999999999999999…' is finer than a bit per second",
        ),
    ] {
        assert_eq!(refused(rate, text), message);
    }
}

#[test]
fn other_wrong_quantities() {
    assert_eq!(refused(size, "1500"), "size '1500' has no unit; did you mean \"1500B\"?");
    assert_eq!(refused(size, "3bit"), "size '3bit' is finer than a byte");
    assert_eq!(refused(size, "0.5B"), "size '0.5B' is finer than a byte");
    assert_eq!(
        refused(size, "1p"),
        "unknown unit 'p' in size '1p': use B, kB, MB, GB, KiB, MiB, GiB or kbit"
    );
    assert_eq!(refused(share, "1"), "share '1' has no unit; did you mean \"1%\"?");
    assert_eq!(refused(share, "100.1%"), "share '100.1%' is outside 0% to 100%");
    assert_eq!(refused(share, "-1%"), "share '-1%' is outside 0% to 100%");
    assert_eq!(refused(share, "1ms"), "unknown unit 'ms' in share '1ms': use %");
    assert_eq!(refused(packets, "0.5p"), "packets '0.5p' is finer than a packet");
    assert_eq!(refused(packets, "1kB"), "unknown unit 'kB' in packets '1kB': use p (packets)");
    assert_eq!(refused(packets, "2147483649p"), "packets '2147483649p' is too large");
    assert_eq!(refused(limit, "64"), "queue '64' has no unit; did you mean \"64p\"?");
    assert_eq!(
        refused(limit, "5ms"),
        "unknown unit 'ms' in queue '5ms': use p (packets) or a size's unit such as kB"
    );
}

#[test]
fn numbers_without_unit() {
    let bare = |wanted: WantedQuantity<'_>, number| wanted.bare_number(number).to_string();
    let rate = WantedQuantity::rate("rate");
    assert_eq!(bare(rate, "10"), "rate: a bare number 10 has no unit; did you mean \"10Mbit\"?");
    assert_eq!(bare(rate, "1e-05"), "rate: a bare number 1e-05 has no unit; did you mean \"0.00001Mbit\"?");
    assert_eq!(bare(rate, "12.50"), "rate: a bare number 12.50 has no unit; did you mean \"12.5Mbit\"?");
    for number in ["-1", "nan", "inf", "1e300"] {
        let message =
            format!("rate: a bare number {number} has no unit: expected one with a unit, such as \"10Mbit\"");
        assert_eq!(bare(rate, number), message);
    }
    let share = WantedQuantity::share("loss");
    assert_eq!(
        bare(share, "0.125"),
        "loss: a bare number 0.125 has no unit; did you mean \"12.5%\" or \"0.125%\"?"
    );
    assert_eq!(bare(share, "1"), "loss: a bare number 1 has no unit; did you mean \"1%\"?");
    assert_eq!(rate.expected("null").to_string(), "expected a rate such as \"10Mbit\", found null");
    assert_eq!(
        WantedQuantity::time("interval").expected("null").to_string(),
        "expected an interval such as \"1ms\", found null"
    );
}

#[test]
fn numbers_in_usual_units() {
    let latency = |number| Quantity::in_usual_unit(number, WantedQuantity::time("latency"))?.nanoseconds();
    assert_eq!(latency("5"), Ok(5_000_000));
    assert_eq!(latency("2.5e-3"), Ok(2_500));
    assert_eq!(latency("1e999").unwrap_err().to_string(), "latency '1e999ms' is too large");
    assert_eq!(latency("-1").unwrap_err().to_string(), "latency '-1ms' is negative");
    let finer = latency("1e-999999999999999999999").unwrap_err().to_string();
    assert_eq!(finer, "latency '1e-999999999999999999999ms' is finer than a nanosecond");
}

proptest! {
    #[test]
    fn written_quantities_are_read_back(number in any::<u64>(), shift in 0u32..64) {
        let number = number >> shift;
        if (1..=1_000_000_000_000_000).contains(&number) {
            prop_assert_eq!(rate(&format_rate(number)), Ok(number));
        }
        if number <= 1_000_000_000_000_000_000 {
            prop_assert_eq!(time(&format_time(number)), Ok(number));
            prop_assert_eq!(size(&format_size(number)), Ok(number));
        }
    }

    #[test]
    fn shares_are_read_back(part in 0.0f64..=1.0) {
        prop_assert_eq!(share(&format_share(part)), Ok(part));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+0-9.eE]{0,50}(|ns|ms|s|h|%|p|kB|GiB|Tbit|\\PC{0,8})") {
        for wanted in [WantedQuantity::time("time"), WantedQuantity::rate("rate"), WantedQuantity::share("share")] {
            let _ = wanted.bare_number(&text);
            for quantity in [Quantity::read(&text, wanted), Quantity::in_usual_unit(&text, wanted)] {
                let Ok(quantity) = quantity else { continue };
                let _ = quantity.nanoseconds();
                let _ = quantity.bits_per_second();
                let _ = quantity.bytes();
                let _ = quantity.limit();
                if let Ok(share) = quantity.share() {
                    prop_assert!((0.0..=1.0).contains(&share));
                }
            }
        }
    }
}
