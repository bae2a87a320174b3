//! Masks of the keys of tables with `@dynamic_table_key_masks`. The switch keeps each mask in a
//! register of one cell.

use weir_grpc::{Code, Problem};
use weir_ir::{Bits, ExternId, TableId};
use weir_p4runtime_proto::bfrt;
use weir_switch::control::{Control, Match, Update};

use super::writer::Writer;
use crate::explain::explain;
use crate::info::{KEY_MASKS, Object, Table};
use crate::values::{bytes, number};

/// Returns the register of the mask of a key; `None` if the key is not exact.
fn register(control: &Control<'_>, table: TableId, place: usize) -> Option<ExternId> {
    let name = format!("{}.$mask{place}", control.schema().tables[table.index()].name);
    control.schema().registers.iter().find(|register| register.name == name).map(|register| register.id)
}

/// Applies the masks of a table to a key.
pub(super) fn apply(control: &Control<'_>, table: &Table, id: TableId, matches: &mut [Match]) {
    if !table.attributes.contains(&KEY_MASKS) {
        return;
    }
    for (place, one) in matches.iter_mut().enumerate() {
        let mask = register(control, id, place).and_then(|register| control.register(register, 0).ok());
        if let (Match::Exact(value), Some(mask)) = (one, mask) {
            *value = value.and(&mask);
        }
    }
}

/// Reads the masks of a table.
pub(super) fn read(control: &Control<'_>, table: &Table) -> bfrt::DynKeyMask {
    let Object::Match(id) = table.object else { return bfrt::DynKeyMask::default() };
    let mask = |(place, key): (usize, &crate::info::KeyField)| {
        let mask = control.register(register(control, id, place)?, 0).ok()?;
        Some(bfrt::KeyFieldMask { field_id: key.id, mask: bytes(&mask) })
    };
    bfrt::DynKeyMask { fields: table.keys.iter().enumerate().filter_map(mask).collect() }
}

impl Writer<'_, '_, '_> {
    /// Sets the masks of an empty table. Keys that are left out are compared as a whole.
    pub(super) fn key_masks(&mut self, table: &Table, given: &bfrt::DynKeyMask) -> Result<(), Problem> {
        let Object::Match(id) = table.object else {
            return Err(Problem::unsupported(format!("`{}` has no keys", table.name)));
        };
        let state = self.control().table_state(id).map_err(|error| explain(self.schema(), error))?;
        if state.entries > 0 {
            let why = format!("`{}` has entries: remove them before you change its masks", table.name);
            return Err(Problem::new(Code::InvalidArgument, why));
        }
        if let Some(unknown) = given.fields.iter().find(|one| table.key(one.field_id).is_none()) {
            return Err(Problem::invalid(format!("`{}` has no key field {}", table.name, unknown.field_id)));
        }
        for (place, key) in table.keys.iter().enumerate() {
            let width = key.ty.bits().unwrap_or(0);
            let mask = given.fields.iter().find(|one| one.field_id == key.id);
            let value = match mask {
                Some(mask) => number(&key.name, width, &mask.mask)?,
                None => Bits::ones(width),
            };
            match register(self.control(), id, place) {
                Some(register) => {
                    self.change(&Update::WriteRegister { register, index: 0, value })?;
                }
                None if mask.is_some() => {
                    return Err(Problem::unsupported(format!("`{}` has no mask", key.name)));
                }
                None => {}
            }
        }
        Ok(())
    }
}
