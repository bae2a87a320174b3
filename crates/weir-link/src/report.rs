//! The statistics of links, as JSON and as text.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use weir_qdisc::{Stats, TcCommand};

use crate::direction::LinkDirection;
use crate::link::Link;

/// Returns the statistics of a link.
pub fn statistics(link: &mut Link) -> Value {
    let (name, up) = (link.settings.name.clone(), link.settings.up);
    let [there, back] = link.direction_counts().map(|(way, missed)| direction(way, missed));
    json!({"name": name, "up": up, "a_to_b": there, "b_to_a": back})
}

/// Returns the statistics of one direction of a link.
fn direction(way: &LinkDirection, missed: u64) -> Value {
    let counts = way.counts();
    let drops: Map<String, Value> =
        way.drops().map(|(reason, count)| (reason.to_owned(), json!(count))).collect();
    let (waiting_packets, waiting_bytes) = way.waiting();
    json!({
        "offered_packets": counts.offered_packets,
        "offered_bytes": counts.offered_bytes,
        "delivered_packets": counts.delivered_packets,
        "delivered_bytes": counts.delivered_bytes,
        "dropped_loss": counts.dropped_loss,
        "dropped_limit": counts.dropped_limit,
        "dropped_queue": counts.dropped_queue,
        "dropped_down": counts.dropped_down,
        "dropped_output": counts.dropped_output,
        "dropped_malformed": counts.dropped_malformed,
        "dropped_socket": missed,
        "duplicates": counts.duplicates,
        "corrupted": counts.corrupted,
        "marked": counts.marked,
        "waiting_packets": waiting_packets,
        "waiting_bytes": waiting_bytes,
        "waiting_max": counts.waiting_max,
        "queue": queue(way, drops),
        "late_ns": {
            "median": way.late.value_at_quantile(0.5),
            "p99": way.late.value_at_quantile(0.99),
            "max": way.late.max(),
        },
    })
}

/// Returns the statistics of a direction's queueing discipline; null if it has none.
fn queue(way: &LinkDirection, drops: Map<String, Value>) -> Value {
    let Some(config) = way.qdisc().config() else { return Value::Null };
    let Stats { counts, packets, bytes, .. } = way.queue_stats();
    json!({
        "qdisc": config.to_string(),
        "packets": packets,
        "bytes": bytes,
        "sent_packets": counts.sent_packets,
        "sent_bytes": counts.sent_bytes,
        "dropped_packets": counts.dropped,
        "marked_packets": counts.marked,
        "overlimits": counts.overlimits,
        "drops": drops,
    })
}

/// Returns the output of `tc -s` for the queueing discipline of a direction; empty if it has none.
fn qdisc_text(way: &LinkDirection) -> String {
    let Some(config) = way.qdisc().config() else { return String::new() };
    let show = |what: &str| {
        let command = TcCommand::parse(what).unwrap_or_else(|_| unreachable!("a command of tc"));
        command.print("queue", Some(way.qdisc()), &config, &way.queue_stats())
    };
    let lines = show("tc -s qdisc show") + &show("tc -s class show");
    lines.lines().map(|line| format!("  {line}\n")).collect()
}

/// Returns the statistics of a link, as text for people.
pub fn text(link: &mut Link) -> String {
    let ends = [link.settings.ends[0].to_string(), link.settings.ends[1].to_string()];
    let mut out = String::new();
    for (direction, (way, missed)) in link.direction_counts().into_iter().enumerate() {
        let counts = way.counts();
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
                + counts.dropped_queue
                + counts.dropped_down
                + counts.dropped_output
                + counts.dropped_malformed
                + missed,
            late(0.5),
            late(0.99),
        );
        out.push_str(&qdisc_text(way));
    }
    out
}
