//! A program that runs on a host.

use weir_json::{Diagnostic, Kind, Node};

use crate::HostProgram;

/// Reads `{"class": "server.py:Server", "udp": [7]}`.
pub(super) fn read(node: Node<'_>) -> Result<HostProgram, Diagnostic> {
    node.only(&["class", "udp", "tcp", "frames"])?;
    let named = node.require("class")?;
    let what = "a Python file and a class in it, such as \"server.py:Server\"";
    let class = named.text(what)?;
    let (file, class) = class
        .rsplit_once(':')
        .filter(|(file, class)| file.ends_with(".py") && !class.is_empty())
        .ok_or_else(|| named.expected(what))?;
    Ok(HostProgram {
        file: file.to_owned(),
        class: class.to_owned(),
        udp: ports(node.get("udp"))?,
        tcp: ports(node.get("tcp"))?,
        frames: match node.get("frames") {
            None => None,
            Some(frames) if matches!(frames.value().kind, Kind::Bool(_)) => frames.flag()?.then(String::new),
            Some(frames) => Some(frames.text("true, false or a filter")?.to_owned()),
        },
    })
}

/// A port or a list of ports.
fn ports(node: Option<Node<'_>>) -> Result<Vec<u16>, Diagnostic> {
    let port = |node: Node<'_>| node.integer("a port", 1, 65535).map(|port| port as u16);
    match node {
        None => Ok(Vec::new()),
        Some(one) if matches!(one.value().kind, Kind::List(_)) => one.items()?.map(port).collect(),
        Some(one) => Ok(vec![port(one)?]),
    }
}
