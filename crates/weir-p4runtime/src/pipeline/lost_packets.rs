//! Finds entries and members whose action sends packets to a port that the switch does not have.
//! These packets are lost.

use std::fmt;

use weir_device::Port;
use weir_ir::{ActionId, Program};
use weir_switch::arch;
use weir_switch::control::{Call, Control, Schema, Target, Update};

/// The actions that choose a packet's output port, with the positions of the parameters that name
/// the port.
#[derive(Clone, Debug, Default)]
pub(crate) struct Senders(Vec<(ActionId, usize)>);

impl Senders {
    pub fn from_program(program: &Program, schema: &Schema) -> Self {
        let find = |(action, param): (String, String)| {
            let index = schema.actions.iter().position(|known| known.name == action)?;
            let param = schema.actions[index].params.iter().position(|known| known.name == param)?;
            Some((ActionId::new(index), param))
        };
        Self(arch::port_params(program).into_iter().filter_map(find).collect())
    }
}

/// The packets that an entry, default entry or member sends to a port that the switch does not
/// have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostPackets {
    /// The name of the table or action profile.
    holder: String,
    /// Whether a member sends the packets.
    is_member: bool,
    /// The name of the action.
    action: String,
    /// The port.
    pub port: Port,
}

impl fmt::Display for LostPackets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { holder, is_member, action, port } = self;
        let holder_kind = if *is_member { "member" } else { "entry" };
        write!(
            f,
            "{holder}: the {holder_kind} sends packets to port {port} ({action}), but the switch has no such port"
        )
    }
}

/// Adds the packets that will be lost because of a change to `to`. Packets sent to the drop port do
/// not count as lost.
pub(crate) fn add_lost(
    senders: &Senders,
    control: &Control<'_>,
    drop_port: Option<Port>,
    change: &Update,
    to: &mut Vec<LostPackets>,
) {
    if senders.0.is_empty() {
        return;
    }
    let schema = control.schema();
    let mut look = |holder: &str, is_member: bool, call: &Call| {
        for (_, param) in senders.0.iter().filter(|(action, _)| *action == call.action) {
            let port = call.args.get(*param).and_then(|port| Port::try_from(port.to_u64()?).ok());
            let is_known = |port: &Port| Some(*port) == drop_port || control.ports().any(|one| one == *port);
            let lost = port.filter(|port| !is_known(port));
            to.extend(lost.map(|port| LostPackets {
                holder: holder.to_owned(),
                is_member,
                action: schema.actions[call.action.index()].name.clone(),
                port,
            }));
        }
    };
    let profile =
        |id| schema.profiles.iter().find(|profile| profile.id == id).map_or("", |found| &found.name);
    match change {
        Update::Insert { table, entry } => {
            let holder = &schema.tables[table.index()].name;
            calls(&entry.action).for_each(|call| look(holder, false, call));
        }
        Update::Modify { table, action, .. } | Update::SetDefault { table, action } => {
            let holder = &schema.tables[table.index()].name;
            calls(action).for_each(|call| look(holder, false, call));
        }
        Update::InsertMember { profile: of, action, .. }
        | Update::ModifyMember { profile: of, action, .. } => {
            look(profile(*of), true, action);
        }
        _ => {}
    }
}

/// Returns the actions that a target itself calls, without those of a profile.
fn calls(target: &Target) -> impl Iterator<Item = &Call> {
    let (one, all) = match target {
        Target::Action(call) => (Some(call), &[][..]),
        Target::OneOf(set) => (None, &set.actions[..]),
        Target::Member(_) | Target::Group(_) => (None, &[][..]),
    };
    one.into_iter().chain(all.iter().map(|one| &one.action))
}
