//! A link of the document.

use weir_json::{Diagnostic, Kind, Node};

use crate::{End, Error, Link, Topology, end, quantity};

/// Reads a link between nodes of the topology, whose links so far must leave its ends free.
pub(super) fn read(node: Node<'_>, topology: &Topology) -> Result<Link, Diagnostic> {
    if !matches!(node.value().kind, Kind::List(_)) {
        let found = node.value().describe();
        let example = "[\"h1\", \"s1-p1\", \"5ms\", 10]";
        return Err(node.fail(format!("expected a link such as {example}, found {found}")));
    }
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
    let (a, b) = (read_end(a, topology)?, read_end(b, topology)?);
    let latency = rest.first().map(|value| (value, quantity::latency(value.value())));
    let bandwidth = rest.get(1).map(|value| (value, quantity::bandwidth(value.value())));
    let latency_ns = latency.map_or(Ok(0), |(at, read)| read.map_err(|error| error.at(*at)))?;
    let bandwidth_bps = bandwidth.map_or(Ok(None), |(at, read)| read.map_err(|error| error.at(*at)))?;
    end::check_two_nodes(&a, &b).map_err(|error| error.at(node))?;
    Ok(Link { a, b, latency_ns, bandwidth_bps })
}

/// Reads an end, which must name a switch's port and not be linked yet.
fn read_end(node: Node<'_>, topology: &Topology) -> Result<End, Diagnostic> {
    let end = end::read(node.value(), topology).map_err(|error| error.at(node))?;
    if let End::Switch { name, port: None } = &end {
        let taken = |port: &u16| {
            let wanted = End::Switch { name: name.clone(), port: Some(*port) };
            topology.links.iter().any(|link| link.a == wanted || link.b == wanted)
        };
        let free = (1..=end::MAX_PORT).find(|port| !taken(port));
        let error = Error::new(format!("\"{name}\" is a switch: expected one of its ports"));
        return Err(error.suggesting(free.map(|port| format!("{name}-p{port}"))).at(node));
    }
    let link = topology.links.iter().find(|link| link.a == end || link.b == end);
    let link = link.map(|link| format!("{} <-> {}", link.a, link.b));
    end::check_free(&end, link.as_deref()).map_err(|error| error.at(node))?;
    Ok(end)
}
