//! Names, values and matches as people write them.

use std::sync::Arc;

use weir_control::commands;
use weir_control::matching::{canonical, format_match, read_match};
use weir_control::resolve;
use weir_control::value::{Form, format_as, format_value, read_text, read_value};
use weir_ir::Bits;
use weir_json::{Document, Value};
use weir_switch::control::{KeySchema, Match, MatchKind, Values};
use weir_switch::p4info::TextNames;

const KNOWN: [&str; 4] = ["MyIngress.ipv4_lpm", "MyEgress.acl", "MyIngress.acl", "NoAction"];

fn find(name: &str) -> Result<usize, String> {
    let position = resolve("table", "there is no table", "there are", name, KNOWN.into_iter());
    position.map_err(|error| error.to_string())
}

/// Returns a value as in a JSON document.
fn json(text: &str) -> Value {
    Document::parse("test", text).unwrap().root().value().clone()
}

fn key(kind: MatchKind, width: u32) -> KeySchema {
    KeySchema {
        name: "hdr.ipv4.dstAddr".to_owned(),
        width,
        kind,
        values: Values::Unsigned,
        annotations: Vec::new(),
    }
}

#[test]
fn full_names_and_unambiguous_ends_resolve() {
    assert_eq!(find("MyIngress.ipv4_lpm"), Ok(0));
    assert_eq!(find("ipv4_lpm"), Ok(0));
    assert_eq!(find("NoAction"), Ok(3));
    assert!(find("lpm").is_err(), "an end starts after a dot");
    assert!(find("").is_err());
}

#[test]
fn errors_name_the_candidates_or_the_nearest() {
    assert_eq!(find("acl"), Err("table \"acl\" is ambiguous: MyEgress.acl, MyIngress.acl".to_owned()));
    assert_eq!(
        find("ipv4_lmp"),
        Err("there is no table \"ipv4_lmp\"; did you mean \"MyIngress.ipv4_lpm\"?".to_owned())
    );
    assert_eq!(
        find("completely_else"),
        Err("there is no table \"completely_else\" (there are: MyIngress.ipv4_lpm, MyEgress.acl, MyIngress.acl, \
             NoAction)"
            .to_owned())
    );
}

#[test]
fn values_are_read_from_numbers_and_text() {
    for (text, width, number) in [
        ("5", 8, 5),
        ("true", 1, 1),
        ("\"5\"", 8, 5),
        ("\"1_000\"", 10, 1000),
        ("\"0x0800\"", 16, 0x800),
        ("\"0b101\"", 3, 5),
        ("\"10.0.1.1\"", 32, 0x0a00_0101),
        ("\"08:00:00:00:01:11\"", 48, 0x0800_0000_0111),
        ("\"08-00-00-00-01-11\"", 48, 0x0800_0000_0111),
        ("\"2001:db8::1\"", 128, 0x2001_0db8_0000_0000_0000_0000_0000_0001),
    ] {
        assert_eq!(read_value(&json(text), width), Ok(Bits::new(width, number)), "{text}");
    }
    let wide = "9".repeat(600);
    let read = read_value(&json(&wide), 2048).unwrap();
    assert_eq!(read.to_string(), wide);
}

#[test]
fn wrong_values_are_refused_with_a_reason() {
    for (text, width, message) in [
        ("512", 9, "512 does not fit in 9 bits (at most 511)"),
        ("-1", 9, "-1 is negative: the values here are unsigned"),
        ("\"10.0.0.1\"", 9, "10.0.0.1 is an IPv4 address of 32 bits, but 9 bits are wanted here"),
        ("\"10.0.1.300\"", 32, "\"10.0.1.300\" is not an IPv4 address (300 is above 255)"),
        ("\"10.0.01.1\"", 32, "\"10.0.01.1\" is not an IPv4 address (01 has leading zeros)"),
        ("\"10.0..1\"", 32, "\"10.0..1\" is not an IPv4 address (\"\" is not a number from 0 to 255)"),
        ("\"08:00\"", 48, "\"08:00\" is not a MAC address: expected six pairs of hex digits, found 2"),
        (
            "\"8:0:0:0:A:1\"",
            48,
            "\"8:0:0:0:A:1\" is not a MAC address: each of its six bytes needs two hex digits",
        ),
        ("\"0x_\"", 8, "\"_\" is not a number"),
        ("\"x\"", 8, "cannot read the value \"x\": expected a number, 0x…, an IPv4, IPv6 or MAC address"),
        (
            "1.5",
            8,
            "expected a value such as 1, \"0x0800\", \"10.0.1.1\" or \"08:00:00:00:01:11\", found a number 1.5",
        ),
    ] {
        assert_eq!(read_value(&json(text), width).unwrap_err().message, message, "{text}");
    }
}

#[test]
fn values_are_shown_by_field_name() {
    for (number, width, name, text) in [
        (0x0800_0000_0111, 48, "x", "08:00:00:00:01:11"),
        (0x0a00_0101, 32, "hdr.ipv4.dstAddr", "10.0.1.1"),
        (7, 32, "counter", "7"),
        (0x800, 16, "hdr.ethernet.etherType", "0x0800"),
        (1, 128, "hdr.ipv6.dstAddr", "::1"),
    ] {
        assert_eq!(format_value(&Bits::new(width, number), name), text);
        assert_eq!(read_text(text, width), Ok(Bits::new(width, number)));
    }
}

#[test]
fn matches_of_every_kind_are_read_and_shown() {
    let value = |number| Bits::new(32, number);
    for (kind, text, read, shown) in [
        (MatchKind::Exact, "\"10.0.0.1\"", Match::Exact(value(0x0a00_0001)), "10.0.0.1"),
        (MatchKind::Exact, "[5]", Match::Exact(value(5)), "0.0.0.5"),
        (MatchKind::Lpm, "[\"10.0.0.0\", 8]", Match::Lpm(value(0x0a00_0000), 8), "10.0.0.0/8"),
        (MatchKind::Lpm, "\"10.0.0.0/8\"", Match::Lpm(value(0x0a00_0000), 8), "10.0.0.0/8"),
        (MatchKind::Lpm, "\"0.0.0.0/0\"", Match::Any, "*"),
        (MatchKind::Ternary, "\"1 &&& 3\"", Match::Ternary(value(1), value(3)), "0x1 &&& 0x3"),
        (MatchKind::Ternary, "[0, 0]", Match::Any, "*"),
        (MatchKind::Range, "\"1..5\"", Match::Range(value(1), value(5)), "0.0.0.1..0.0.0.5"),
        (MatchKind::Optional, "7", Match::Exact(value(7)), "0.0.0.7"),
        (MatchKind::Optional, "\"*\"", Match::Any, "*"),
    ] {
        let key = key(kind, 32);
        assert_eq!(read_match(&json(text), &key, &key.name), Ok(read.clone()), "{text}");
        assert_eq!(format_match(&read, 32, &key.name), shown);
        if !matches!((kind, &read), (MatchKind::Exact | MatchKind::Optional, _)) {
            let again = read_match(&json(&format!("\"{shown}\"")), &key, &key.name);
            assert_eq!(again, Ok(read), "{shown} goes in again");
        }
    }
    assert_eq!(canonical(Match::Ternary(value(5), Bits::ones(32)), 32), Match::Exact(value(5)));
    assert_eq!(canonical(Match::Range(value(0), Bits::ones(32)), 32), Match::Any);
    assert_eq!(canonical(Match::Lpm(value(5), 32), 32), Match::Exact(value(5)));
}

/// A prefix of 32 or 128 bits is shown as an address, whatever the key's name is.
#[test]
fn prefixes_are_shown_as_addresses() {
    for (width, text) in [(32, "10.9.0.0/16"), (128, "2001:db8::/32"), (128, "::/0"), (16, "256/8")] {
        let key = KeySchema { name: "meta.to".to_owned(), ..key(MatchKind::Lpm, width) };
        let read = read_match(&json(&format!("\"{text}\"")), &key, &key.name).unwrap();
        let read = if read == Match::Any { Match::Lpm(Bits::zero(width), 0) } else { read };
        assert_eq!(format_match(&read, &key, &key.name), text);
    }
}

/// A mask or prefix of a text applies to the number that the text stands for, not to the bytes of
/// the text.
#[test]
fn parts_of_texts_are_not_compared_with_their_bytes() {
    for (kind, text) in [
        (MatchKind::Ternary, "Ethernet1 &&& 0x1ff"),
        (MatchKind::Ternary, "*"),
        (MatchKind::Lpm, "Ethernet1/1/9"),
        (MatchKind::Lpm, "*"),
        (MatchKind::Range, "Ethernet1..3"),
    ] {
        let key = KeySchema { values: Values::Texts, ..key(kind, weir_switch::control::TEXT_BITS) };
        let read = read_match(&json(&format!("\"{text}\"")), &key, &key.name).unwrap();
        assert_eq!(format_match(&read, &key, &key.name), text);
    }
}

#[test]
fn wrong_matches_are_refused() {
    for (kind, text, message) in [
        (MatchKind::Exact, "[1, 2]", "k matches exactly: expected one value, found 2"),
        (MatchKind::Lpm, "5", "k is an lpm key: expected [value, prefix length], found a number 5"),
        (MatchKind::Lpm, "[1, 33]", "prefix length 33 is out of range: k has 32 bits"),
        (MatchKind::Lpm, "[1, \"x\"]", "expected a prefix length from 0 to 32, found a string \"x\""),
        (
            MatchKind::Lpm,
            "\"10.9.0.1/16\"",
            "10.9.0.1/16 has bits set past its prefix; did you mean \"10.9.0.0/16\"?",
        ),
        (
            MatchKind::Ternary,
            "[3, 1]",
            "3 has bits set where the mask 1 has none; did you mean \"0x1 &&& 0x1\"?",
        ),
        (MatchKind::Range, "[5, 1]", "the range 5 to 1 is empty; did you mean \"[1, 5]\"?"),
        (MatchKind::Range, "[1, 2, 3]", "k is a range key: expected [low, high], found 3 values"),
    ] {
        let error = read_match(&json(text), &key(kind, 32), "k").unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
}

/// Values of `int<W>` have a sign; their bits without a sign are accepted, too, as in
/// `simple_switch_CLI`.
#[test]
fn signed_values_are_read_and_shown_with_their_sign() {
    let signed = Values::Signed;
    let form = |width| Form { width, values: &signed };
    for (text, width, bits, shown) in [
        ("-5", 8, 0xfb, "-5"),
        ("\"-5\"", 8, 0xfb, "-5"),
        ("-128", 8, 0x80, "-128"),
        ("127", 8, 0x7f, "127"),
        ("251", 8, 0xfb, "-5"),
        ("\"0xfb\"", 8, 0xfb, "-5"),
        ("-1", 12, 0xfff, "-1"),
        ("0", 1, 0, "0"),
    ] {
        let read = read_value(&json(text), form(width)).unwrap();
        assert_eq!(read, Bits::new(width, bits), "{text}");
        assert_eq!(format_as(&read, "x", &signed), shown);
        assert_eq!(read_text(shown, form(width)), Ok(read));
    }
    for (text, width, message) in [
        ("-129", 8, "-129 does not fit in 8 bits (-128 to 127, or bits up to 255)"),
        ("256", 8, "256 does not fit in 8 bits (-128 to 127, or bits up to 255)"),
        ("\"-5x\"", 8, "cannot read the value \"-5x\": expected a number, 0x…, an IPv4, IPv6 or MAC address"),
    ] {
        assert_eq!(read_value(&json(text), form(width)).unwrap_err().message, message, "{text}");
    }
    let key = |kind| KeySchema { values: Values::Signed, ..key(kind, 8) };
    let range = key(MatchKind::Range);
    let read = read_match(&json("[-5, -1]"), &range, "key").unwrap();
    assert_eq!(read, Match::Range(Bits::new(8, 0xfb), Bits::new(8, 0xff)));
    assert_eq!(format_match(&read, &range, "key"), "-5..-1");
    let error = read_match(&json("[-5, 5]"), &range, "key").unwrap_err();
    assert!(error.message.starts_with("the range -5 to 5 goes over 0"), "{}", error.message);
    for (text, message) in [
        ("[5, -5]", "the range 5 to -5 is empty"),
        ("[-1, -5]", "the range -1 to -5 is empty; did you mean \"[-5, -1]\"?"),
        ("[5, 1]", "the range 5 to 1 is empty; did you mean \"[1, 5]\"?"),
    ] {
        assert_eq!(read_match(&json(text), &range, "key").unwrap_err().to_string(), message);
    }
    // An upper end that is written as bits counts as bits.
    for text in ["[0, 128]", "[\"0\", \"0x80\"]", "\"0..128\""] {
        let read = read_match(&json(text), &range, "key").unwrap();
        assert_eq!(read, Match::Range(Bits::zero(8), Bits::new(8, 0x80)), "{text}");
        assert_eq!(format_match(&read, &range, "key"), "0..128");
    }
    assert_eq!(
        commands::values::read_match("0->128", &range, "key").unwrap(),
        Match::Range(Bits::zero(8), Bits::new(8, 0x80))
    );
    let error = commands::values::read_match("5->-5", &range, "key").unwrap_err();
    assert_eq!(error.to_string(), "key key: the range 5 to -5 is empty");
    let read = read_match(&json("-3"), &key(MatchKind::Exact), "key").unwrap();
    assert_eq!(format_match(&read, &key(MatchKind::Exact), "key"), "-3");
}

/// Names of a type that controllers see as text also stand for their numbers in this crate.
#[test]
fn names_of_values_are_read_and_shown() {
    let names = TextNames::parse("{{\"Ethernet0\", 2}, {\"Ethernet4\", 1}, {\"\", 0}}").unwrap();
    let values = Values::Named(Arc::new(names));
    let form = Form { width: 9, values: &values };
    for (text, number, shown) in
        [("\"Ethernet0\"", 2, "Ethernet0"), ("1", 1, "Ethernet4"), ("7", 7, "7"), ("0", 0, "0")]
    {
        let read = read_value(&json(text), form).unwrap();
        assert_eq!(
            (read.clone(), format_as(&read, "port", &values)),
            (Bits::new(9, number), shown.to_owned())
        );
    }
    let error = read_value(&json("\"Ethernet5\""), form).unwrap_err();
    assert!(error.suggestion.is_some(), "{error:?}");
}
