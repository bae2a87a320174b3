//! Types of compound values, such as cells of registers and digests (specification, "Representation
//! of Arbitrary P4 Types").

#[cfg(test)]
mod tests;

use weir_grpc::Problem;
use weir_ir::Bits;

use super::field::Field;
use super::number::{number, signed_number};
use super::translation::Translator;
use crate::proto::v1;
use crate::proto::v1::p4_data::Data;
use crate::wire::{shortest, shortest_signed};

/// A type whose values P4Runtime can carry.
#[derive(Clone, Debug)]
pub(crate) enum DataType {
    Bits(u32),
    Int(u32),
    Bool,
    /// A serializable enumeration.
    EnumValue(u32),
    /// An enumeration or `error`: its members, in the order of their numbers, and its width in
    /// bits.
    Enum {
        members: Vec<String>,
        bits: u32,
        error: bool,
    },
    Translated(Box<Field>),
    Struct(Vec<DataType>),
    Tuple(Vec<DataType>),
    /// A header: the width of each field in bits, and whether the field is signed. In values, the
    /// validity bit comes before the fields.
    Header(Vec<(u32, bool)>),
}

impl DataType {
    /// Appends the widths of the numbers in a value, in order.
    pub fn append_widths(&self, into: &mut Vec<u32>) {
        match self {
            Self::Bits(width) | Self::Int(width) | Self::EnumValue(width) => into.push(*width),
            Self::Bool => into.push(1),
            Self::Enum { bits, .. } => into.push(*bits),
            Self::Translated(field) => into.push(field.bits),
            Self::Struct(members) | Self::Tuple(members) => {
                members.iter().for_each(|member| member.append_widths(into));
            }
            Self::Header(fields) => {
                into.push(1);
                into.extend(fields.iter().map(|(width, _)| *width));
            }
        }
    }

    /// Sets the widths that the program has for types without a width in P4Info: enumerations and
    /// translated types.
    pub fn set_bits(&mut self, bits: &mut dyn Iterator<Item = u32>) {
        match self {
            Self::Enum { bits: own, .. } => *own = bits.next().unwrap_or(*own),
            Self::Translated(field) => field.bits = bits.next().unwrap_or(field.bits),
            Self::Struct(members) | Self::Tuple(members) => {
                members.iter_mut().for_each(|member| member.set_bits(bits));
            }
            Self::Header(fields) => bits.take(1 + fields.len()).for_each(|_| {}),
            _ => bits.take(1).for_each(|_| {}),
        }
    }

    /// Returns whether these numbers can form a value of this type.
    pub fn fits(&self, values: &[Bits]) -> bool {
        let mut widths = Vec::new();
        self.append_widths(&mut widths);
        let mut sized = self.clone();
        sized.set_bits(&mut values.iter().map(Bits::width));
        let mut exact = Vec::new();
        sized.append_widths(&mut exact);
        widths.len() == values.len() && exact.iter().copied().eq(values.iter().map(Bits::width))
    }

    /// Adds the validity bits of headers, which digests leave out, to the numbers of a value.
    /// `present` is false for fields of invalid headers.
    pub fn with_validity(&self, values: &[Bits], present: &[bool]) -> Vec<Bits> {
        let (mut values, mut found) = (values.iter().cloned().zip(present.iter().copied()), Vec::new());
        self.add_validity(&mut values, &mut found);
        found.extend(values.map(|(value, _)| value));
        found
    }

    fn add_validity(&self, values: &mut dyn Iterator<Item = (Bits, bool)>, into: &mut Vec<Bits>) {
        match self {
            Self::Struct(members) | Self::Tuple(members) => {
                members.iter().for_each(|member| member.add_validity(values, into));
            }
            Self::Header(fields) => {
                let fields: Vec<_> = values.take(fields.len()).collect();
                into.push(Bits::bool(fields.iter().all(|(_, is_present)| *is_present)));
                into.extend(fields.into_iter().map(|(value, _)| value));
            }
            _ => into.extend(values.next().map(|(value, _)| value)),
        }
    }

    /// Converts the numbers of a value to the controllers' form.
    pub fn write(&self, translator: &Translator, leaves: &mut dyn Iterator<Item = &Bits>) -> v1::P4Data {
        let zero = Bits::zero(1);
        let data = match self {
            Self::Struct(members) | Self::Tuple(members) => {
                let members = members.iter().map(|member| member.write(translator, leaves)).collect();
                let members = v1::P4StructLike { members };
                if matches!(self, Self::Struct(_)) { Data::Struct(members) } else { Data::Tuple(members) }
            }
            Self::Header(fields) => {
                let is_valid = leaves.next().is_some_and(Bits::is_true);
                let field = |(_, signed): &(u32, bool)| {
                    let value = leaves.next().unwrap_or(&zero);
                    if *signed { shortest_signed(value) } else { shortest(value) }
                };
                let bitstrings: Vec<_> = fields.iter().map(field).collect();
                let bitstrings = if is_valid { bitstrings } else { Vec::new() };
                Data::Header(v1::P4Header { is_valid, bitstrings })
            }
            leaf => {
                let value = leaves.next().unwrap_or(&zero);
                match leaf {
                    Self::Int(_) => Data::Bitstring(shortest_signed(value)),
                    Self::Bool => Data::Bool(value.is_true()),
                    Self::EnumValue(_) => Data::EnumValue(shortest(value)),
                    Self::Enum { members, error, .. } => {
                        let name = members.get(value.low_u64() as usize).cloned();
                        let name = name.unwrap_or_else(|| value.low_u64().to_string());
                        if *error { Data::Error(name) } else { Data::Enum(name) }
                    }
                    Self::Translated(field) => Data::Bitstring(field.write(translator, value)),
                    _ => Data::Bitstring(shortest(value)),
                }
            }
        };
        v1::P4Data { data: Some(data) }
    }

    /// Converts a controller's value to its numbers.
    pub fn read(
        &self,
        translator: &Translator,
        data: &v1::P4Data,
        into: &mut Vec<Bits>,
    ) -> Result<(), Problem> {
        match (self, &data.data) {
            (Self::Bits(width), Some(Data::Bitstring(value)))
            | (Self::EnumValue(width), Some(Data::EnumValue(value))) => into.push(number(value, *width)?),
            (Self::Int(width), Some(Data::Bitstring(value))) => into.push(signed_number(value, *width)?),
            (Self::Bool, Some(Data::Bool(value))) => into.push(Bits::bool(*value)),
            (Self::Translated(field), Some(Data::Bitstring(value))) => {
                into.push(field.read(translator, value)?);
            }
            (Self::Enum { members, bits, error: false }, Some(Data::Enum(name)))
            | (Self::Enum { members, bits, error: true }, Some(Data::Error(name))) => {
                let Some(place) = members.iter().position(|member| member == name) else {
                    let near = weir_suggest::nearest(name, members.iter().map(String::as_str));
                    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    return Err(Problem::invalid(format!("there is no member `{name}`{hint}")));
                };
                into.push(Bits::new(*bits, place as u128));
            }
            (Self::Struct(types), Some(Data::Struct(values)))
            | (Self::Tuple(types), Some(Data::Tuple(values))) => {
                if types.len() != values.members.len() {
                    return Err(Problem::invalid(format!(
                        "a value of {} members is needed, not of {}",
                        types.len(),
                        values.members.len()
                    )));
                }
                for (member, value) in types.iter().zip(&values.members) {
                    member.read(translator, value, into)?;
                }
            }
            (Self::Header(fields), Some(Data::Header(header))) => {
                let wanted = if header.is_valid { fields.len() } else { 0 };
                if wanted != header.bitstrings.len() {
                    return Err(Problem::invalid(format!(
                        "a valid header of {} fields is needed, or an invalid one of none",
                        fields.len()
                    )));
                }
                into.push(Bits::bool(header.is_valid));
                if !header.is_valid {
                    into.extend(fields.iter().map(|(width, _)| Bits::zero(*width)));
                }
                for ((width, signed), value) in fields.iter().zip(&header.bitstrings) {
                    into.push(if *signed { signed_number(value, *width)? } else { number(value, *width)? });
                }
            }
            _ => return Err(Problem::invalid(format!("the value must be a {}", self.needed_form()))),
        }
        Ok(())
    }

    fn needed_form(&self) -> &'static str {
        match self {
            Self::Bits(_) | Self::Int(_) | Self::Translated(_) => "`bitstring`",
            Self::Bool => "`bool`",
            Self::EnumValue(_) => "`enum_value`",
            Self::Enum { error: false, .. } => "`enum`",
            Self::Enum { error: true, .. } => "`error`",
            Self::Struct(_) => "`struct`",
            Self::Tuple(_) => "`tuple`",
            Self::Header(_) => "`header`",
        }
    }
}
