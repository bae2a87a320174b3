//! Changes and reads hashes: what they read, which function they compute, their values, and the
//! members of groups that they choose.

use std::collections::BTreeMap;

use weir_grpc::Problem;
use weir_ir::{Bits, ExternId};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{Control, HashAlgorithm, HashInput, HashPart, HashSchema, HashSettings, Update};

use super::device::{defaults, given_fields};
use super::writer::{Wanted, Writer};
use crate::explain::explain;
use crate::info::{Table, algorithm, hash_ids as f};
use crate::matches::{exact, fields};
use crate::notes::{Notes, merge};
use crate::values::{Data, Part, write_number, write_parts, write_uint};

fn schema<'c>(control: &Control<'c>, id: ExternId) -> Option<&'c HashSchema> {
    control.schema().hashes.iter().find(|hash| hash.id == id)
}

/// Returns the inputs of a hash with these parts of its values.
///
/// # Errors
/// A part is not within its value, parts overlap, or more than two parts have the same place.
fn inputs(table: &Table, data: &Data<'_>) -> Result<Vec<HashInput>, Problem> {
    let mut places: BTreeMap<u64, Vec<HashPart>> = BTreeMap::new();
    for (value, of) in table.data.iter().enumerate() {
        let width = of.ty.bits().unwrap_or(0);
        let mut taken = vec![false; width as usize];
        for part in data.parts(of.id).unwrap_or_default() {
            // Parts without a place are left out.
            let Some(order) = part.order.filter(|order| *order > 0) else { continue };
            let start = part.start_bit.unwrap_or(0);
            if start >= u64::from(width) {
                return Err(Problem::invalid(format!("`{}` has {width} bits, and no bit {start}", of.name)));
            }
            let most = u64::from(width) - start;
            let length = part.length.unwrap_or(most).min(most);
            let (low, width) = (start as u32, length as u32);
            for bit in &mut taken[low as usize..(low + width) as usize] {
                if std::mem::replace(bit, true) {
                    return Err(Problem::invalid(format!("parts of `{}` overlap", of.name)));
                }
            }
            places.entry(order).or_default().push(HashPart { value, low, width });
        }
    }
    let input = |(order, parts): (u64, Vec<HashPart>)| match parts.as_slice() {
        [one] => Ok(HashInput::One(*one)),
        [one, other] if one.width == other.width => Ok(HashInput::Pair(*one, *other)),
        [_, _] => Err(Problem::invalid(format!("two parts with the order {order} need the same length"))),
        _ => Err(Problem::invalid(format!("at most two parts have the order {order}"))),
    };
    places.into_iter().map(input).collect()
}

/// Returns the function with these data; `None` if they have no action.
fn function(data: &Data<'_>) -> Result<Option<HashAlgorithm>, Problem> {
    let (takes_upper, repeats) = (data.flag(f::MSB) == Some(true), data.flag(f::EXTEND) == Some(true));
    match data.action.map(|action| action.id) {
        None => Ok(None),
        Some(f::PRE_DEFINED) => {
            let name =
                data.text(f::NAME).ok_or_else(|| Problem::invalid("the data have no `algorithm_name`"))?;
            Ok(algorithm(name, takes_upper, repeats))
        }
        Some(_) => {
            let number = |id| data.uint(id).unwrap_or(0);
            let width = number(f::WIDTH);
            if !(1..=64).contains(&width) {
                return Err(Problem::invalid(format!("`hash_bit_width` is from 1 to 64, not {width}")));
            }
            let own = |id| number(id) & u64::MAX >> (64 - width);
            Ok(Some(HashAlgorithm::Crc {
                width: width as u32,
                polynomial: own(f::POLYNOMIAL),
                initial: own(f::INIT),
                final_xor: own(f::FINAL_XOR),
                reflected: data.flag(f::REVERSE) == Some(true),
                takes_upper,
                repeats,
            }))
        }
    }
}

/// Writes what a hash reads.
pub(super) fn write_inputs(table: &Table, control: &Control<'_>, id: ExternId) -> Vec<bfrt::DataField> {
    let set = control.hash(id).ok().and_then(|settings| settings.inputs.as_ref());
    let inputs = set.or(schema(control, id).map(|hash| &hash.inputs)).map_or(&[][..], Vec::as_slice);
    let mut parts: Vec<Vec<Part>> = vec![Vec::new(); table.data.len()];
    for (order, input) in (1..).zip(inputs) {
        let (one, other) = match input {
            HashInput::One(part) => (part, None),
            HashInput::Pair(one, other) => (one, Some(other)),
        };
        for part in [one].into_iter().chain(other) {
            let (start_bit, length) = (Some(part.low.into()), Some(part.width.into()));
            if let Some(of_value) = parts.get_mut(part.value) {
                of_value.push(Part { start_bit, length, order: Some(order) });
            }
        }
    }
    table.data.iter().zip(parts).map(|(of, parts)| write_parts(of.id, &parts)).collect()
}

/// Returns the action and the data of a hash's function.
pub(super) fn read_function(table: &Table, notes: &Notes) -> (u32, Vec<bfrt::DataField>) {
    notes.hashes.get(&table.id).cloned().unwrap_or_else(|| (0, defaults(table)))
}

/// Computes a hash of the values in a key; those that are left out are 0.
pub(super) fn compute(
    table: &Table,
    control: &Control<'_>,
    id: ExternId,
    key: &bfrt::TableKey,
) -> Result<Vec<bfrt::DataField>, Problem> {
    let given = fields(table, key)?;
    let values = table.keys.iter().zip(given).map(|(known, given)| exact(known, given));
    let values: Vec<Bits> = values.collect::<Result<_, _>>()?;
    let hash = control.compute_hash(id, &values).map_err(|error| explain(control.schema(), error))?;
    Ok(vec![write_number(f::VALUE, &hash)])
}

/// Finds the member that a hash chooses from a group.
pub(super) fn member(
    table: &Table,
    control: &Control<'_>,
    id: ExternId,
    key: &bfrt::TableKey,
) -> Result<Vec<bfrt::DataField>, Problem> {
    let given = fields(table, key)?;
    let (group, hash) = (exact(&table.keys[0], given[0])?, exact(&table.keys[1], given[1])?);
    let member = control.member_for(id, group.low_u64() as u32, hash.low_u64());
    let member = member.map_err(|error| explain(control.schema(), error))?;
    let missing = || Problem::not_found(format!("the group {:#} has no member that can be chosen", group));
    Ok(vec![write_uint(table.data[0].id, 32, member.ok_or_else(missing)?.into())])
}

impl Writer<'_, '_, '_> {
    fn hash_settings(&self, id: ExternId) -> Result<HashSettings, Problem> {
        self.control().hash(id).cloned().map_err(|error| explain(self.schema(), error))
    }

    fn set_hash(&mut self, hash: ExternId, settings: HashSettings) -> Result<(), Problem> {
        self.change(&Update::SetHash { hash, settings }).map(drop)
    }

    /// Changes what a hash reads.
    pub(super) fn hash_inputs(
        &mut self,
        table: &Table,
        id: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        let settings = self.hash_settings(id)?;
        let inputs = match wanted.kind {
            Type::Insert | Type::Modify | Type::InsertOrModify => Some(inputs(table, &wanted.data)?),
            Type::Delete | Type::Reset => None,
            _ => return Err(wanted.unsupported(table)),
        };
        self.set_hash(id, HashSettings { inputs, ..settings })
    }

    /// Changes the function of a hash.
    pub(super) fn hash_function(
        &mut self,
        table: &Table,
        id: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        let settings = self.hash_settings(id)?;
        match wanted.kind {
            Type::Insert | Type::Modify | Type::InsertOrModify => {}
            Type::Delete | Type::Reset => {
                self.notes.hashes.remove(&table.id);
                return self
                    .set_hash(id, HashSettings { inputs: settings.inputs, ..HashSettings::default() });
            }
            _ => return Err(wanted.unsupported(table)),
        }
        let known = self.notes.hashes.get(&table.id).cloned();
        let (old_action, mut fields) = known.unwrap_or_else(|| (0, defaults(table)));
        let action_id = wanted.data.action.map_or(old_action, |action| action.id);
        if action_id != old_action {
            fields.retain(|field| table.data.iter().any(|known| known.id == field.field_id));
        }
        merge(&mut fields, given_fields(wanted));
        let all = bfrt::TableData { action_id, fields };
        let data = Data::read(table, Some(&all))?;
        let number = |id| data.uint(id).unwrap_or(0);
        let algorithm = function(&data)?;
        let (rotate, seed) = (number(f::ROTATE) as u32, number(f::SEED));
        self.set_hash(id, HashSettings { algorithm, rotate, seed, inputs: settings.inputs })?;
        self.notes.hashes.insert(table.id, (all.action_id, all.fields));
        Ok(())
    }
}
