//! Values of registers and digests: numbers in structs, as a client reads and writes them.

use weir_ir::Bits;
use weir_switch::control::{Values, bytes_of_text};

use super::texts::{self, Form, Types};
use crate::proto::config::{
    P4BitstringLikeTypeSpec, P4DataTypeSpec, p4_bitstring_like_type_spec, p4_data_type_spec,
    p4_new_type_spec, p4_new_type_translation::SdnType,
};
use crate::proto::v1::{P4Data, P4Header, P4StructLike, p4_data};
use crate::wire::{shortest, shortest_signed, signed};

/// The maximum nesting of types; deeper ones are read as numbers without bits.
const MAX_DEPTH: usize = 32;

/// The width of the position of an enum's member, as a number of the control interface.
const MEMBER_BITS: u32 = 32;

/// The name of a header's validity bit.
pub(super) const VALIDITY: &str = "$valid$";

/// The shape of a type: numbers inside structs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An unsigned number with its width in bits.
    Number(u32),
    /// A signed number with its width in bits.
    Signed(u32),
    /// A value that the switch translates: its width in bits in this client, its form for people,
    /// and its form in the protocol.
    Translated(u32, Values, Form),
    /// A bool.
    Bool,
    /// The value of an enum, with the width of its underlying type in bits.
    Enum(u32),
    /// A member of an enum without underlying type or, if the second is true, an error: the name of
    /// the type and those of its members.
    Member(String, bool, Vec<String>),
    /// The members of a struct in order; of a tuple, if the second value is true.
    Struct(Vec<(String, Shape)>, bool),
    /// A header: its validity bit, then its fields in order, with their widths and whether they are
    /// signed.
    Header(Vec<(String, u32, bool)>),
}

impl Shape {
    /// Returns the type that a P4Info describes.
    pub fn from_spec(spec: Option<&P4DataTypeSpec>, types: Types<'_>) -> Self {
        Self::nested(spec, types, MAX_DEPTH)
    }

    /// Reads a type that may be nested to this depth.
    fn nested(spec: Option<&P4DataTypeSpec>, types: Types<'_>, depth: usize) -> Self {
        use p4_data_type_spec::TypeSpec as Spec;
        let nothing = Self::Number(0);
        let (Some(spec), Some(depth)) = (spec.and_then(|spec| spec.type_spec.as_ref()), depth.checked_sub(1))
        else {
            return nothing;
        };
        match spec {
            Spec::Bitstring(bits) if is_signed(bits) => Self::Signed(width(bits)),
            Spec::Bitstring(bits) => Self::Number(width(bits)),
            Spec::Bool(_) => Self::Bool,
            Spec::Tuple(tuple) => {
                let member = |member| (String::new(), Self::nested(Some(member), types, depth));
                Self::Struct(tuple.members.iter().map(member).collect(), true)
            }
            Spec::Struct(named) => match types.info.and_then(|types| types.structs.get(&named.name)) {
                Some(declared) => {
                    let members = declared.members.iter().map(|member| {
                        (member.name.clone(), Self::nested(member.type_spec.as_ref(), types, depth))
                    });
                    Self::Struct(members.collect(), false)
                }
                None => nothing,
            },
            Spec::Header(named) => match types.info.and_then(|types| types.headers.get(&named.name)) {
                Some(declared) => {
                    let fields = declared.members.iter().map(|member| {
                        let member_spec = member.type_spec.as_ref();
                        (
                            member.name.clone(),
                            member_spec.map_or(0, width),
                            member_spec.is_some_and(is_signed),
                        )
                    });
                    Self::Header(fields.collect())
                }
                None => nothing,
            },
            Spec::SerializableEnum(named) => {
                let declared = types.info.and_then(|types| types.serializable_enums.get(&named.name));
                let underlying = declared.and_then(|declared| declared.underlying_type);
                Self::Enum(underlying.map_or(0, |bits| u32::try_from(bits.bitwidth).unwrap_or(0)))
            }
            Spec::Enum(named) => {
                let declared = types.info.and_then(|types| types.enums.get(&named.name));
                let members = declared.into_iter().flat_map(|declared| &declared.members);
                Self::Member(named.name.clone(), false, members.map(|member| member.name.clone()).collect())
            }
            Spec::Error(_) => {
                let declared = types.info.and_then(|types| types.error.as_ref());
                let members = declared.map(|error| error.members.clone()).unwrap_or_default();
                Self::Member("error".to_owned(), true, members)
            }
            Spec::NewType(named) => {
                let declared = types.info.and_then(|types| types.new_types.get(&named.name));
                match declared.and_then(|declared| declared.representation.as_ref()) {
                    Some(p4_new_type_spec::Representation::OriginalType(original)) => {
                        Self::nested(Some(original), types, depth)
                    }
                    Some(p4_new_type_spec::Representation::TranslatedType(translated)) => {
                        let bits = match translated.sdn_type {
                            Some(SdnType::SdnBitwidth(bits)) => u32::try_from(bits).unwrap_or(0),
                            Some(SdnType::SdnString(_)) => 0,
                            None => return nothing,
                        };
                        let (width, values, form) = types.form(Some(&named.name), bits);
                        Self::Translated(width, values, form)
                    }
                    None => nothing,
                }
            }
            _ => nothing,
        }
    }

    /// Returns the numbers in a value, with their names and widths. A type that is a plain number
    /// has a single number without a name.
    pub fn leaves(&self) -> Vec<(String, u32)> {
        let mut found = Vec::new();
        self.add_leaves("", &mut found);
        found
    }

    fn add_leaves(&self, name: &str, to: &mut Vec<(String, u32)>) {
        let inner =
            |member: &str| if name.is_empty() { member.to_owned() } else { format!("{name}.{member}") };
        match self {
            Self::Number(width) | Self::Signed(width) | Self::Enum(width) | Self::Translated(width, ..) => {
                to.push((name.to_owned(), *width));
            }
            Self::Bool => to.push((name.to_owned(), 1)),
            Self::Member(..) => to.push((name.to_owned(), MEMBER_BITS)),
            Self::Struct(members, _) => {
                members.iter().for_each(|(member, shape)| shape.add_leaves(&inner(member), to));
            }
            Self::Header(fields) => {
                to.push((inner(VALIDITY), 1));
                to.extend(fields.iter().map(|(field, width, _)| (inner(field), *width)));
            }
        }
    }

    /// Returns the notation of each number in a value.
    pub fn values(&self) -> Vec<Values> {
        let mut found = Vec::new();
        self.add_values(&mut found);
        found
    }

    fn add_values(&self, to: &mut Vec<Values>) {
        match self {
            Self::Number(_) | Self::Enum(_) | Self::Bool | Self::Member(..) => to.push(Values::Unsigned),
            Self::Signed(_) => to.push(Values::Signed),
            Self::Translated(_, values, _) => to.push(values.clone()),
            Self::Struct(members, _) => members.iter().for_each(|(_, shape)| shape.add_values(to)),
            Self::Header(fields) => {
                to.push(Values::Unsigned);
                to.extend(fields.iter().map(|(.., is_signed)| Values::with_sign(*is_signed)));
            }
        }
    }

    /// Returns the labels of a value's numbers that are not plain numbers: `true`, `false`, members
    /// of enumerations, errors, negative numbers, texts.
    pub fn labels(&self, numbers: &[Bits]) -> Vec<Option<String>> {
        let mut found = Vec::new();
        self.add_labels(&mut numbers.iter(), &mut found);
        found
    }

    fn add_labels<'n>(&self, numbers: &mut impl Iterator<Item = &'n Bits>, to: &mut Vec<Option<String>>) {
        let signed = |number: &Bits| number.to_signed().to_string();
        match self {
            Self::Number(_) | Self::Enum(_) => to.extend(numbers.next().map(|_| None)),
            Self::Signed(_) => to.extend(numbers.next().map(|number| Some(signed(number)))),
            Self::Translated(_, values, _) => to.extend(numbers.next().map(|number| {
                let is_text = *values == Values::Texts;
                is_text.then(|| String::from_utf8_lossy(&bytes_of_text(number)).into_owned())
            })),
            Self::Bool => to.extend(numbers.next().map(|number| Some(number.is_true().to_string()))),
            Self::Member(of, _, members) => {
                to.extend(numbers.next().map(|number| {
                    members.get(number.low_u64() as usize).map(|member| format!("{of}.{member}"))
                }));
            }
            Self::Struct(members, _) => {
                members.iter().for_each(|(_, shape)| shape.add_labels(numbers, to));
            }
            Self::Header(fields) => {
                to.extend(numbers.next().map(|_| None));
                for (.., is_signed) in fields {
                    to.extend(numbers.next().map(|number| is_signed.then(|| signed(number))));
                }
            }
        }
    }

    /// Returns the numbers of a value of this type, in order; missing ones are 0.
    ///
    /// # Errors
    /// The value has a text that stands for an unknown number.
    pub fn read(&self, data: Option<&P4Data>) -> Result<Vec<Bits>, String> {
        let mut numbers = Vec::new();
        self.read_into(data.and_then(|data| data.data.as_ref()), &mut numbers)?;
        Ok(numbers)
    }

    fn read_into(&self, data: Option<&p4_data::Data>, to: &mut Vec<Bits>) -> Result<(), String> {
        use p4_data::Data;
        match self {
            Self::Number(width) | Self::Enum(width) => to.push(match data {
                Some(Data::Bitstring(bytes) | Data::EnumValue(bytes)) => Bits::from_be_bytes(*width, bytes),
                _ => Bits::zero(*width),
            }),
            Self::Signed(width) => to.push(match data {
                Some(Data::Bitstring(bytes)) => signed(*width, bytes),
                _ => Bits::zero(*width),
            }),
            Self::Translated(width, values, form) => to.push(match data {
                Some(Data::Bitstring(bytes)) => texts::read(bytes, *width, values, *form)?,
                _ => Bits::zero(*width),
            }),
            Self::Member(_, _, members) => {
                let place = |name| members.iter().position(|member| member == name).unwrap_or(members.len());
                to.push(match data {
                    Some(Data::Enum(name) | Data::Error(name)) => Bits::new(MEMBER_BITS, place(name) as u128),
                    _ => Bits::zero(MEMBER_BITS),
                });
            }
            Self::Bool => to.push(Bits::bool(matches!(data, Some(Data::Bool(true))))),
            Self::Struct(members, _) => {
                let values: &[P4Data] = match data {
                    Some(Data::Struct(values) | Data::Tuple(values)) => &values.members,
                    _ => &[],
                };
                for (at, (_, shape)) in members.iter().enumerate() {
                    shape.read_into(values.get(at).and_then(|value| value.data.as_ref()), to)?;
                }
            }
            Self::Header(fields) => {
                let values: &[Vec<u8>] = match data {
                    Some(Data::Header(header)) => &header.bitstrings,
                    _ => &[],
                };
                to.push(Bits::bool(matches!(data, Some(Data::Header(header)) if header.is_valid)));
                let bytes = |at: usize| values.get(at).map_or(&[][..], Vec::as_slice);
                let number = |(at, (_, width, is_signed)): (usize, &(String, u32, bool))| match is_signed {
                    true => signed(*width, bytes(at)),
                    false => Bits::from_be_bytes(*width, bytes(at)),
                };
                to.extend(fields.iter().enumerate().map(number));
            }
        }
        Ok(())
    }

    /// Makes a value of this type from its numbers in order.
    pub fn write(&self, numbers: &mut impl Iterator<Item = Bits>) -> P4Data {
        use p4_data::Data;
        let mut next = |width: u32| numbers.next().unwrap_or_else(|| Bits::zero(width));
        let data = match self {
            Self::Number(width) => Data::Bitstring(shortest(&next(*width))),
            Self::Signed(width) => Data::Bitstring(shortest_signed(&next(*width))),
            Self::Translated(width, values, form) => {
                Data::Bitstring(texts::encode_value(&next(*width), values, *form))
            }
            Self::Enum(width) => Data::EnumValue(shortest(&next(*width))),
            Self::Member(_, is_error, members) => {
                let place = next(MEMBER_BITS).low_u64() as usize;
                let name = members.get(place).cloned().unwrap_or_default();
                if *is_error { Data::Error(name) } else { Data::Enum(name) }
            }
            Self::Bool => Data::Bool(next(1).is_true()),
            Self::Struct(members, is_tuple) => {
                let members = members.iter().map(|(_, shape)| shape.write(numbers)).collect();
                let value = P4StructLike { members };
                if *is_tuple { Data::Tuple(value) } else { Data::Struct(value) }
            }
            Self::Header(fields) => {
                let is_valid = next(1).is_true();
                let mut field = |(_, width, is_signed): &(String, u32, bool)| match is_signed {
                    true => shortest_signed(&next(*width)),
                    false => shortest(&next(*width)),
                };
                let bitstrings: Vec<_> = fields.iter().map(&mut field).collect();
                let bitstrings = if is_valid { bitstrings } else { Vec::new() };
                Data::Header(P4Header { is_valid, bitstrings })
            }
        };
        P4Data { data: Some(data) }
    }
}

/// Returns the width of a bit string type; for a varbit, the maximum width.
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

fn is_signed(bits: &P4BitstringLikeTypeSpec) -> bool {
    matches!(bits.type_spec, Some(p4_bitstring_like_type_spec::TypeSpec::Int(_)))
}
