//! Ping's rows as plain values.

use weir_sim::{PingOutcome, PingRow};

/// `(sequence, sent, kind, rtt, ttl, bytes, error)`: `kind` is `reply`, `lost`, `error` or `no_route`; times in nanoseconds; `error` is
/// the reporting host's address, the ICMP type and its code.
pub type Row = (u64, u64, &'static str, Option<u64>, Option<u8>, Option<usize>, Option<(String, u8, u8)>);

/// A request's row; none while its reply may still come.
pub fn row(row: &PingRow) -> Option<Row> {
    let settled = |kind, rtt, ttl, bytes, error| Some((row.sequence, row.sent, kind, rtt, ttl, bytes, error));
    match row.outcome {
        PingOutcome::Waiting => None,
        PingOutcome::Reply { rtt, ttl, bytes } => settled("reply", Some(rtt), Some(ttl), Some(bytes), None),
        PingOutcome::Late { .. } | PingOutcome::Lost => settled("lost", None, None, None, None),
        PingOutcome::Error(e) => {
            settled("error", None, None, None, Some((e.from.to_string(), e.icmp_type, e.code)))
        }
        PingOutcome::NoRoute => settled("no_route", None, None, None, None),
    }
}
