//! The forms in which people write the values of keys, parameters and register fields.

use std::sync::Arc;

use weir_ir::{
    Bits, DataType, DeclaredKind, DeclaredTypeId, ExternId, Keyset, Program, Transition, Type, ValueSetField,
    ValueSetId,
};

use crate::p4info::TextNames;

/// The form in which people write the values of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// A number without a sign.
    #[default]
    Unsigned,
    /// Numbers of an `int<W>`, in two's complement.
    Signed,
    /// Numbers for which controllers use names (`@p4runtime_translation_mappings`).
    Named(Arc<TextNames>),
    /// Texts that only a remote switch can translate to numbers. The value's
    /// bits are the bytes of the text in UTF-8, at most [`TEXT_BITS`].
    Texts,
}

/// The maximum number of bits of a value that is a text.
pub const TEXT_BITS: u32 = 8 * MAX_TEXT as u32;

/// The longest text in bytes.
const MAX_TEXT: usize = 1024;

/// Converts a text to a value; `None` if the text is too long or starts with the character 0.
pub fn bits_of_text(text: &str) -> Option<Bits> {
    let fits = text.len() <= MAX_TEXT && !text.starts_with('\0');
    fits.then(|| Bits::from_be_bytes(TEXT_BITS, text.as_bytes()))
}

/// Returns the bytes of a value that contains text.
pub fn bytes_of_text(value: &Bits) -> Vec<u8> {
    value.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect()
}

impl Values {
    /// Returns the form in which people write the values of a type, which may have a declared name.
    pub(crate) fn for_type(program: &Program, ty: Type, declared: Option<DeclaredTypeId>) -> Self {
        let names = declared
            .and_then(|id| TextNames::from_annotations(&program.declared[id].annotations).ok().flatten());
        match names {
            Some(names) => Self::Named(Arc::new(names)),
            None => Self::with_sign(ty.is_signed()),
        }
    }

    /// Returns the form in which people write the values of a type without a declared name.
    pub fn with_sign(signed: bool) -> Self {
        if signed { Self::Signed } else { Self::Unsigned }
    }

    /// Returns whether the values have a sign.
    pub fn has_sign(&self) -> bool {
        *self == Self::Signed
    }
}

/// Returns the forms in which people write the fields of a register's cells.
pub(super) fn of_register(program: &Program, register: ExternId, fields: usize) -> Vec<Values> {
    let object = &program.externs[register];
    let mut values = Vec::new();
    match (object.declared.first(), object.type_args.first()) {
        (Some(data), _) => add(program, data, &mut values),
        (None, Some(ty)) => values.push(Values::with_sign(ty.is_signed())),
        (None, None) => {}
    }
    if values.len() == fields { values } else { vec![Values::Unsigned; fields] }
}

/// Adds the forms of all values that data consist of, in order. The validity bit of a header comes
/// before its fields.
fn add(program: &Program, data: &DataType, found: &mut Vec<Values>) {
    match data {
        DataType::Scalar(ty) => found.push(Values::with_sign(ty.is_signed())),
        DataType::Tuple(members) => members.iter().for_each(|member| add(program, member, found)),
        DataType::Stack { element, size } => (0..*size).for_each(|_| add(program, element, found)),
        DataType::Named(id) => match &program.declared[*id].kind {
            DeclaredKind::New(of) => match program.scalar(of) {
                Some(ty) => found.push(Values::for_type(program, ty, Some(*id))),
                None => add(program, of, found),
            },
            DeclaredKind::Enum(_) => found.push(Values::Unsigned),
            DeclaredKind::Serializable { underlying, .. } => {
                found.push(Values::with_sign(underlying.is_signed()));
            }
            DeclaredKind::Struct(members) | DeclaredKind::Union(members) => {
                members.iter().for_each(|member| add(program, &member.ty, found));
            }
            DeclaredKind::Header(members) => {
                found.push(Values::Unsigned);
                members.iter().for_each(|member| add(program, &member.ty, found));
            }
        },
    }
}

/// Returns the fields of a register with the names of their declaration, if each field has a
/// declared name. Calls that read or write a register may use values without names.
pub(super) fn fields_of_register(
    program: &Program,
    register: ExternId,
    fields: &[(String, u32)],
) -> Vec<(String, u32)> {
    let mut names = Vec::new();
    let declared = program.externs[register].declared.first();
    let named = declared.and_then(|data| add_names(program, data, "", &mut names));
    if named.is_none() || names.len() != fields.len() {
        return fields.to_vec();
    }
    names.into_iter().zip(fields).map(|(name, (_, width))| (name, *width)).collect()
}

/// Adds the names of all values that data consist of, in order.
fn add_names(program: &Program, data: &DataType, name: &str, found: &mut Vec<String>) -> Option<()> {
    let inner = |member: &str| if name.is_empty() { member.to_owned() } else { format!("{name}.{member}") };
    match data {
        DataType::Scalar(_) => found.push(name.to_owned()),
        DataType::Tuple(_) | DataType::Stack { .. } => return None,
        DataType::Named(id) => match &program.declared[*id].kind {
            DeclaredKind::New(of) => add_names(program, of, name, found)?,
            DeclaredKind::Enum(_) | DeclaredKind::Serializable { .. } => found.push(name.to_owned()),
            DeclaredKind::Struct(members) => {
                members.iter().try_for_each(|one| add_names(program, &one.ty, &inner(&one.name), found))?;
            }
            DeclaredKind::Header(_) | DeclaredKind::Union(_) => return None,
        },
    }
    Some(())
}

/// Returns the forms in which people write the fields of a value set's members. The forms are those
/// of the expressions that are compared with the value set.
pub(super) fn of_set(program: &Program, set: ValueSetId) -> Vec<Values> {
    let fields = &program.value_sets[set].fields;
    let is_set = |keyset: &Keyset| matches!(keyset, Keyset::Set(id) if *id == set);
    let types = program.parsers.values().flat_map(|parser| parser.states.values()).find_map(|state| {
        let Transition::Select { keys, cases, .. } = &state.transition else { return None };
        let first = cases.iter().find_map(|case| case.keysets.iter().position(is_set))?;
        Some(keys.iter().skip(first).map(|key| key.ty).collect::<Vec<_>>())
    });
    let types = types.unwrap_or_default();
    let unsigned = |width| Type::Bits { width, signed: false };
    let values = |(place, field): (usize, &ValueSetField)| {
        let ty = types.get(place).copied().unwrap_or(unsigned(field.width));
        Values::for_type(program, ty, field.declared)
    };
    fields.iter().enumerate().map(values).collect()
}
