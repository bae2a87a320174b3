//! A link of the document: a list as in the tutorials, or an object with all settings.

use weir_json::{Collector, Diagnostic, Kind, Mistakes, Node, Value, combine};
use weir_units::{Limit, Quantity, WantedQuantity};

use crate::quantity::{self, DEFAULT_RATE_BPS};
use crate::{End, Error, Host, HostAddress, Index, Link, Mac, NetworkRules, end};

/// The keys that a link's settings may have.
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

/// Reads a link and adds it to the index, whose links so far must leave its ends free. A link with
/// other mistakes also occupies its ends.
pub(super) fn read(
    node: Node<'_>,
    index: &mut Index,
    hosts: &[Host],
    rules: &dyn NetworkRules,
) -> Result<Link, Mistakes> {
    match node.value().kind {
        Kind::List(_) => read_short_form(node, index),
        Kind::Object(_) => read_object(node, index, hosts, rules),
        _ => {
            let description = node.value().describe();
            let example = "[\"h1\", \"s1-p1\", \"5ms\", 10]";
            Err(node.error(format!("expected a link such as {example}, found {description}")).into())
        }
    }
}

/// Returns the texts with which a link names its ends, as far as they exist.
pub(super) fn names(node: Node<'_>) -> Vec<&str> {
    let ends = node.get("ends").unwrap_or(node).items().ok();
    ends.into_iter().flatten().take(2).filter_map(|end| end.text("").ok()).collect()
}

/// Reads `["h1", "s1-p1", "5ms", 10]`.
fn read_short_form(node: Node<'_>, index: &mut Index) -> Result<Link, Mistakes> {
    let elements: Vec<_> = node.items()?.collect();
    let (&[a, b], rest) = match elements.split_first_chunk::<2>() {
        Some((ends, rest)) if rest.len() <= 2 => (ends, rest),
        _ => {
            let count = elements.len();
            let expected = "a link has two ends and optionally latency and bandwidth";
            return Err(node.error(format!("{expected}, found {count} elements")).into());
        }
    };
    let ends = read_ends(node, [a, b], index);
    let latency =
        rest.first().map_or(Ok(0), |at| quantity::latency(at.value()).map_err(|error| error.at(*at)));
    let bandwidth = rest.get(1).map_or(Ok(Some(DEFAULT_RATE_BPS)), |at| {
        quantity::bandwidth(at.value()).map_err(|error| error.at(*at))
    });
    let ((a, b), (delay_ns, rate_bps)) = combine(ends, combine(latency, bandwidth))?;
    Ok(Link { delay_ns, rate_bps, ..Link::new(a, b) })
}

/// Reads `{"ends": ["h1", "s1-p1"], "delay": "5ms", "rate": "10Mbit", …}`.
fn read_object(
    node: Node<'_>,
    index: &mut Index,
    hosts: &[Host],
    rules: &dyn NetworkRules,
) -> Result<Link, Mistakes> {
    let mut object = node.object(&KEYS);
    let ends = object.required("ends", |ends| {
        let [a, b] = ends.elements("the two ends of a link, such as [\"h1\", \"s1-p1\"]")?;
        read_ends(node, [a, b], index)
    });
    let rate = object.optional_or("rate", Some(DEFAULT_RATE_BPS), quantity::rate);
    let mut time = |key| {
        object.optional(key, |given| quantity::text(given, WantedQuantity::time(key), Quantity::nanoseconds))
    };
    let (delay, jitter) = (time("delay"), time("jitter"));
    let share =
        |key| move |given: Node<'_>| quantity::text(given, WantedQuantity::share(key), Quantity::share);
    let [loss, duplicate, corrupt] =
        ["loss", "duplicate", "corrupt"].map(|key| object.optional_or(key, 0.0, share(key)));
    let reorder = object.optional("reorder", |reorder| {
        let [part, hold] = reorder.elements("a share and a time, such as [\"1%\", \"5ms\"]")?;
        let hold = quantity::text(hold, WantedQuantity::time("reorder"), Quantity::nanoseconds);
        combine(share("reorder")(part), hold)
    });
    let queue = object.optional("queue", |queue| {
        quantity::text(queue, WantedQuantity::packets("queue"), |limit| {
            Ok(match limit.limit()? {
                Limit::Packets(packets) => format!("{packets}p"),
                Limit::Bytes(bytes) => format!("{bytes}B"),
            })
        })
    });
    let mtu = object.optional("mtu", |mtu| quantity::text(mtu, WantedQuantity::size("mtu"), Quantity::bytes));
    let overtake = object.optional_or("overtake", false, Node::flag);
    let up = object.optional_or("up", true, Node::flag);
    // The ends with disciplines are known only if the link's ends are.
    let qdiscs = ends.as_ref().and_then(|ends| {
        object.optional_or("qdisc", Vec::new(), |given| qdiscs(given, ends, index, hosts, rules))
    });
    object.finish(|| {
        let (a, b) = ends?;
        Some(Link {
            rate_bps: rate?,
            delay_ns: delay.unwrap_or(0),
            jitter_ns: jitter,
            overtake: overtake?,
            loss: loss?,
            duplicate: duplicate?,
            corrupt: corrupt?,
            reorder,
            queue,
            mtu,
            up: up?,
            qdiscs: qdiscs?,
            ..Link::new(a, b)
        })
    })
}

/// Disciplines in the syntax of tc, for both ends or by end: the node and the command of each.
fn qdiscs(
    node: Node<'_>,
    (a, b): &(End, End),
    index: &Index,
    hosts: &[Host],
    rules: &dyn NetworkRules,
) -> Result<Vec<(End, String)>, Mistakes> {
    let command = |end: &End, given: Node<'_>| -> Result<(End, String), Mistakes> {
        let expected = "a queueing discipline with its options, such as \"fq_codel target 5ms\"";
        let line = format!("tc qdisc add dev {} root {}", interface_name(end), given.text(expected)?);
        rules.tc(&line).map_err(|problem| given.error(problem))?;
        if let Some(host) = with_qdisc(end, hosts, &line) {
            rules.host(&host).map_err(|problem| given.error(problem))?;
        }
        Ok((end.clone(), line))
    };
    if let Kind::Text(_) = node.value().kind {
        return [a, b].into_iter().map(|end| command(end, node)).collect();
    }
    let mut mistakes = Collector::default();
    let found = mistakes.read_each(node.members()?, |(name, given)| {
        let text = Value::from(Kind::Text(name.to_owned()));
        let end = end::read(&text, index).map_err(|error| error.at(given))?;
        if end != *a && end != *b {
            let ends = format!("\"{name}\" is not an end of this link ({a} and {b})");
            return Err(given.error(ends).into());
        }
        command(&end, given)
    });
    mistakes.finish(found)
}

/// Returns the host of an end with the discipline of a link. For a switch, which has no other
/// disciplines, this is a separate host. `None` for a host that has mistakes.
fn with_qdisc(end: &End, hosts: &[Host], line: &str) -> Option<Host> {
    let mut host = match end {
        End::Host { name, .. } => hosts.iter().find(|host| host.name == *name)?.clone(),
        End::Switch { name, .. } => {
            let address = HostAddress { address: [10, 0, 0, 1].into(), prefix: 24 };
            Host::new(name, Mac([8, 0, 0, 0, 0, 1]), address)
        }
    };
    let own = format!("{}-eth0", host.name);
    host.tc.push(match end {
        End::Host { .. } => line.to_owned(),
        End::Switch { .. } => line.replacen(&interface_name(end), &own, 1),
    });
    Some(host)
}

fn interface_name(end: &End) -> String {
    match end {
        End::Host { interface, .. } => format!("eth{interface}"),
        End::Switch { .. } => end.to_string(),
    }
}

/// Reads the ends of a link and adds the link to the index.
fn read_ends(node: Node<'_>, [a, b]: [Node<'_>; 2], index: &mut Index) -> Result<(End, End), Mistakes> {
    let (a, b) = combine(read_end(a, index), read_end(b, index))?;
    index.add_link(&a, &b).map_err(|error| error.at(node))?;
    Ok((a, b))
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
