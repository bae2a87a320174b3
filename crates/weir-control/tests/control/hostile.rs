//! Tests that any runtime JSON is either accepted, or refused with messages that name places.

use proptest::prelude::*;
use weir_control::{Names, runtime_json};
use weir_json::Document;
use weir_switch::control::Schema;
use weir_switch::{Switch, SwitchConfig};

use crate::common;

/// One element of each kind, all of them right.
const GOOD: &str = r#"{
  "target": "bmv2", "p4info": "x", "bmv2_json": "y",
  "table_entries": [
    {"table": "all_kinds", "match": {"what": 1, "index": [1, 3], "value": [5, 900], "from": 2, "answer": ["10.0.0.0", 8]},
      "priority": 7, "action_name": "to", "action_params": {"port": 2}},
    {"table": "prefixes", "default_action": true, "action_name": "I.answer", "action_params": {"what": "0x7"}},
    {"table": "balance", "match": {"index": 1}, "action_profile_action_set": [
      {"action_name": "to", "action_params": {"port": 1}, "weight": 2, "watch_port": 1}], "at_random": true}
  ],
  "multicast_group_entries": [
    {"multicast_group_id": 1, "replicas": [{"egress_port": 1, "instance": 2, "backup_replicas": [{"port": 2}]}]}],
  "clone_session_entries": [{"clone_session_id": 5, "replicas": [{"egress_port": 1}], "packet_length_bytes": 64}],
  "counter_entries": [{"counter": "both", "index": 1, "data": {"packet_count": 1, "byte_count": 2}}],
  "meter_entries": [{"meter": "by_packets", "config": {"cir": 1.5, "cburst": 1, "pir": 2, "pburst": 1}}],
  "register_entries": [{"register": "pair", "index": 1, "data": {"first": 1, "second": 2}}],
  "value_set_entries": [{"value_set": "dropped", "members": [1, "0x2"]}],
  "action_profile_members": [{"action_profile": "ways", "member_id": 1, "action_name": "to", "action_params": {"port": 1}}],
  "action_profile_groups": [{"action_profile": "ways", "group_id": 1, "members": [{"member_id": 1, "weight": 2}]}]
}"#;

fn switch() -> Switch {
    common::switch(
        include_str!("../../../../testdata/switch/control.p4"),
        SwitchConfig::default().with_ports(1..=3),
    )
}

/// Returns the messages, one per line; an empty text if `text` is right.
fn refusal_messages(schema: &Schema, text: &str) -> Vec<String> {
    let read = Document::parse("s1.json", text)
        .and_then(|document| runtime_json::read(Names::new(schema), &document).map(drop));
    let lines: Vec<_> = read.err().iter().flat_map(|error| error.all()).map(ToString::to_string).collect();
    for line in &lines {
        assert!(line.starts_with("s1.json:") && !line.contains(char::is_control), "{line:?}");
        assert!(line.len() < 1500, "{} bytes", line.len());
    }
    lines
}

#[test]
fn the_unmutated_document_is_valid() {
    assert_eq!(refusal_messages(switch().schema(), GOOD), [""; 0]);
}

/// Returns the position at which the value ends that starts at a byte.
fn value_end(text: &str, at: usize) -> usize {
    let (mut depth, mut in_text) = (0, false);
    for (offset, byte) in text[at..].bytes().enumerate() {
        match byte {
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth -= 1,
            _ => {}
        }
        if depth == 0 && !in_text {
            return at + offset + 1;
        }
    }
    text.len()
}

/// Replaces every key and every value in brackets or quotes, one at a time.
#[test]
fn every_change_of_a_right_document_has_a_diagnosis() {
    let switch = switch();
    let places = GOOD.match_indices(['"', '[', '{']).map(|(at, _)| at);
    let mut wrong = 0;
    for at in places {
        let end = value_end(GOOD, at);
        let is_key = GOOD[end..].trim_start().starts_with(':');
        let changes: &[&str] = match is_key {
            true => &["\"unknown_key\"", "\"\"", "\"a/b\"", "\"\\u0000\""],
            false => {
                &["null", "true", "-1", "1e999", "99999999999999999999999", "\"?\"", "[]", "{}", "[[[]]]"]
            }
        };
        for change in changes {
            let text = format!("{}{change}{}", &GOOD[..at], &GOOD[end..]);
            wrong += usize::from(!refusal_messages(switch.schema(), &text).is_empty());
        }
        if is_key {
            let name = &GOOD[at + 1..end - 1];
            let text = format!("{}\"{name}x\"{}", &GOOD[..at], &GOOD[end..]);
            let lines = refusal_messages(switch.schema(), &text);
            // A misspelling counts as one mistake, even if it hides other mistakes.
            assert_eq!(lines.len(), 1, "{name}: {lines:#?}");
        }
    }
    assert!(wrong > 500, "{wrong}");
}

#[test]
fn every_beginning_is_refused() {
    let switch = switch();
    for length in (0..GOOD.len()).filter(|length| GOOD.is_char_boundary(*length)) {
        assert_eq!(refusal_messages(switch.schema(), &GOOD[..length]).len(), 1);
    }
}

#[test]
#[expect(clippy::disallowed_types, reason = "it measures that reading ends in time")]
fn large_documents_are_read_in_time() {
    let switch = switch();
    let start = std::time::Instant::now();
    let long = "9".repeat(1 << 20);
    for text in [
        GOOD.replace("0x7", &long),
        GOOD.replace("900", &long),
        GOOD.replace("\"0x2\"", &format!("\"{}\"", "é".repeat(1 << 20))),
        GOOD.replace("all_kinds", &"all_kinds".repeat(1 << 17)),
        GOOD.replace("\"what\": 1", &format!("\"{long}\": 1")),
        format!("{{\"table_entries\": [{}1]}}", "{\"table\": \"x\"}, ".repeat(100_000)),
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{{\"table_entries\": {}1{}}}", "[".repeat(400), "]".repeat(400)),
    ] {
        assert!(!refusal_messages(switch.schema(), &text).is_empty());
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

proptest! {
    #[test]
    fn any_text_in_the_document(at in any::<prop::sample::Index>(), piece in "[\\[\\]{}\",:0-9a-z\\\\ \\n]{0,6}") {
        let switch = switch();
        let starts: Vec<_> = GOOD.char_indices().map(|(at, _)| at).collect();
        let at = starts[at.index(starts.len())];
        refusal_messages(switch.schema(), &format!("{}{piece}{}", &GOOD[..at], &GOOD[at..]));
    }
}
