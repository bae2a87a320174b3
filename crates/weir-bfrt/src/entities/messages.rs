//! Converts messages of a switch to messages for clients.

use weir_ir::TableId;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::idle_timeout_notification::NotificationType;
use weir_p4runtime_proto::bfrt::table_entry::Value as Named;
use weir_switch::control::{Control, Digest, Entry, EntryRef, IdleNotice};

use super::attributes::tells_idle;
use super::target::PIPE;
use crate::info::{DeviceInfo, Object, Table};
use crate::matches::{self, place_of, write_index};
use crate::notes::Notes;
use crate::values::write_number;

/// Returns the number of a digest and its data; `None` if the program does not show it.
pub fn digest(info: &DeviceInfo, message: &Digest) -> Option<(u32, bfrt::TableData)> {
    let fits = |learn: &&crate::info::Learn| {
        learn.digest == *message.name && learn.fields.len() == message.values.len()
    };
    let learn = info.learns.iter().find(fits)?;
    let fields = learn.fields.iter().zip(&message.values);
    let fields = fields.map(|(field, value)| {
        write_number(field.id, &value.resize(field.ty.bits().unwrap_or(value.width())))
    });
    Some((learn.id, bfrt::TableData { action_id: 0, fields: fields.collect() }))
}

/// Returns the message about an idle entry; `None` if clients are not told about its table, or know
/// already that the entry is idle.
pub fn idle_key(
    info: &DeviceInfo,
    notes: &mut Notes,
    control: &Control<'_>,
    device_id: u32,
    notice: &IdleNotice,
) -> Option<bfrt::IdleTimeoutNotification> {
    let table = info.table_of(Object::Match(notice.table)).filter(|table| tells_idle(notes, table.id))?;
    // The switch repeats its notices of entries that stay idle.
    if let Ok(state) = control.entry(notice.table, &EntryRef::Handle(notice.handle)) {
        let before = notes.told_idle.insert((table.id, notice.handle), state.last_hit);
        if before == Some(state.last_hit) {
            return None;
        }
    }
    Some(notification(table, &notice.entry, device_id, NotificationType::EntryIdle))
}

/// Returns the messages about entries that were idle when clients were told so, and that packets
/// have hit again.
pub fn active_keys(
    info: &DeviceInfo,
    notes: &mut Notes,
    control: &Control<'_>,
    device_id: u32,
) -> Vec<bfrt::IdleTimeoutNotification> {
    let (mut active, mut found) = (Vec::new(), Vec::new());
    for ((number, handle), last_hit) in &notes.told_idle {
        let Some((table, id)) = info.table(*number).ok().and_then(of_program) else { continue };
        let state = control.entry(id, &EntryRef::Handle(*handle));
        if let Some(state) = state.ok().filter(|state| state.last_hit > *last_hit) {
            active.push((*number, *handle));
            if tells_idle(notes, *number) {
                found.push(notification(table, &state.entry, device_id, NotificationType::EntryActive));
            }
        }
    }
    for key in active {
        notes.told_idle.remove(&key);
    }
    found
}

fn of_program(table: &Table) -> Option<(&Table, TableId)> {
    match table.object {
        Object::Match(id) => Some((table, id)),
        _ => None,
    }
}

/// Makes the message about an entry.
fn notification(
    table: &Table,
    entry: &Entry,
    device_id: u32,
    kind: NotificationType,
) -> bfrt::IdleTimeoutNotification {
    let key = matches::write(table, &entry.matches, entry.priority.map(place_of));
    let entry =
        bfrt::TableEntry { table_id: table.id, value: Some(Named::Key(key)), ..bfrt::TableEntry::default() };
    bfrt::IdleTimeoutNotification {
        target: Some(bfrt::TargetDevice { device_id, pipe_id: PIPE, direction: 0xff, prsr_id: 0xff }),
        table_entry: Some(entry),
        r#type: kind as i32,
    }
}

/// Returns the message that a port went up or down.
pub fn port_key(info: &DeviceInfo, port: u32, port_up: bool) -> Option<bfrt::PortStatusChgNotification> {
    let table = info.table_of(Object::Ports)?;
    let entry = bfrt::TableEntry {
        table_id: table.id,
        value: Some(Named::Key(write_index(table, port))),
        ..bfrt::TableEntry::default()
    };
    Some(bfrt::PortStatusChgNotification { table_entry: Some(entry), port_up })
}
