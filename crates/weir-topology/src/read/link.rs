//! A link of the document.

use weir_json::{Diagnostic, Kind, Node};

use crate::{End, Error, Index, Link, end, quantity};

/// Reads a link and adds it to the index, whose links so far must leave its ends free.
pub(super) fn read(node: Node<'_>, index: &mut Index) -> Result<Link, Diagnostic> {
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
    let (a, b) = (read_end(a, index)?, read_end(b, index)?);
    let latency = rest.first().map(|value| (value, quantity::latency(value.value())));
    let bandwidth = rest.get(1).map(|value| (value, quantity::bandwidth(value.value())));
    let latency_ns = latency.map_or(Ok(0), |(at, read)| read.map_err(|error| error.at(*at)))?;
    let bandwidth_bps = bandwidth.map_or(Ok(None), |(at, read)| read.map_err(|error| error.at(*at)))?;
    index.add_link(&a, &b).map_err(|error| error.at(node))?;
    Ok(Link { a, b, latency_ns, bandwidth_bps })
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
