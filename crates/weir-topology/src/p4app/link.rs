//! Links: `["h1", "s1", {"bw": 10, "delay": "5ms"}]`.

use weir_json::{Collector, Diagnostic, Kind, Mistakes, Node as Json, Object, Value, combine};
use weir_units::{Quantity, WantedQuantity};

use super::names::{Names, natural_sort_key};
use super::settings;
use crate::text::show_text;
use crate::{Error, HostAddress, Mac, Node, Nodes, address, end, quantity};

/// A link of a p4app file whose ports and addresses may still be missing.
pub(super) struct Cable<'d> {
    pub(super) place: Json<'d>,
    pub(super) ends: [CableEnd<'d>; 2],
    pub(super) delay_ns: u64,
    /// `None` if no rate is given; `Some(None)` if the rate is unlimited.
    pub(super) rate_bps: Option<Option<u64>>,
    pub(super) loss: f64,
    /// The limit of both queues in packets.
    pub(super) queue: Option<u64>,
}

impl Cable<'_> {
    /// Sorts links as p4-utils does: by the names of their ends.
    pub(super) fn sort_key(&self) -> impl Ord + use<> {
        self.ends.each_ref().map(|end| natural_sort_key(end.node))
    }
}

/// An end of a link in a p4app file.
pub(super) struct CableEnd<'d> {
    pub(super) node: &'d str,
    pub(super) is_host: bool,
    pub(super) port: Option<u32>,
    pub(super) mac: Option<Mac>,
    /// A host's address, or the address that hosts assume for a switch.
    pub(super) ip: Option<HostAddress>,
    /// The next hop of the host's default route.
    pub(super) gateway: Option<std::net::IpAddr>,
}

pub(super) fn read_all<'d>(
    topology: &mut Object<'d>,
    names: &Names<'d>,
    notes: &mut Vec<String>,
) -> Vec<Cable<'d>> {
    let defaults = settings::link_defaults(topology.node());
    let links = topology.required("links", |links| Ok::<_, Diagnostic>(links.items()?.collect::<Vec<_>>()));
    let links = links.into_iter().flatten().filter(|link| names.can_check(*link));
    topology.read_each(links, |node| read(node, &defaults, names, notes))
}

/// Reads a link from its list of ends and settings.
fn read<'d>(
    node: Json<'d>,
    defaults: &[(&str, Json<'d>)],
    names: &Names<'d>,
    notes: &mut Vec<String>,
) -> Result<Cable<'d>, Mistakes> {
    let elements: Vec<_> = node.items()?.collect();
    let (&[a, b], rest) = match elements.split_first_chunk::<2>() {
        Some((ends, rest)) if rest.len() <= 1 => (ends, rest),
        _ => {
            let expected = "a link has two nodes and optionally an object of parameters";
            return Err(node.error(format!("{expected}, found {} elements", elements.len())).into());
        }
    };
    let parameters = rest.first().copied();
    let mut mistakes = Collector::default();
    if let Some(parameters) = parameters {
        mistakes.collect_result(settings::open_link(parameters, notes).finish(|| Some(())));
    }
    let get = |key: &str| {
        let own = parameters.and_then(|parameters| parameters.get(key));
        own.or_else(|| defaults.iter().find(|(name, _)| *name == key).map(|(_, node)| *node))
    };
    let ends = combine(
        read_end(a, names, [get("port1"), get("addr1"), get("params1"), get("sw_ip1")]),
        read_end(b, names, [get("port2"), get("addr2"), get("params2"), get("sw_ip2")]),
    );
    let ends = mistakes.collect_result(ends);
    let bandwidth = |given: Json<'d>| quantity::bandwidth(given.value()).map_err(|error| error.at(given));
    let packets = |given: Json<'d>| given.integer("a number of packets", 1, u32::MAX.into());
    let delay_ns = mistakes.collect_result(get("delay").map_or(Ok(0), delay));
    let rate_bps = mistakes.collect_result(get("bw").map(bandwidth).transpose());
    let loss = mistakes.collect_result(get("loss").map_or(Ok(0.0), loss));
    let queue = mistakes.collect_result(get("max_queue_size").map(packets).transpose());
    let cable = || {
        let (a, b) = ends?;
        let (delay_ns, loss) = (delay_ns?, loss?);
        Some(Cable { place: node, ends: [a, b], delay_ns, rate_bps: rate_bps?, loss, queue: queue? })
    };
    mistakes.finish(())?;
    cable().ok_or_else(|| node.error("something is missing here").into())
}

/// Reads an end of a link with its port, Ethernet address, parameters of its interface, and the
/// address that hosts assume for a switch.
fn read_end<'d>(
    node: Json<'d>,
    names: &Names<'d>,
    [port, mac, parameters, switch_ip]: [Option<Json<'d>>; 4],
) -> Result<CableEnd<'d>, Mistakes> {
    let mut mistakes = Collector::default();
    let end = mistakes.collect_result(read_node(node, names));
    let is_host = end.map(|(_, is_host)| is_host);
    let mac = mac.map(|mac| Mac::read(mac.value()).and_then(Mac::check_host).map_err(|error| error.at(mac)));
    let mac = mistakes.collect_result(mac.transpose());
    let ip = match (is_host, parameters, switch_ip) {
        (Some(true), Some(parameters), _) => {
            mistakes.collect_result(parameters.object(&["ip"]).finish(|| Some(())));
            parameters.get("ip")
        }
        (Some(false), _, ip) => ip,
        _ => None,
    };
    let ip = ip.map(|ip| address::host_v4(ip.value()).map_err(|error| error.at(ip)));
    let ip = mistakes.collect_result(ip.transpose());
    let port = port.map(|port| end::read_port(port.value()).map_err(|error| error.at(port)));
    let port = mistakes.collect_result(port.transpose());
    mistakes.finish(())?;
    let end = || {
        let (name, is_host) = end?;
        Some(CableEnd { node: name, is_host, port: port?, mac: mac?, ip: ip?, gateway: None })
    };
    end().ok_or_else(|| node.error("something is missing here").into())
}

/// Reads the name of the node at an end, and whether it is a host.
fn read_node<'d>(node: Json<'d>, names: &Names<'d>) -> Result<(&'d str, bool), Diagnostic> {
    let name = node.text("the name of a host or switch")?;
    if let Some(kind) = names.node(name) {
        return Ok((name, matches!(kind, Node::Host { .. })));
    }
    // The error for a wrong end names the nearest node.
    let text = Value::from(Kind::Text(name.to_owned()));
    Err(match end::read(&text, names) {
        Err(error) => error.at(node),
        Ok(_) => node
            .error(format!("\"{}\" is not a node: give the port as \"port1\" or \"port2\"", show_text(name))),
    })
}

/// Returns a delay. All delays except 0 need a unit: the documentation of p4-utils says that
/// numbers without a unit are milliseconds, but `tc`, which gets the number, reads microseconds.
fn delay(node: Json<'_>) -> Result<u64, Diagnostic> {
    if let Kind::Number(number) = &node.value().kind {
        if number == "0" {
            return Ok(0);
        }
        return Err(node.error_with_suggestion(
            format!(
                "delay {number} has no unit; p4-utils runs it as {number}us, though its documentation says \
                 milliseconds"
            ),
            Some(format!("{number}ms")),
        ));
    }
    quantity::text(node, WantedQuantity::time("delay"), Quantity::nanoseconds)
}

/// Reads a share in percent: a number, or a string with `%`.
fn loss(node: Json<'_>) -> Result<f64, Diagnostic> {
    let wanted = WantedQuantity::share("loss");
    let Kind::Number(number) = &node.value().kind else {
        return quantity::text(node, wanted, Quantity::share);
    };
    let share = Quantity::in_usual_unit(number, wanted).and_then(|loss| loss.share());
    share.map_err(|error| Error::from(error).at(node))
}
