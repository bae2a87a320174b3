//! A link of the document: a list as in the tutorials, or an object with all settings.

use weir_json::{Diagnostic, Kind, Node};
use weir_units::{Limit, Quantity, Wanted};

use crate::quantity::{self, DEFAULT_RATE_BPS};
use crate::{CheckTc, End, Error, Index, Link, end};

const KEYS: [&str; 13] = [
    "ends",
    "rate",
    "delay",
    "jitter",
    "overtake",
    "loss",
    "duplicate",
    "corrupt",
    "reorder",
    "queue",
    "mtu",
    "up",
    "qdisc",
];

/// Reads a link and adds it to the index, whose links so far must leave its ends free.
pub(super) fn read(node: Node<'_>, index: &mut Index, check_tc: CheckTc<'_>) -> Result<Link, Diagnostic> {
    let link = match node.value().kind {
        Kind::List(_) => short(node, index)?,
        Kind::Object(_) => full(node, index, check_tc)?,
        _ => {
            let found = node.value().describe();
            let example = "[\"h1\", \"s1-p1\", \"5ms\", 10]";
            return Err(node.fail(format!("expected a link such as {example}, found {found}")));
        }
    };
    index.add_link(&link.a, &link.b).map_err(|error| error.at(node))?;
    Ok(link)
}

/// The texts with which a link names its ends, as far as it does.
pub(super) fn names(node: Node<'_>) -> Vec<&str> {
    let ends = node.get("ends").unwrap_or(node).items().ok();
    ends.into_iter().flatten().take(2).filter_map(|end| end.text("").ok()).collect()
}

/// Reads `["h1", "s1-p1", "5ms", 10]`.
fn short(node: Node<'_>, index: &Index) -> Result<Link, Diagnostic> {
    let elements: Vec<_> = node.items()?.collect();
    let (&[a, b], rest) = match elements.split_first_chunk::<2>() {
        Some((ends, rest)) if rest.len() <= 2 => (ends, rest),
        _ => {
            let count = elements.len();
            return Err(node.fail(format!(
                "a link has two ends and optionally latency and bandwidth, found {count} elements"
            )));
        }
    };
    let (a, b) = (read_end(a, index)?, read_end(b, index)?);
    let latency = rest.first().map(|value| (value, quantity::latency(value.value())));
    let bandwidth = rest.get(1).map(|value| (value, quantity::bandwidth(value.value())));
    let delay_ns = latency.map_or(Ok(0), |(at, read)| read.map_err(|error| error.at(*at)))?;
    let usual = Ok(Some(DEFAULT_RATE_BPS));
    let rate_bps = bandwidth.map_or(usual, |(at, read)| read.map_err(|error| error.at(*at)))?;
    Ok(Link { delay_ns, rate_bps, ..Link::new(a, b) })
}

/// Reads `{"ends": ["h1", "s1-p1"], "delay": "5ms", "rate": "10Mbit", …}`.
fn full(node: Node<'_>, index: &Index, check_tc: CheckTc<'_>) -> Result<Link, Diagnostic> {
    node.only(&KEYS)?;
    let ends = node.require("ends")?;
    let [a, b] = ends.items()?.collect::<Vec<_>>()[..] else {
        return Err(ends.expected("the two ends of a link, such as [\"h1\", \"s1-p1\"]"));
    };
    let mut link = Link::new(read_end(a, index)?, read_end(b, index)?);
    if let Some(rate) = node.get("rate") {
        link.rate_bps = quantity::rate(rate)?;
    }
    if let Some(delay) = node.get("delay") {
        link.delay_ns = quantity::text(delay, Wanted::time("delay"), Quantity::nanoseconds)?;
    }
    if let Some(jitter) = node.get("jitter") {
        link.jitter_ns = Some(quantity::text(jitter, Wanted::time("jitter"), Quantity::nanoseconds)?);
    }
    for (key, share) in
        [("loss", &mut link.loss), ("duplicate", &mut link.duplicate), ("corrupt", &mut link.corrupt)]
    {
        if let Some(given) = node.get(key) {
            *share = quantity::text(given, Wanted::share(key), Quantity::share)?;
        }
    }
    if let Some(reorder) = node.get("reorder") {
        let [share, hold] = reorder.items()?.collect::<Vec<_>>()[..] else {
            return Err(reorder.expected("a share and a time, such as [\"1%\", \"5ms\"]"));
        };
        let share = quantity::text(share, Wanted::share("reorder"), Quantity::share)?;
        let hold = quantity::text(hold, Wanted::time("reorder"), Quantity::nanoseconds)?;
        link.reorder = Some((share, hold));
    }
    if let Some(queue) = node.get("queue") {
        link.queue = Some(quantity::text(queue, Wanted::packets("queue"), |limit| {
            Ok(match limit.limit()? {
                Limit::Packets(packets) => format!("{packets}p"),
                Limit::Bytes(bytes) => format!("{bytes}B"),
            })
        })?);
    }
    if let Some(mtu) = node.get("mtu") {
        link.mtu = Some(quantity::text(mtu, Wanted::size("mtu"), Quantity::bytes)?);
    }
    link.overtake = node.get("overtake").map_or(Ok(false), Node::flag)?;
    link.up = node.get("up").map_or(Ok(true), Node::flag)?;
    link.qdiscs = node.get("qdisc").map_or(Ok(Vec::new()), |given| qdiscs(given, &link, index, check_tc))?;
    Ok(link)
}

/// Disciplines in the syntax of tc, of both ends or by end: for each its node, and its command.
fn qdiscs(
    node: Node<'_>,
    link: &Link,
    index: &Index,
    check_tc: CheckTc<'_>,
) -> Result<Vec<(End, String)>, Diagnostic> {
    let command = |end: &End, given: Node<'_>| -> Result<(End, String), Diagnostic> {
        let what = "a queueing discipline with its options, such as \"fq_codel target 5ms\"";
        let line = format!("tc qdisc add dev {} root {}", interface_name(end), given.text(what)?);
        check_tc(&line).map_err(|problem| given.fail(problem))?;
        Ok((end.clone(), line))
    };
    if let Kind::Text(_) = node.value().kind {
        return [&link.a, &link.b].into_iter().map(|end| command(end, node)).collect();
    }
    let mut found = Vec::new();
    for (name, given) in node.members()? {
        let text = weir_json::Value::from(Kind::Text(name.to_owned()));
        let end = end::read(&text, index).map_err(|error| error.at(given))?;
        if end != link.a && end != link.b {
            let ends = format!("\"{name}\" is not an end of this link ({} and {})", link.a, link.b);
            return Err(given.fail(ends));
        }
        found.push(command(&end, given)?);
    }
    Ok(found)
}

fn interface_name(end: &End) -> String {
    match end {
        End::Host { interface, .. } => format!("eth{interface}"),
        End::Switch { .. } => end.to_string(),
    }
}

/// Reads an end, which must name a switch's port and not be linked yet.
fn read_end(node: Node<'_>, index: &Index) -> Result<End, Diagnostic> {
    let end = end::read(node.value(), index).map_err(|error| error.at(node))?;
    if let End::Switch { name, port: None } = &end {
        let free = index.free_port(name).ok();
        let error = Error::new(format!("\"{name}\" is a switch: expected one of its ports"));
        return Err(error.suggesting(free.map(|port| format!("{name}-p{port}"))).at(node));
    }
    index.check_free(&end).map_err(|error| error.at(node))?;
    Ok(end)
}
