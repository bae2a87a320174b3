//! Values of registers and digests: numbers in structs, as a client reads and writes them.

use weir_ir::Bits;

use crate::proto::config::{
    self, P4BitstringLikeTypeSpec, P4DataTypeSpec, P4TypeInfo, p4_bitstring_like_type_spec,
    p4_data_type_spec, p4_new_type_spec,
};
use crate::proto::v1::{P4Data, P4Header, P4StructLike, p4_data};
use crate::wire::shortest;

/// Types inside types; deeper ones are read as numbers without bits.
const MAX_DEPTH: usize = 32;

/// The name of a header's validity bit.
pub(super) const VALIDITY: &str = "$valid$";

/// A type as numbers inside structs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A number of so many bits.
    Number(u32),
    /// A bool.
    Bool,
    /// The value of an enum with an underlying type of so many bits.
    Enum(u32),
    /// A struct (or a tuple, if the second is true), its members in order.
    Struct(Vec<(String, Shape)>, bool),
    /// A header, its fields in order, after its validity bit.
    Header(Vec<(String, u32)>),
}

impl Shape {
    /// The type that a P4Info describes.
    pub fn of(spec: Option<&P4DataTypeSpec>, types: Option<&P4TypeInfo>) -> Self {
        Self::inside(spec, types, MAX_DEPTH)
    }

    fn inside(spec: Option<&P4DataTypeSpec>, types: Option<&P4TypeInfo>, depth: usize) -> Self {
        use p4_data_type_spec::TypeSpec as Spec;
        let nothing = Self::Number(0);
        let (Some(spec), Some(depth)) = (spec.and_then(|spec| spec.type_spec.as_ref()), depth.checked_sub(1))
        else {
            return nothing;
        };
        match spec {
            Spec::Bitstring(bits) => Self::Number(width(bits)),
            Spec::Bool(_) => Self::Bool,
            Spec::Tuple(tuple) => {
                let member = |member| (String::new(), Self::inside(Some(member), types, depth));
                Self::Struct(tuple.members.iter().map(member).collect(), true)
            }
            Spec::Struct(named) => match types.and_then(|types| types.structs.get(&named.name)) {
                Some(found) => {
                    let members = found.members.iter().map(|member| {
                        (member.name.clone(), Self::inside(member.type_spec.as_ref(), types, depth))
                    });
                    Self::Struct(members.collect(), false)
                }
                None => nothing,
            },
            Spec::Header(named) => match types.and_then(|types| types.headers.get(&named.name)) {
                Some(found) => {
                    let fields = found
                        .members
                        .iter()
                        .map(|member| (member.name.clone(), member.type_spec.as_ref().map_or(0, width)));
                    Self::Header(fields.collect())
                }
                None => nothing,
            },
            Spec::SerializableEnum(named) => {
                let found = types.and_then(|types| types.serializable_enums.get(&named.name));
                let underlying = found.and_then(|found| found.underlying_type);
                Self::Enum(underlying.map_or(0, |bits| u32::try_from(bits.bitwidth).unwrap_or(0)))
            }
            Spec::NewType(named) => {
                let found = types.and_then(|types| types.new_types.get(&named.name));
                match found.and_then(|found| found.representation.as_ref()) {
                    Some(p4_new_type_spec::Representation::OriginalType(original)) => {
                        Self::inside(Some(original), types, depth)
                    }
                    Some(p4_new_type_spec::Representation::TranslatedType(translated)) => {
                        use config::p4_new_type_translation::SdnType;
                        match translated.sdn_type {
                            Some(SdnType::SdnBitwidth(bits)) => {
                                Self::Number(u32::try_from(bits).unwrap_or(0))
                            }
                            _ => nothing,
                        }
                    }
                    None => nothing,
                }
            }
            _ => nothing,
        }
    }

    /// The numbers that it is made of, with their names and bits; one without name if it is one.
    pub fn leaves(&self) -> Vec<(String, u32)> {
        let mut found = Vec::new();
        self.add_leaves("", &mut found);
        found
    }

    fn add_leaves(&self, name: &str, to: &mut Vec<(String, u32)>) {
        let inner =
            |member: &str| if name.is_empty() { member.to_owned() } else { format!("{name}.{member}") };
        match self {
            Self::Number(width) | Self::Enum(width) => to.push((name.to_owned(), *width)),
            Self::Bool => to.push((name.to_owned(), 1)),
            Self::Struct(members, _) => {
                members.iter().for_each(|(member, shape)| shape.add_leaves(&inner(member), to));
            }
            Self::Header(fields) => {
                to.push((inner(VALIDITY), 1));
                to.extend(fields.iter().map(|(field, width)| (inner(field), *width)));
            }
        }
    }

    /// The numbers of a value of this type, in order; those that it lacks are 0.
    pub fn read(&self, data: Option<&P4Data>) -> Vec<Bits> {
        let mut found = Vec::new();
        self.read_into(data.and_then(|data| data.data.as_ref()), &mut found);
        found
    }

    fn read_into(&self, data: Option<&p4_data::Data>, to: &mut Vec<Bits>) {
        use p4_data::Data;
        match self {
            Self::Number(width) | Self::Enum(width) => {
                let (Some(Data::Bitstring(bytes)) | Some(Data::EnumValue(bytes))) = data else {
                    return to.push(Bits::zero(*width));
                };
                to.push(Bits::from_be_bytes(*width, bytes));
            }
            Self::Bool => to.push(Bits::bool(matches!(data, Some(Data::Bool(true))))),
            Self::Struct(members, _) => {
                let values: &[P4Data] = match data {
                    Some(Data::Struct(values) | Data::Tuple(values)) => &values.members,
                    _ => &[],
                };
                for (at, (_, shape)) in members.iter().enumerate() {
                    shape.read_into(values.get(at).and_then(|value| value.data.as_ref()), to);
                }
            }
            Self::Header(fields) => {
                let values: &[Vec<u8>] = match data {
                    Some(Data::Header(header)) => &header.bitstrings,
                    _ => &[],
                };
                to.push(Bits::bool(matches!(data, Some(Data::Header(header)) if header.is_valid)));
                let bytes = |at: usize| values.get(at).map_or(&[][..], Vec::as_slice);
                to.extend(
                    fields.iter().enumerate().map(|(at, (_, width))| Bits::from_be_bytes(*width, bytes(at))),
                );
            }
        }
    }

    /// A value of this type from its numbers in order.
    pub fn write(&self, numbers: &mut impl Iterator<Item = Bits>) -> P4Data {
        use p4_data::Data;
        let mut bytes = |width: u32| shortest(&numbers.next().unwrap_or_else(|| Bits::zero(width)));
        let data = match self {
            Self::Number(width) => Data::Bitstring(bytes(*width)),
            Self::Enum(width) => Data::EnumValue(bytes(*width)),
            Self::Bool => Data::Bool(bytes(1) != [0]),
            Self::Struct(members, is_tuple) => {
                let members = members.iter().map(|(_, shape)| shape.write(numbers)).collect();
                let value = P4StructLike { members };
                if *is_tuple { Data::Tuple(value) } else { Data::Struct(value) }
            }
            Self::Header(fields) => {
                let is_valid = bytes(1) != [0];
                let bitstrings: Vec<_> = fields.iter().map(|(_, width)| bytes(*width)).collect();
                let bitstrings = if is_valid { bitstrings } else { Vec::new() };
                Data::Header(P4Header { is_valid, bitstrings })
            }
        };
        P4Data { data: Some(data) }
    }
}

fn width(bits: &P4BitstringLikeTypeSpec) -> u32 {
    use p4_bitstring_like_type_spec::TypeSpec;
    let width = match bits.type_spec {
        Some(TypeSpec::Bit(bit)) => bit.bitwidth,
        Some(TypeSpec::Int(int)) => int.bitwidth,
        Some(TypeSpec::Varbit(varbit)) => varbit.max_bitwidth,
        None => 0,
    };
    u32::try_from(width).unwrap_or(0)
}
