//! Numbers and data in messages.

use std::collections::BTreeMap;

use weir_grpc::Problem;
use weir_ir::Bits;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::data_field::container_array::Container;
use weir_p4runtime_proto::bfrt::data_field::{BoolArray, ContainerArray, IntArray, Value as Given};

use crate::info::{Action, DataField, FieldType, Table, hash_ids};

/// Reads a number of `width` bits. It has as many bytes as the width needs.
///
/// # Errors
/// The number has another length, or more bits than the field.
pub fn number(name: &str, width: u32, given: &[u8]) -> Result<Bits, Problem> {
    let needed = width.div_ceil(8);
    if given.len() != needed as usize {
        let (has, s) = (given.len(), if needed == 1 { "" } else { "s" });
        return Err(Problem::invalid(format!(
            "`{name}` has {width} bits and needs {needed} byte{s}, found {has}"
        )));
    }
    let all = Bits::from_be_bytes(needed * 8, given);
    let value = all.resize(width);
    if value.resize(needed * 8) != all {
        return Err(Problem::invalid(format!("`{name}` has {width} bits; the value {all:#} has more")));
    }
    Ok(value)
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(Bits),
    /// A truth value.
    Flag(bool),
    /// A text.
    Text(String),
    /// A number with a fraction.
    Float(f32),
    /// A list of numbers.
    Numbers(Vec<u32>),
    /// A list of bytes.
    Raw(Vec<u8>),
    /// A list of truth values.
    Flags(Vec<bool>),
    /// Parts of a number.
    Parts(Vec<Part>),
}

/// A part of a number that a hash reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The lowest bit.
    pub start_bit: Option<u64>,
    /// The number of bits.
    pub length: Option<u64>,
    /// The place among all parts, from 1 on.
    pub order: Option<u64>,
}

impl Part {
    fn read(given: &Container) -> Result<Self, Problem> {
        let mut part = Self::default();
        for field in &given.val {
            let (place, name) = match field.field_id {
                hash_ids::START_BIT => (&mut part.start_bit, "start_bit"),
                hash_ids::LENGTH => (&mut part.length, "length"),
                hash_ids::ORDER => (&mut part.order, "order"),
                id => return Err(Problem::invalid(format!("a part has no field {id}"))),
            };
            // Clients may name fields that they leave out.
            let Some(given) = &field.value else { continue };
            let Given::Stream(bytes) = given else {
                return Err(Problem::invalid(format!("`{name}` needs a byte string (`stream`)")));
            };
            *place = Some(number(name, 64, bytes)?.low_u64());
        }
        Ok(part)
    }
}

impl Value {
    fn read(field: &DataField, given: Option<&Given>) -> Result<Self, Problem> {
        let DataField { name, ty, repeated, .. } = field;
        let expected = match (ty, repeated) {
            (FieldType::Bytes(_) | FieldType::Uint(..), false) => "a byte string (`stream`)",
            (FieldType::Bytes(_), true) => "bytes (`stream`)",
            (FieldType::Uint(..), true) => "a list of numbers (`int_arr_val`)",
            (FieldType::Bool(_), false) => "a truth value (`bool_val`)",
            (FieldType::Bool(_), true) => "a list of truth values (`bool_arr_val`)",
            (FieldType::Text(_), _) => "a text (`str_val`)",
            (FieldType::Float, _) => "a number with a fraction (`float_val`)",
            (FieldType::Parts(_), _) => "a list of parts (`container_arr_val`)",
        };
        match (ty, repeated, given) {
            (FieldType::Bytes(bits) | FieldType::Uint(bits, _), false, Some(Given::Stream(bytes))) => {
                number(name, *bits, bytes).map(Self::Number)
            }
            (FieldType::Bytes(_), true, Some(Given::Stream(bytes))) => Ok(Self::Raw(bytes.to_vec())),
            (FieldType::Uint(bits, _), true, Some(Given::IntArrVal(list))) => {
                match list.val.iter().find(|value| u64::from(**value) >> *bits != 0) {
                    Some(large) => {
                        Err(Problem::invalid(format!("`{name}` has {bits} bits; the value {large} has more")))
                    }
                    None => Ok(Self::Numbers(list.val.clone())),
                }
            }
            (FieldType::Bool(_), false, Some(Given::BoolVal(value))) => Ok(Self::Flag(*value)),
            (FieldType::Bool(_), true, Some(Given::BoolArrVal(list))) => Ok(Self::Flags(list.val.clone())),
            (FieldType::Text(choices), false, Some(Given::StrVal(text))) => {
                if !choices.is_empty() && !choices.contains(&text.as_str()) {
                    let known = choices.join(", ");
                    return Err(Problem::invalid(format!("`{name}` is one of {known}, not {text:?}")));
                }
                Ok(Self::Text(text.clone()))
            }
            (FieldType::Parts(_), _, Some(Given::ContainerArrVal(list))) => {
                list.container.iter().map(Part::read).collect::<Result<_, _>>().map(Self::Parts)
            }
            (FieldType::Float, false, Some(Given::FloatVal(value))) => Ok(Self::Float(*value)),
            _ => Err(Problem::invalid(format!("`{name}` needs {expected}"))),
        }
    }
}

/// The data of an entry in a request.
#[derive(Clone, Debug)]
pub struct Data<'t> {
    /// The action, if the request names one.
    pub action: Option<&'t Action>,
    values: BTreeMap<u32, Value>,
}

impl<'t> Data<'t> {
    /// Reads the data of an entry for a table.
    ///
    /// # Errors
    /// The table has no such action or field, or a value does not fit its field.
    pub fn read(table: &'t Table, given: Option<&bfrt::TableData>) -> Result<Self, Problem> {
        let mut data = Self { action: None, values: BTreeMap::new() };
        let Some(given) = given else { return Ok(data) };
        data.action = action(table, given.action_id)?;
        for one in &given.fields {
            let field = field(table, data.action, one.field_id)?;
            if field.read_only {
                return Err(Problem::invalid(format!("`{}` can only be read", field.name)));
            }
            if data.values.insert(one.field_id, Value::read(field, one.value.as_ref())?).is_some() {
                return Err(Problem::invalid(format!("`{}` is there twice", field.name)));
            }
        }
        Ok(data)
    }

    /// Returns a number.
    pub fn number(&self, id: u32) -> Option<&Bits> {
        match self.values.get(&id) {
            Some(Value::Number(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a number of at most 64 bits.
    pub fn uint(&self, id: u32) -> Option<u64> {
        self.number(id).map(Bits::low_u64)
    }

    /// Returns a number of at most 32 bits.
    pub fn uint32(&self, id: u32) -> Option<u32> {
        self.uint(id).and_then(|value| u32::try_from(value).ok())
    }

    /// Returns a truth value.
    pub fn flag(&self, id: u32) -> Option<bool> {
        match self.values.get(&id) {
            Some(Value::Flag(value)) => Some(*value),
            _ => None,
        }
    }

    /// Returns a text.
    pub fn text(&self, id: u32) -> Option<&str> {
        match self.values.get(&id) {
            Some(Value::Text(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a number with a fraction.
    pub fn float(&self, id: u32) -> Option<f32> {
        match self.values.get(&id) {
            Some(Value::Float(value)) => Some(*value),
            _ => None,
        }
    }

    /// Returns a list of numbers.
    pub fn numbers(&self, id: u32) -> Option<&[u32]> {
        match self.values.get(&id) {
            Some(Value::Numbers(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a list of bytes.
    pub fn raw(&self, id: u32) -> Option<&[u8]> {
        match self.values.get(&id) {
            Some(Value::Raw(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a list of parts.
    pub fn parts(&self, id: u32) -> Option<&[Part]> {
        match self.values.get(&id) {
            Some(Value::Parts(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a list of truth values.
    pub fn flags(&self, id: u32) -> Option<&[bool]> {
        match self.values.get(&id) {
            Some(Value::Flags(value)) => Some(value),
            _ => None,
        }
    }
}

/// Finds an action of a table; the number 0 names none.
///
/// # Errors
/// The table has no such action.
pub fn action(table: &Table, id: u32) -> Result<Option<&Action>, Problem> {
    match table.action(id) {
        _ if id == 0 => Ok(None),
        Some(action) => Ok(Some(action)),
        None => Err(Problem::invalid(format!("`{}` has no action {id}", table.name))),
    }
}

/// Finds a field among the parameters of the action and the data of the table.
///
/// # Errors
/// There is no such field.
pub fn field<'t>(table: &'t Table, action: Option<&'t Action>, id: u32) -> Result<&'t DataField, Problem> {
    let params = action.into_iter().flat_map(|action| &action.data);
    params.chain(&table.data).find(|field| field.id == id).ok_or_else(|| {
        let of = action.map_or_else(String::new, |action| format!(" with the action `{}`", action.name));
        Problem::invalid(format!("`{}`{of} has no data field {id}", table.name))
    })
}

fn data_field(id: u32, value: Given) -> bfrt::DataField {
    bfrt::DataField { field_id: id, value: Some(value) }
}

/// Writes a number.
pub fn write_number(id: u32, value: &Bits) -> bfrt::DataField {
    data_field(id, Given::Stream(bytes(value)))
}

/// Writes a number of `bits` bits.
pub fn write_uint(id: u32, bits: u32, value: u64) -> bfrt::DataField {
    write_number(id, &Bits::new(bits, value.into()))
}

/// Writes a truth value.
pub fn write_flag(id: u32, value: bool) -> bfrt::DataField {
    data_field(id, Given::BoolVal(value))
}

/// Writes a text.
pub fn write_text(id: u32, value: &str) -> bfrt::DataField {
    data_field(id, Given::StrVal(value.to_owned()))
}

/// Writes a number with a fraction.
pub fn write_float(id: u32, value: f32) -> bfrt::DataField {
    data_field(id, Given::FloatVal(value))
}

/// Writes a list of numbers.
pub fn write_numbers(id: u32, val: Vec<u32>) -> bfrt::DataField {
    data_field(id, Given::IntArrVal(IntArray { val }))
}

/// Writes parts of a number.
pub fn write_parts(id: u32, parts: &[Part]) -> bfrt::DataField {
    let container = |part: &Part| {
        let fields = [
            (hash_ids::START_BIT, part.start_bit),
            (hash_ids::LENGTH, part.length),
            (hash_ids::ORDER, part.order),
        ];
        let val = fields.into_iter().filter_map(|(id, value)| Some(write_uint(id, 64, value?))).collect();
        Container { val }
    };
    data_field(
        id,
        Given::ContainerArrVal(ContainerArray { container: parts.iter().map(container).collect() }),
    )
}

/// Writes a list of truth values.
pub fn write_flags(id: u32, val: Vec<bool>) -> bfrt::DataField {
    data_field(id, Given::BoolArrVal(BoolArray { val }))
}

/// Returns the bytes of a number, as many as its width needs.
pub fn bytes(value: &Bits) -> Vec<u8> {
    let whole = value.width().next_multiple_of(8);
    value.resize(whole).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_length_of_their_width() {
        assert_eq!(number("f", 9, &[1, 0xff]), Ok(Bits::new(9, 0x1ff)));
        assert_eq!(bytes(&Bits::new(9, 0x1ff)), [1, 0xff]);
        assert_eq!(bytes(&Bits::new(1, 1)), [1]);
        for (width, given, expected) in [
            (9, &[1][..], "`f` has 9 bits and needs 2 bytes, found 1"),
            (8, &[], "`f` has 8 bits and needs 1 byte, found 0"),
            (9, &[0, 0, 1], "needs 2 bytes, found 3"),
            (9, &[2, 0], "`f` has 9 bits; the value"),
        ] {
            let problem = number("f", width, given).unwrap_err();
            assert!(problem.message.contains(expected), "{problem}");
            assert_eq!(problem.code, tonic::Code::InvalidArgument);
        }
    }
}
