//! Changes and reads the cells of filters, and the filters and registers of table entries.
//!
//! A filter is a register in the switch. The first fields of its cells are the specification, the
//! others are its state, which clients do not see.

use weir_grpc::Problem;
use weir_ir::{Bits, ExternId, TableId};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{Control, EntryRef, Update};

use super::cells::{changed, parts};
use super::writer::{Wanted, Writer};
use crate::explain::explain;
use crate::info::{DataField, FieldType, LPF_KINDS, Table, field};
use crate::matches::index;
use crate::values::{Data, write_float, write_number, write_text, write_uint};

/// The probability 1 in the cells of the switch.
const BILLION: f64 = 1e9;
/// The number of picoseconds in a nanosecond.
const PICOS: f64 = 1e3;
/// The largest shift of a level, in bits.
const MAX_SCALE: u64 = 31;

/// Returns the fields of a table that are in the cell of each entry.
fn cell_fields(table: &Table) -> Vec<&DataField> {
    table.data.iter().filter(|field_info| field_info.id >= field::LPF_TYPE).collect()
}

/// Returns the value that the data give a field of a cell, in the form of the switch.
///
/// # Errors
/// The value is out of its range.
fn written_value(data: &Data<'_>, field_info: &DataField) -> Result<Option<Bits>, Problem> {
    let refuse = |range: &str| Err(Problem::invalid(format!("`{}` is {range}", field_info.name)));
    match field_info.ty {
        FieldType::Text(_) => Ok(data.text(field_info.id).map(|kind| Bits::bool(kind == LPF_KINDS[0]))),
        FieldType::Float => match data.float(field_info.id).map(f64::from) {
            None => Ok(None),
            Some(share) if field_info.id == field::WRED_PROBABILITY => match (0.0..=1.0).contains(&share) {
                true => Ok(Some(Bits::new(30, (share * BILLION).round() as u128))),
                false => refuse("between 0 and 1"),
            },
            // The switch has whole picoseconds.
            Some(time) if time >= 0.0 && time * PICOS < u64::MAX as f64 => {
                Ok(Some(Bits::new(64, (time * PICOS).round() as u128)))
            }
            Some(_) => refuse("a time in nanoseconds"),
        },
        _ if field_info.id == field::LPF_SCALE => match data.uint(field_info.id) {
            Some(scale) if scale > MAX_SCALE => refuse(&format!("at most {MAX_SCALE}")),
            scale => Ok(scale.map(|scale| Bits::new(5, scale.into()))),
        },
        _ => Ok(data.number(field_info.id).cloned()),
    }
}

/// Returns the cell of a filter or a direct register after the changes in the data; `None` if the
/// data change nothing.
fn new_cell(
    data: &Data<'_>,
    fields: &[&DataField],
    widths: &[u32],
    old: &Bits,
) -> Result<Option<Bits>, Problem> {
    let values =
        fields.iter().map(|field_info| written_value(data, field_info)).collect::<Result<Vec<_>, _>>()?;
    if values.iter().all(Option::is_none) {
        return Ok(None);
    }
    Ok(Some(changed(widths, old, |place| values.get(place).cloned().flatten())))
}

/// Writes the fields of a cell.
fn write_cell(fields: &[&DataField], widths: &[u32], cell: &Bits) -> Vec<bfrt::DataField> {
    let fields = fields.iter().zip(parts(widths, cell));
    let write = |(field_info, part): (&&DataField, Bits)| match field_info.ty {
        FieldType::Text(_) => write_text(field_info.id, LPF_KINDS[usize::from(part.is_zero())]),
        FieldType::Float if field_info.id == field::WRED_PROBABILITY => {
            write_float(field_info.id, (part.low_u64() as f64 / BILLION) as f32)
        }
        FieldType::Float => write_float(field_info.id, (part.low_u64() as f64 / PICOS) as f32),
        FieldType::Uint(bits, _) => write_uint(field_info.id, bits, part.low_u64()),
        _ => write_number(field_info.id, &part),
    };
    fields.map(write).collect()
}

/// Writes a cell of a filter with an index.
pub(super) fn write_filter(
    table: &Table,
    control: &Control<'_>,
    id: ExternId,
    cell: &Bits,
) -> Vec<bfrt::DataField> {
    write_cell(&cell_fields(table), &widths(control, id), cell)
}

/// Writes the cell of an entry; nothing if entries of the table have no cell.
pub(super) fn write_entry(
    table: &Table,
    control: &Control<'_>,
    id: TableId,
    entry: &EntryRef,
) -> Vec<bfrt::DataField> {
    let (Some(widths), Ok(cell)) = (entry_widths(control, id), control.direct_register(id, entry)) else {
        return Vec::new();
    };
    write_cell(&cell_fields(table), &widths, &cell)
}

/// Returns the widths of the fields of a register's cells.
fn widths(control: &Control<'_>, id: ExternId) -> Vec<u32> {
    let register = control.schema().registers.iter().find(|register| register.id == id);
    register.into_iter().flat_map(|register| &register.fields).map(|(_, width)| *width).collect()
}

/// Returns the widths of the fields of a table's direct register, if it has one.
fn entry_widths(control: &Control<'_>, id: TableId) -> Option<Vec<u32>> {
    Some(control.direct_register_fields(id)?.iter().map(|(_, width)| *width).collect())
}

impl Writer<'_, '_, '_> {
    pub(super) fn filter(&mut self, table: &Table, id: ExternId, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.is_for_all() {
            return match wanted.kind {
                Type::Delete | Type::Reset => self.change(&Update::ResetRegister { register: id }).map(drop),
                _ => wanted.key().map(drop),
            };
        }
        let index = u64::from(index(table, wanted.key()?)?);
        let own = |error| explain(self.schema(), error);
        let old = self.control().register(id, index).map_err(own)?;
        let value = match wanted.kind {
            Type::Insert | Type::Modify => {
                let new = new_cell(&wanted.data, &cell_fields(table), &widths(self.control(), id), &old)?;
                new.unwrap_or(old)
            }
            Type::Delete | Type::Reset => self.control().initial_cell(id).map_err(own)?,
            _ => return Err(wanted.unsupported(table)),
        };
        self.change(&Update::WriteRegister { register: id, index, value }).map(drop)
    }

    /// Sets the filter or the register of an entry, if the data have its fields.
    pub(super) fn entry_cell(
        &mut self,
        table: &Table,
        id: TableId,
        entry: &EntryRef,
        data: &Data<'_>,
    ) -> Result<(), Problem> {
        let Some(widths) = entry_widths(self.control(), id) else { return Ok(()) };
        let old = self.control().direct_register(id, entry).map_err(|error| explain(self.schema(), error))?;
        match new_cell(data, &cell_fields(table), &widths, &old)? {
            Some(value) => {
                self.change(&Update::WriteDirectRegister { table: id, entry: entry.clone(), value }).map(drop)
            }
            None => Ok(()),
        }
    }
}
