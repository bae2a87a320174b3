//! Attributes of tables and operations on them.

use weir_grpc::Problem;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::idle_table::IdleTableMode;
use weir_p4runtime_proto::bfrt::mode::{PredefinedMode, Scope};
use weir_p4runtime_proto::bfrt::table_attribute::Attribute;
use weir_switch::control::{CellsOf, Control, Update};

use super::writer::Writer;
use super::{engine, masks};
use crate::explain::explain;
use crate::info::{BYTE_ADJUSTMENT, DeviceInfo, KEY_MASKS, Object, Table};
use crate::notes::Notes;

/// The settings of idle time-outs of a table for which no client has set them. Times in
/// milliseconds.
const IDLE: bfrt::IdleTable = bfrt::IdleTable {
    ttl_query_interval: 5000,
    max_ttl: 3_600_000,
    min_ttl: 1000,
    idle_table_mode: IdleTableMode::IdleTableNotifyMode as i32,
    enable: false,
};

/// Checks that a table has an attribute.
fn check(table: &Table, attribute: &Attribute) -> Result<(), Problem> {
    let name = match attribute {
        Attribute::IdleTable(_) => "IdleTimeout",
        Attribute::EntryScope(_) => "EntryScope",
        Attribute::DynKeyMask(_) => KEY_MASKS,
        Attribute::DynHashing(_) => "DynamicHashing",
        Attribute::ByteCountAdj(_) => BYTE_ADJUSTMENT,
        Attribute::PortStatusNotify(_) => "port_status_notif_cb",
        Attribute::IntvlMs(_) => "poll_intvl_ms",
        Attribute::PreDeviceConfig(_) => "pre_device_config",
        Attribute::SelectorUpdateNotify(_) => "selector_update_cb",
    };
    if table.attributes.contains(&name) {
        return Ok(());
    }
    let known = table.attributes.join(", ");
    let known = if known.is_empty() { "none" } else { &known };
    Err(Problem::unsupported(format!("`{}` has no attribute {name}; it has {known}", table.name)))
}

/// Returns the meter of a table with the attribute of meters.
fn meter(table: &Table) -> Result<CellsOf, Problem> {
    match table.object {
        Object::Meter(id) => Ok(CellsOf::Object(id)),
        Object::Match(id) => Ok(CellsOf::Entries(id)),
        _ => Err(Problem::unsupported(format!("`{}` has no meters", table.name))),
    }
}

fn given_attribute(attribute: &bfrt::TableAttribute) -> Result<&Attribute, Problem> {
    attribute.attribute.as_ref().ok_or_else(|| Problem::invalid("the attribute is empty"))
}

/// The scope of tables for which no client has set it: entries are for all pipes.
const EVERYWHERE: bfrt::EntryScope = {
    let all = Some(bfrt::Mode { args: 0, scope: Some(Scope::Predef(PredefinedMode::All as i32)) });
    bfrt::EntryScope { gress_scope: all, pipe_scope: all, prsr_scope: all }
};

/// Returns whether entries of a table are for single pipes or groups of pipes.
pub(super) fn is_scoped(notes: &Notes, table: u32) -> bool {
    let scope = notes.scopes.get(&table).and_then(|scope| scope.pipe_scope?.scope);
    scope.is_some_and(|scope| scope != Scope::Predef(PredefinedMode::All as i32))
}

/// Checks the parts of the switch with entries of their own. The switch has one pipe, so entries
/// for each pipe are the same as entries for all pipes.
fn check_scope(scope: &bfrt::EntryScope) -> Result<(), Problem> {
    let is_known = |mode: &Option<bfrt::Mode>| match mode.as_ref().and_then(|mode| mode.scope) {
        Some(Scope::Predef(kind)) => PredefinedMode::try_from(kind).is_ok(),
        // Bytes, each with the pipes that share entries.
        Some(Scope::UserDefined(_)) | None => true,
    };
    let parts = [&scope.gress_scope, &scope.pipe_scope, &scope.prsr_scope];
    match parts.into_iter().all(is_known) {
        true => Ok(()),
        false => Err(Problem::invalid("a scope is ALL, SINGLE, or groups of pipes")),
    }
}

impl Writer<'_, '_, '_> {
    pub(super) fn attribute(&mut self, wanted: &bfrt::TableAttribute) -> Result<(), Problem> {
        let table = self.info.table(wanted.table_id)?;
        let attribute = given_attribute(wanted)?;
        check(table, attribute)?;
        match attribute {
            Attribute::IdleTable(idle) => {
                let mut idle = *idle;
                if idle.idle_table_mode() == IdleTableMode::IdleTablePollMode {
                    // The times are those of messages.
                    (idle.ttl_query_interval, idle.max_ttl, idle.min_ttl) = (0, 0, 0);
                } else if !idle.enable {
                    // Settings do not outlast the time-outs.
                    idle = IDLE;
                }
                self.notes.idle.insert(table.id, idle);
            }
            Attribute::EntryScope(scope) => {
                check_scope(scope)?;
                let known = self.notes.scopes.entry(table.id).or_insert(EVERYWHERE);
                known.gress_scope = scope.gress_scope.or(known.gress_scope);
                known.pipe_scope = scope.pipe_scope.or(known.pipe_scope);
                known.prsr_scope = scope.prsr_scope.or(known.prsr_scope);
            }
            Attribute::PortStatusNotify(notify) => self.notes.tells_ports = notify.enable,
            Attribute::PreDeviceConfig(config) => self.multicast_device(*config)?,
            Attribute::DynKeyMask(mask) => self.key_masks(table, mask)?,
            Attribute::ByteCountAdj(adjust) => {
                let meter = meter(table)?;
                self.change(&Update::SetMeterAdjustment { meter, bytes: adjust.byte_count_adjust })?;
            }
            _ => return Err(Problem::unsupported(format!("`{}` has no such attribute", table.name))),
        }
        Ok(())
    }

    pub(super) fn operation(&mut self, wanted: &bfrt::TableOperation) -> Result<(), Problem> {
        let table = self.info.table(wanted.table_id)?;
        let name = wanted.table_operations_type.as_str();
        if !table.operations.contains(&name) {
            let known = table.operations.join(", ");
            let known = if known.is_empty() { "none" } else { &known };
            let message = format!("`{}` has no operation {name:?}; it has {known}", table.name);
            return Err(Problem::unsupported(message));
        }
        // Values of registers are always those of the switch, so there is nothing to synchronize.
        if name == "UpdateHitState" {
            let (_, last) = self.notes.hit_states.get(&table.id).copied().unwrap_or_default();
            self.notes.hit_states.insert(table.id, (last, self.now));
            self.notes.set_states.retain(|(of, _), _| *of != table.id);
        }
        match (name, table.object) {
            ("SyncCounters", Object::Match(id)) => self.note_direct_counts(table.id, id),
            ("Sync", Object::Counter(id)) => self.note_counts(table.id, id),
            _ => Ok(()),
        }
    }
}

/// Returns whether clients receive messages about idle entries of a table.
pub(super) fn tells_idle(notes: &Notes, table: u32) -> bool {
    let idle = notes.idle.get(&table);
    idle.is_some_and(|idle| idle.enable && idle.idle_table_mode() == IdleTableMode::IdleTableNotifyMode)
}

/// Reads an attribute.
///
/// # Errors
/// The table does not have it.
pub(super) fn read(
    info: &DeviceInfo,
    notes: &Notes,
    control: &Control<'_>,
    wanted: &bfrt::TableAttribute,
) -> Result<bfrt::TableAttribute, Problem> {
    let table = info.table(wanted.table_id)?;
    let attribute = given_attribute(wanted)?;
    check(table, attribute)?;
    let attribute = match attribute {
        Attribute::IdleTable(_) => Attribute::IdleTable(notes.idle.get(&table.id).copied().unwrap_or(IDLE)),
        Attribute::EntryScope(_) => {
            Attribute::EntryScope(notes.scopes.get(&table.id).copied().unwrap_or(EVERYWHERE))
        }
        Attribute::PortStatusNotify(_) => {
            Attribute::PortStatusNotify(bfrt::PortStatusChg { enable: notes.tells_ports })
        }
        Attribute::DynKeyMask(_) => Attribute::DynKeyMask(masks::read(control, table)),
        Attribute::ByteCountAdj(_) => {
            let bytes = control.meter_adjustment(meter(table)?);
            let byte_count_adjust = bytes.map_err(|error| explain(control.schema(), error))?;
            Attribute::ByteCountAdj(bfrt::ByteCountAdj { byte_count_adjust })
        }
        Attribute::PreDeviceConfig(_) => {
            Attribute::PreDeviceConfig(engine::device(notes.multicast_device, control.replication()))
        }
        _ => return Err(Problem::unsupported(format!("`{}` has no such attribute", table.name))),
    };
    Ok(bfrt::TableAttribute { table_id: table.id, attribute: Some(attribute) })
}
