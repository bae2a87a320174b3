//! The `p4app.json` of p4-utils: nodes, links with a set of parameters, and a strategy that assigns
//! addresses to hosts. Numbers of ports, switches and addresses are the same as in p4-utils.

mod hosts;
mod link;
mod names;
mod ports;
mod settings;
mod strategy;
mod switch;

use weir_json::{Collector, Diagnostic, Mistakes, Node};

use crate::{End, Files, Index, Link, NetworkRules, Topology};
use link::Cable;
use names::Names;

/// Returns whether a document is a `p4app.json`: a topology inside settings.
pub(crate) fn is_p4app(root: Node<'_>) -> bool {
    root.get("topology").is_some()
}

/// Reads a topology.
pub(crate) fn read(
    node: Node<'_>,
    files: &Files<'_>,
    rules: &dyn NetworkRules,
) -> Result<Topology, Mistakes> {
    let mut notes = Vec::new();
    let mut root = settings::open_document(node, &mut notes);
    let inner = node.require("topology")?;
    let mut topology = settings::open_topology(inner);
    let names = Names::read(&mut topology);
    topology.optional("assignment_strategy", strategy::check_word);
    hosts::check(&mut topology);
    let members = inner.get("switches").and_then(|switches| switches.members().ok());
    let read = topology.read_each(members.into_iter().flatten(), |(name, own)| {
        switch::read(name, own, node, files, &mut notes)
    });
    let (mut switches, switch_settings): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let mut cables = link::read_all(&mut topology, &names, &mut notes);
    // Numbers and addresses follow from all nodes and links together.
    root.collect_result(topology.finish(|| Some(())));
    root.finish(|| Some(()))?;
    let cpu_ports = ports::assign_ports(&mut cables, &switches, &switch_settings);
    for (switch, port) in switches.iter_mut().zip(cpu_ports) {
        switch.cpu_port = port;
    }
    strategy::apply(inner, &names, &switch_settings, &mut cables)?;

    let mut index = Index::default();
    let hosts = hosts::read(inner, &cables, &mut index, rules)?;
    for switch in &switches {
        index.add_switch(&switch.name);
    }
    let mut mistakes = Collector::default();
    let links = mistakes.read_each(&cables, |cable| build_link(cable, &cables, &mut index));
    mistakes.finish(Topology { hosts, switches, links, notes, computer: None })
}

fn build_link(cable: &Cable<'_>, cables: &[Cable<'_>], index: &mut Index) -> Result<Link, Diagnostic> {
    let [a, b] = [0, 1].map(|side| {
        let end = &cable.ends[side];
        let name = end.node.to_owned();
        if end.is_host {
            End::Host { interface: hosts::interface(cables, end), name }
        } else {
            End::Switch { port: end.port, name }
        }
    });
    index.add_link(&a, &b).map_err(|error| error.at(cable.place))?;
    let mut link = Link::new(a, b);
    link.delay_ns = cable.delay_ns;
    link.loss = cable.loss;
    link.queue = cable.queue.map(|packets| format!("{packets}p"));
    if let Some(rate) = cable.rate_bps {
        link.rate_bps = rate;
    }
    Ok(link)
}
