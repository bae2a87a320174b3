//! Entries that let some of the random packets pass.
//!
//! The lab firewall forwards a packet only if four tables have entries for the same sender and
//! receiver, which random entries never have.

use crate::by_name::{Call, Entry, Match, Target};
use weir_ir::Bits;
use weir_switch::control::Schema;

/// A table, its exact keys, an action, and the action's arguments.
type Row = (&'static str, &'static [(&'static str, u128)], &'static str, &'static [(&'static str, u128)]);

/// The host that sends the IPv4 packets of `super::bytes` is admitted, and so is their receiver.
const FIREWALL: [Row; 4] = [
    (
        "MyIngress.sources",
        &[("hdr.ethernet.srcAddr", 0x0200_0000_0002)],
        "MyIngress.admit",
        &[("number", 1), ("address", 0x0a00_0001), ("is_new", 0)],
    ),
    (
        "MyIngress.routes",
        &[("hdr.ipv4.dstAddr", 0x0a00_0002)],
        "MyIngress.forward",
        &[("dstAddr", 0x0200_0000_0001), ("port", 12)],
    ),
    (
        "MyIngress.targets",
        &[("hdr.ethernet.dstAddr", 0x0200_0000_0001), ("standard_metadata.egress_spec", 12)],
        "MyIngress.reach",
        &[("number", 2)],
    ),
    ("MyIngress.policy.rules", &[("rule_set", 0)], "MyIngress.policy.permit", &[]),
];

/// Returns the entries for a program; most programs have none. The host may send from each port
/// from 0 to 12.
pub fn entries(schema: &Schema) -> Vec<(String, Entry)> {
    if FIREWALL.iter().any(|row| !schema.tables.iter().any(|table| table.name == row.0)) {
        return Vec::new();
    }
    let mut entries_found = Vec::new();
    for (name, keys, action, args) in FIREWALL {
        let table = schema.tables.iter().find(|table| table.name == name).expect("checked above");
        let ports = if name == "MyIngress.sources" { 0..=12 } else { 0..=0 };
        for port in ports {
            let matches = table.keys.iter().map(|key| {
                let value = keys.iter().find(|(name, _)| *name == key.name).map(|(_, value)| *value);
                let value = value.or((key.name == "standard_metadata.ingress_port").then_some(port));
                let accepts = value.map_or(Match::Any, |value| Match::Exact(Bits::new(key.width, value)));
                (key.name.clone(), accepts)
            });
            let params = &schema.actions.iter().find(|known| known.name == action).expect("an action").params;
            let args = args.iter().map(|(name, value)| {
                let param = params.iter().find(|param| param.name == *name).expect("a parameter");
                (param.name.clone(), Bits::new(param.width, *value))
            });
            let action = Target::Action(Call { action: action.to_owned(), args: args.collect() });
            // Random priorities are below 100.
            let priority = table.needs_priority().then_some(100);
            let entry = Entry { matches: matches.collect(), priority, action, idle_timeout: None };
            entries_found.push((name.to_owned(), entry));
        }
    }
    entries_found
}
