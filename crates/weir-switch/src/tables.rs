//! A table while it runs: its entries, its default, how often they were met.

use std::sync::Arc;

use weir_ir::exec::Lookup;
use weir_ir::{ActionCall, Bits, ExternId, Keyset, Program, Table};
use weir_tables::{Field, KeyLayout, MatchTable, Pattern};

use crate::control::{CounterValue, MatchKind};
use crate::device::Nanos;
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::externs::meter::{self, Colour, Meter};
use crate::runtime::{field_kind, key_bytes};

#[derive(Debug)]
pub(crate) struct TableRuntime {
    pub entries: MatchTable<Stored>,
    /// In effect now.
    pub default: Arc<ActionCall>,
    pub hits: u64,
    pub misses: u64,
    /// Its direct meter, and whether that meters bytes.
    pub meter: Option<(ExternId, bool)>,
    key: Vec<u8>,
}

/// What belongs to an entry.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub call: Arc<ActionCall>,
    pub is_const: bool,
    pub hits: CounterValue,
    /// The cell of the table's direct meter, if it has been given rates.
    pub meter: Option<Meter>,
}

impl TableRuntime {
    /// With the program's own entries.
    pub(crate) fn new(program: &Program, table: &Table, externs: &[ExternState]) -> Result<Self, LoadError> {
        let fields = table
            .keys
            .iter()
            .map(|key| {
                let kind = MatchKind::from_name(&key.match_kind).ok_or_else(|| LoadError::Unsupported {
                    place: Place::new(program, key.loc),
                    feature: format!("match kind `{}` of table `{}`", key.match_kind, table.name),
                    note: None,
                })?;
                Ok(Field { width: key.expr.ty.width(), kind: field_kind(kind) })
            })
            .collect::<Result<Vec<_>, LoadError>>()?;
        let mut entries = MatchTable::new(KeyLayout::new(fields));
        for entry in &table.entries {
            let malformed =
                |problem: String| LoadError::Malformed { place: Place::new(program, entry.loc), problem };
            let patterns = entry
                .keysets
                .iter()
                .zip(entries.layout().fields())
                .zip(&table.keys)
                .map(|((keyset, field), key)| {
                    pattern(keyset, *field).ok_or_else(|| {
                        malformed(format!(
                            "this entry of table `{}` does not fit its `{}` key `{}`",
                            table.name, key.match_kind, key.name
                        ))
                    })
                })
                .collect::<Result<Vec<_>, LoadError>>()?;
            let is_const = table.const_entries || entry.is_const;
            let stored = Stored {
                call: Arc::new(entry.call.clone()),
                is_const,
                hits: CounterValue::default(),
                meter: None,
            };
            entries.insert(&patterns, entry.priority.unwrap_or(0), stored).map_err(|error| match error {
                weir_tables::InsertError::Duplicate(_) => {
                    malformed(format!("table `{}` has another entry with this key", table.name))
                }
                _ => malformed(format!("this entry does not fit the keys of table `{}`", table.name)),
            })?;
        }
        let default = Arc::new(table.default_action.clone());
        let meter = table.attached.iter().find_map(|(_, object)| match externs[object.index()] {
            ExternState::DirectMeter(bytes) => Some((*object, bytes)),
            _ => None,
        });
        Ok(Self { entries, default, hits: 0, misses: 0, meter, key: Vec::new() })
    }

    /// Looks up, counts, and lets the direct meter say its colour. A table without key has no entries and always misses.
    pub(crate) fn lookup(
        &mut self,
        keys: &[Bits],
        now: Nanos,
        packet_length: usize,
    ) -> (Lookup, Option<(ExternId, Colour)>) {
        key_bytes(keys, &mut self.key);
        match self.entries.lookup_mut(&self.key) {
            Some((handle, stored)) => {
                self.hits += 1;
                stored.hits.packets += 1;
                stored.hits.bytes += packet_length as u64;
                let colour = self.meter.map(|(object, bytes)| {
                    (object, meter::execute(stored.meter.as_mut(), bytes, now, packet_length))
                });
                (Lookup { hit: true, call: stored.call.clone(), entry: Some(handle) }, colour)
            }
            None => {
                self.misses += 1;
                let colour = self.meter.map(|(object, _)| (object, Colour::Green));
                (Lookup { hit: false, call: self.default.clone(), entry: None }, colour)
            }
        }
    }
}

/// A keyset of the program as a pattern of the field; none if it cannot be one.
pub(crate) fn pattern(keyset: &Keyset, field: Field) -> Option<Pattern> {
    let number = |bits: &Bits| bits.resize(field.width).to_be_bytes().into_boxed_slice();
    let pattern = match keyset {
        Keyset::Any => Pattern::Any,
        Keyset::Value(value) => Pattern::Value(number(value)),
        Keyset::Mask(value, mask) if field.kind == weir_tables::FieldKind::Lpm => {
            Pattern::Prefix(number(value), prefix_length(mask, field.width)?)
        }
        Keyset::Mask(value, mask) => Pattern::Mask(number(value), number(mask)),
        Keyset::Range(low, high) => Pattern::Range(number(low), number(high)),
        Keyset::Set(_) => return None,
    };
    pattern.normalised(field).ok()
}

/// The number of leading ones of a mask that has no other ones.
fn prefix_length(mask: &Bits, width: u32) -> Option<u32> {
    let len = (0..width).take_while(|i| mask.bit(width - 1 - i)).count() as u32;
    (len..width).all(|i| !mask.bit(width - 1 - i)).then_some(len)
}
