//! A program that runs on a host.

use weir_json::{Diagnostic, Kind, Mistakes, Node};

use crate::HostProgram;

/// Reads `{"class": "server.py:Server", "udp": [7]}`.
pub(super) fn read(node: Node<'_>) -> Result<HostProgram, Mistakes> {
    let mut object = node.object(&["class", "udp", "tcp", "frames"]);
    let class = object.required("class", |named| {
        let expected = "a Python file and a class in it, such as \"server.py:Server\"";
        let class = named.text(expected)?.rsplit_once(':');
        let class = class.filter(|(file, class)| file.ends_with(".py") && !class.is_empty());
        class.ok_or_else(|| named.expected(expected))
    });
    let udp = object.optional_or("udp", Vec::new(), ports);
    let tcp = object.optional_or("tcp", Vec::new(), ports);
    let frames = object.optional_or("frames", None, |frames| match frames.value().kind {
        Kind::Bool(_) => Ok(frames.flag()?.then(String::new)),
        _ => frames.text("true, false or a filter").map(|filter| Some(filter.to_owned())),
    });
    object.finish(|| {
        let (file, class) = class?;
        let (file, class) = (file.to_owned(), class.to_owned());
        Some(HostProgram { file, class, udp: udp?, tcp: tcp?, frames: frames? })
    })
}

/// Reads a port or a list of ports.
fn ports(node: Node<'_>) -> Result<Vec<u16>, Mistakes> {
    let port = |node: Node<'_>| -> Result<u16, Diagnostic> { Ok(node.integer("a port", 1, 65535)? as u16) };
    match node.value().kind {
        Kind::List(_) => node.list(port),
        _ => Ok(vec![port(node)?]),
    }
}
