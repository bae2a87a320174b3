//! The statistics of links, as JSON and as text.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::link::Link;
use crate::way::Way;

/// The statistics of a link.
pub fn statistics(link: &mut Link) -> Value {
    let (name, up) = (link.settings.name.clone(), link.settings.up);
    let [there, back] = link.report().map(|(way, missed)| direction(way, missed));
    json!({"name": name, "up": up, "a_to_b": there, "b_to_a": back})
}

fn direction(way: &Way, missed: u64) -> Value {
    let counts = way.counts;
    let (waiting_packets, waiting_bytes) = way.waiting();
    json!({
        "offered_packets": counts.offered_packets,
        "offered_bytes": counts.offered_bytes,
        "delivered_packets": counts.delivered_packets,
        "delivered_bytes": counts.delivered_bytes,
        "dropped_loss": counts.dropped_loss,
        "dropped_limit": counts.dropped_limit,
        "dropped_down": counts.dropped_down,
        "dropped_output": counts.dropped_output,
        "dropped_malformed": counts.dropped_malformed,
        "dropped_socket": missed,
        "duplicates": counts.duplicates,
        "corrupted": counts.corrupted,
        "waiting_packets": waiting_packets,
        "waiting_bytes": waiting_bytes,
        "waiting_max": counts.waiting_max,
        "late_ns": {
            "median": way.late.value_at_quantile(0.5),
            "p99": way.late.value_at_quantile(0.99),
            "max": way.late.max(),
        },
    })
}

/// The statistics of a link, as text for people.
pub fn text(link: &mut Link) -> String {
    let ends = [link.settings.ends[0].to_string(), link.settings.ends[1].to_string()];
    let mut out = String::new();
    for (direction, (way, missed)) in link.report().into_iter().enumerate() {
        let counts = way.counts;
        let (from, to) = (&ends[direction], &ends[1 - direction]);
        let late = |quantile| way.late.value_at_quantile(quantile) as f64 / 1e3;
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{from} -> {to}: {} packets, {} delivered, {} lost, {} duplicated, {} corrupted, {} dropped; \
             late by {:.1} us (median), {:.1} us (99 %)",
            counts.offered_packets,
            counts.delivered_packets,
            counts.dropped_loss,
            counts.duplicates,
            counts.corrupted,
            counts.dropped_limit
                + counts.dropped_down
                + counts.dropped_output
                + counts.dropped_malformed
                + missed,
            late(0.5),
            late(0.99),
        );
    }
    out
}
