//! The keys of a `p4app.json`: supported keys, keys without effect in Weir, and refused keys with
//! advice.

use weir_json::{Diagnostic, Mistakes, Node, Object};

/// A key that has no meaning in Weir, and its equivalent.
type RefusedKey = (&'static str, &'static str);
/// A key that has no effect if it is set, and what to do instead.
type IgnoredKey = (&'static str, &'static str);

/// The key for captures, and what Weir offers instead.
const CAPTURE: IgnoredKey =
    ("pcap_dump", "--pcap FOLDER (in Python pcap=) captures the packets of all links");
/// The key for logs, and what Weir offers instead.
const LOG: IgnoredKey =
    ("enable_log", "weir trace, and in Python Switch.trace(), show what switches do with packets");

const ROOT_KEYS: [&str; 6] = ["p4_src", "program", "cli", "topology", "switch_node", "compiler_module"];
const ROOT_IGNORED: [IgnoredKey; 2] = [CAPTURE, LOG];
const ROOT_REFUSED: [RefusedKey; 7] = [
    (
        "exec_scripts",
        "Weir starts no scripts: a controller is Python code that runs with the network \
         (docs/reference/control.md), such as weir.Network(\"p4app.json\").switch(\"s1\").table(…).insert(…)",
    ),
    (
        "tasks_file",
        "traffic is described in Python, such as net.host(\"h1\").iperf(\"h2\"), or with -c \"h1 iperf h2\"",
    ),
    ("host_node", "hosts are virtual; a program on a host is a subclass of weir.HostProgram"),
    ("router_node", "there are no routers: use a switch with the program \"router\""),
    ("mininet_module", "the network is always Weir's own"),
    ("client_module", "Switch.table(…) and cli_input set the entries"),
    ("pcap_dir", "give the folder with --pcap FOLDER"),
];

const TOPOLOGY_KEYS: [&str; 5] = ["assignment_strategy", "default", "hosts", "switches", "links"];
const TOPOLOGY_REFUSED: [RefusedKey; 1] =
    [("routers", "there are no routers (FRRouting): use a switch with the program \"router\"")];

/// The keys whose values are true or false.
const FLAGS: [&str; 2] = ["auto_arp_tables", "auto_gw_arp"];
/// Parameters of links that have defaults, and their names outside `default`.
const DEFAULTS: [(&str, &str); 5] = [
    ("bw", "default_bw"),
    ("delay", "default_delay"),
    ("loss", "default_loss"),
    ("max_queue_size", "default_max_queue_size"),
    ("weight", "default_weight"),
];

const LINK_KEYS: [&str; 12] = [
    "bw",
    "delay",
    "loss",
    "max_queue_size",
    "port1",
    "port2",
    "addr1",
    "addr2",
    "params1",
    "params2",
    "sw_ip1",
    "sw_ip2",
];
const LINK_IGNORED: [IgnoredKey; 4] = [
    ("weight", "computed routes have the fewest links; only controllers of p4-utils use weights"),
    ("intfName1", "interfaces are called h1-eth0 and s1-p1"),
    ("intfName2", "interfaces are called h1-eth0 and s1-p1"),
    ("deleteIntfs", "there are no interfaces to delete"),
];

const HOST_KEYS: [&str; 1] = ["defaultRoute"];
const HOST_REFUSED: [RefusedKey; 6] = [
    ("scheduler", "traffic is described in Python, such as net.host(\"h1\").iperf(\"h2\")"),
    ("socket_path", "traffic is described in Python, such as net.host(\"h1\").iperf(\"h2\")"),
    ("dhcp", "give the address as \"params1\": {\"ip\": \"10.0.1.2/24\"} of the link"),
    ("host_node", "hosts are virtual; a program on a host is a subclass of weir.HostProgram"),
    ("log_enabled", "hosts write no log; --pcap FOLDER captures their packets"),
    ("log_dir", "hosts write no log; --pcap FOLDER captures their packets"),
];

const SWITCH_KEYS: [&str; 7] =
    ["p4_src", "program", "cli_input", "cpu_port", "device_id", "priority_queues_num", "switch_node"];
const SWITCH_IGNORED: [IgnoredKey; 4] = [
    CAPTURE,
    ("log_enabled", LOG.1),
    ("thrift_port", "the control plane is in Python: Network.switch(…)"),
    ("grpc_port", "the control plane is in Python: Network.switch(…)"),
];
const SWITCH_REFUSED: [RefusedKey; 3] = [
    ("pcap_dir", "give the folder with --pcap FOLDER"),
    ("log_dir", LOG.1),
    ("sw_bin", "the switch is always Weir's own"),
];

/// Opens an object whose members are `known`. A refused key is a mistake that says what to do
/// instead; a key without effect adds a note.
fn open<'d>(
    node: Node<'d>,
    known: &[&[&str]],
    ignored: &[IgnoredKey],
    refused: &[RefusedKey],
    notes: &mut Vec<String>,
) -> Object<'d> {
    let names = |keys: &[RefusedKey]| keys.iter().map(|(key, _)| *key).collect::<Vec<_>>();
    let mut object = node.object(&[known.concat(), names(ignored), names(refused)].concat());
    let is_set = |value: &Node<'_>| {
        !matches!(value.value().kind, weir_json::Kind::Null | weir_json::Kind::Bool(false))
    };
    for (key, instead) in refused {
        if let Some(value) = object.get(key).filter(is_set) {
            object.add(value.error(format!("\"{key}\" is not supported: {instead}")));
        }
    }
    for (key, instead) in ignored {
        if object.get(key).filter(is_set).is_some() {
            add_note(format!("\"{key}\" has no effect: {instead}"), notes);
        }
    }
    object
}

/// Adds a note, unless it already exists.
fn add_note(note: String, notes: &mut Vec<String>) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

/// Opens the whole document.
pub(super) fn open_document<'d>(node: Node<'d>, notes: &mut Vec<String>) -> Object<'d> {
    let mut object = open(node, &[&ROOT_KEYS], &ROOT_IGNORED, &ROOT_REFUSED, notes);
    object.optional("cli", Node::flag);
    object.optional("switch_node", |module| switch_node(module, notes));
    object.optional("compiler_module", |module| {
        let options = [("object_name", COMPILER), ("file_path", COMPILER), ("module_name", COMPILER)];
        let mut object = open(module, &[&["options"]], &[], &options, notes);
        object.optional("options", |options| {
            let include = [("opts", "--include FOLDER adds a folder of included files")];
            open(options, &[&["p4rt"]], &[], &include, notes).finish(|| Some(()))
        });
        object.finish(|| Some(()))
    });
    object
}

/// The note that the compiler cannot be chosen.
const COMPILER: &str = "P4 programs are always compiled by Weir";

/// Reads the kind of switches: p4-utils' own kinds all become Weir's switch.
fn switch_node(module: Node<'_>, notes: &mut Vec<String>) -> Result<(), Mistakes> {
    let mut object = module.object(&["file_path", "module_name", "object_name"]);
    object.required("object_name", |kind| {
        match kind.text("a kind of switch such as \"P4Switch\"")? {
            "P4Switch" | "ThriftSwitch" => {}
            "P4RuntimeSwitch" => add_note(
                "\"P4RuntimeSwitch\" has no effect: the control plane is in Python: Network.switch(…)"
                    .to_owned(),
                notes,
            ),
            _ => {
                return Err(kind.error(
                    "switches of other kinds are not supported: the P4 program defines what a switch does",
                ));
            }
        }
        Ok(())
    });
    object.finish(|| Some(()))
}

/// Opens the contents of `topology`.
pub(super) fn open_topology(node: Node<'_>) -> Object<'_> {
    let defaults = DEFAULTS.map(|(_, name)| name);
    let mut object =
        open(node, &[&TOPOLOGY_KEYS, &FLAGS, &defaults], &[], &TOPOLOGY_REFUSED, &mut Vec::new());
    object.optional("default", |given| {
        let names = DEFAULTS.map(|(name, _)| name);
        given.object(&[&names[..], &FLAGS].concat()).finish(|| Some(()))
    });
    for flag in FLAGS {
        object.collect_result(default_flag(node, flag));
    }
    object
}

/// Opens a host's settings.
pub(super) fn open_host(node: Node<'_>) -> Object<'_> {
    open(node, &[&HOST_KEYS], &[], &HOST_REFUSED, &mut Vec::new())
}

/// Opens a switch's settings.
pub(super) fn open_switch<'d>(name: &str, node: Node<'d>, notes: &mut Vec<String>) -> Object<'d> {
    let mut own = Vec::new();
    let mut object = open(node, &[&SWITCH_KEYS], &SWITCH_IGNORED, &SWITCH_REFUSED, &mut own);
    notes.extend(own.into_iter().map(|note| format!("{name}: {note}")));
    object.optional("switch_node", |module| switch_node(module, notes));
    object
}

/// Opens a link's parameters.
pub(super) fn open_link<'d>(node: Node<'d>, notes: &mut Vec<String>) -> Object<'d> {
    open(node, &[&LINK_KEYS], &LINK_IGNORED, &[], notes)
}

/// Reads a flag of `default`, which is true if the flag is not set.
pub(super) fn default_flag(topology: Node<'_>, key: &str) -> Result<bool, Diagnostic> {
    let inner = topology.get("default").and_then(|default| default.get(key));
    inner.or_else(|| topology.get(key)).map_or(Ok(true), Node::flag)
}

/// Reads the parameters of links that do not set their own.
pub(super) fn link_defaults(topology: Node<'_>) -> Vec<(&'static str, Node<'_>)> {
    let inner = topology.get("default");
    let setting = |(key, outer): (&'static str, &str)| {
        let node = inner.and_then(|default| default.get(key)).or_else(|| topology.get(outer));
        node.map(|node| (key, node))
    };
    DEFAULTS.into_iter().filter_map(setting).collect()
}
