//! A host of the document.

use weir_json::{Diagnostic, Node};

use crate::{CheckTc, Host, Index, Mac, address, commands};

/// Reads a host and adds it to the index, which has the hosts before it.
pub(super) fn read(
    name: &str,
    node: Node<'_>,
    index: &mut Index,
    check_tc: CheckTc<'_>,
) -> Result<Host, Diagnostic> {
    node.only(&["ip", "mac", "commands"])?;
    let ip = node.require("ip")?;
    let own = address::host_v4(ip.value()).map_err(|error| error.at(ip))?;
    let mac = node.require("mac")?;
    let ether = Mac::read(mac.value()).and_then(Mac::check_host).map_err(|error| error.at(mac))?;
    let mut host = Host::new(name, ether, own);
    if let Some(lines) = node.get("commands") {
        for line in lines.items()? {
            commands::apply(line.value(), &mut host, check_tc).map_err(|error| error.at(line))?;
        }
    }
    index.add_host(&host).map_err(|error| error.at(node))?;
    Ok(host)
}
