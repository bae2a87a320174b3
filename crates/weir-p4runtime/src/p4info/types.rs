//! Makes the P4Info of the types that controllers see by name.

use std::collections::BTreeSet;

use weir_ir::{
    Annotation, AnnotationForm, DataType, DeclaredKind, DeclaredMember, DeclaredTypeId, Program, Type,
};
use weir_switch::p4info::{MAPPINGS, ObjectKind, P4Info as Facts, P4InfoError, Part, Source, TextNames};

use super::annotations::annotation_messages;
use crate::proto::config::p4_bitstring_like_type_spec::TypeSpec as Bits;
use crate::proto::config::p4_data_type_spec::TypeSpec;
use crate::proto::config::p4_new_type_spec::Representation;
use crate::proto::config::p4_new_type_translation::{SdnString, SdnType};
use crate::proto::config::{
    P4BitTypeSpec, P4BitstringLikeTypeSpec, P4BoolType, P4DataTypeSpec, P4EnumTypeSpec, P4ErrorType,
    P4ErrorTypeSpec, P4HeaderStackTypeSpec, P4HeaderTypeSpec, P4HeaderUnionStackTypeSpec,
    P4HeaderUnionTypeSpec, P4IntTypeSpec, P4NamedType, P4NewTypeSpec, P4NewTypeTranslation,
    P4SerializableEnumTypeSpec, P4StructTypeSpec, P4TupleTypeSpec, P4TypeInfo, P4VarbitTypeSpec,
    p4_enum_type_spec, p4_header_type_spec, p4_header_union_type_spec, p4_serializable_enum_type_spec,
    p4_struct_type_spec,
};

/// The annotation of types that controllers see as other types.
const TRANSLATION: &str = "p4runtime_translation";

pub(super) fn named_type(name: &str) -> P4NamedType {
    P4NamedType { name: name.to_owned() }
}

/// Returns the name of the newtype or enumeration in a part's declaration. For a serializable enum,
/// returns `None`, because controllers see its number.
pub(super) fn type_name(program: &Program, declared: Option<DeclaredTypeId>) -> Option<P4NamedType> {
    let declared = &program.declared[declared?];
    match declared.kind {
        DeclaredKind::New(_) | DeclaredKind::Enum(_) => Some(named_type(&declared.name)),
        _ => None,
    }
}

/// Returns the width of a part as controllers see it, in bits. For a translated type, this is the
/// width that controllers use. The width is 0 for types translated to text, and for enumerations
/// and errors, which have names.
pub(super) fn bitwidth(program: &Program, part: &Part) -> i32 {
    let Some(declared) = part.declared.map(|id| &program.declared[id]) else {
        return part.width.cast_signed();
    };
    match (translation(&declared.annotations), &declared.kind) {
        (Some(translation), DeclaredKind::New(_)) => match translation.sdn_type {
            Some(SdnType::SdnBitwidth(width)) => width,
            _ => 0,
        },
        (_, DeclaredKind::Enum(_)) => 0,
        _ => part.width.cast_signed(),
    }
}

/// Reads `@p4runtime_translation("uri", 32)`, `(…, bit<32>)` or `(…, string)`.
fn translation(annotations: &[Annotation]) -> Option<P4NewTypeTranslation> {
    let annotation = annotations.iter().find(|annotation| annotation.name == TRANSLATION)?;
    let AnnotationForm::Unstructured(body) = &annotation.form else { return None };
    let (uri, to) = body.rsplit_once(" , ")?;
    let sdn_type = match to {
        "string" => SdnType::SdnString(SdnString {}),
        "bit" => SdnType::SdnBitwidth(1),
        other => {
            let number = other.strip_prefix("bit <").and_then(|rest| rest.strip_suffix('>')).unwrap_or(other);
            SdnType::SdnBitwidth(integer(number.trim()).filter(|width| *width > 0)?)
        }
    };
    let uri = uri.strip_prefix('"')?.strip_suffix('"')?.replace("\\\"", "\"").replace("\\\\", "\\");
    Some(P4NewTypeTranslation { uri, sdn_type: Some(sdn_type) })
}

/// Parses an integer literal of P4, such as `32`, `8w0x20` or `0b10_0000`.
fn integer(text: &str) -> Option<i32> {
    let text = text.replace('_', "").to_lowercase();
    let digits = text.split_once(['w', 's']).map_or(text.as_str(), |(_, digits)| digits);
    let radices = [("0x", 16), ("0b", 2), ("0o", 8), ("0d", 10)];
    let (digits, radix) = radices
        .iter()
        .find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, *radix)))
        .unwrap_or((digits, 10));
    i32::from_str_radix(digits, radix).ok()
}

/// Describes all types that objects name, and the types within them.
pub(super) fn type_info(program: &Program, facts: &Facts) -> Result<Option<P4TypeInfo>, Vec<P4InfoError>> {
    let mut collector =
        Collector { program, info: P4TypeInfo::default(), seen: BTreeSet::new(), errors: Vec::new() };
    for object in &facts.objects {
        if object.kind == ObjectKind::ValueSet {
            continue;
        }
        let kinds: Vec<&str> = match object.source {
            Source::Table(id) => program.tables[id].keys.iter().map(|key| key.match_kind.as_str()).collect(),
            _ => Vec::new(),
        };
        for (position, part) in object.parts.iter().enumerate() {
            if kinds.get(position).is_none_or(|kind| *kind != "selector") {
                part.declared.iter().for_each(|id| collector.collect_named(*id));
            }
        }
        let sent = matches!(object.kind, ObjectKind::Register | ObjectKind::Digest);
        object.data.iter().filter(|_| sent).for_each(|data| collector.data(data));
        object.index.iter().for_each(|data| collector.data(data));
    }
    let Collector { info, errors, .. } = collector;
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok((info != P4TypeInfo::default()).then_some(info))
}

struct Collector<'a> {
    program: &'a Program,
    info: P4TypeInfo,
    seen: BTreeSet<DeclaredTypeId>,
    errors: Vec<P4InfoError>,
}

impl Collector<'_> {
    fn data(&mut self, data: &DataType) {
        match data {
            DataType::Scalar(Type::Error) => {
                self.info.error = Some(P4ErrorTypeSpec { members: self.program.errors.clone() });
            }
            DataType::Scalar(_) => {}
            DataType::Named(id) => self.collect_named(*id),
            DataType::Tuple(members) => members.iter().for_each(|member| self.data(member)),
            DataType::Stack { element, .. } => self.data(element),
        }
    }

    fn collect_named(&mut self, id: DeclaredTypeId) {
        if !self.seen.insert(id) {
            return;
        }
        let program = self.program;
        let declared = &program.declared[id];
        let name = declared.name.clone();
        match &declared.kind {
            DeclaredKind::New(of) => {
                let spec = self.new_type(id, of);
                self.info.new_types.insert(name, spec);
            }
            DeclaredKind::Enum(id) => {
                let member = |name: &String| p4_enum_type_spec::Member {
                    name: name.clone(),
                    ..p4_enum_type_spec::Member::default()
                };
                let members = program.enums[*id].members.iter().map(member).collect();
                self.info.enums.insert(name, P4EnumTypeSpec { members, ..P4EnumTypeSpec::default() });
            }
            DeclaredKind::Serializable { underlying, members } => {
                let width = underlying.width();
                let members = members.iter().map(|(name, value)| p4_serializable_enum_type_spec::Member {
                    name: name.clone(),
                    value: weir_ir::Bits::wrap(width, value.clone()).to_be_bytes(),
                    ..p4_serializable_enum_type_spec::Member::default()
                });
                let spec = P4SerializableEnumTypeSpec {
                    underlying_type: Some(P4BitTypeSpec { bitwidth: underlying.width().cast_signed() }),
                    members: members.collect(),
                    ..P4SerializableEnumTypeSpec::default()
                };
                self.info.serializable_enums.insert(name, spec);
            }
            DeclaredKind::Struct(members) => {
                let member = |member: &DeclaredMember| p4_struct_type_spec::Member {
                    name: member.name.clone(),
                    type_spec: Some(type_spec(program, &member.ty)),
                };
                let spec = P4StructTypeSpec {
                    members: members.iter().map(member).collect(),
                    ..P4StructTypeSpec::default()
                };
                self.info.structs.insert(name, spec);
                members.iter().for_each(|member| self.data(&member.ty));
            }
            DeclaredKind::Header(fields) => {
                let mut members = Vec::new();
                fields.iter().for_each(|field| header_members(program, "", field, &mut members));
                let spec = P4HeaderTypeSpec { members, ..P4HeaderTypeSpec::default() };
                self.info.headers.insert(name, spec);
            }
            DeclaredKind::Union(members) => {
                let member = |member: &DeclaredMember| p4_header_union_type_spec::Member {
                    name: member.name.clone(),
                    header: named_of(program, &member.ty),
                };
                let spec = P4HeaderUnionTypeSpec {
                    members: members.iter().map(member).collect(),
                    ..P4HeaderUnionTypeSpec::default()
                };
                self.info.header_unions.insert(name, spec);
                members.iter().for_each(|member| self.data(&member.ty));
            }
        }
    }

    /// Makes the message for a newtype. It contains the type that controllers see in place of the
    /// newtype, or the underlying type of all nested newtypes.
    fn new_type(&mut self, id: DeclaredTypeId, ty: &DataType) -> P4NewTypeSpec {
        let program = self.program;
        let declared = &program.declared[id];
        let (annotations, structured_annotations) =
            annotation_messages(&declared.annotations, &[TRANSLATION]);
        let mut under = ty;
        while let DataType::Named(id) = under
            && let DeclaredKind::New(ty) = &program.declared[*id].kind
        {
            under = ty;
        }
        let representation = match translation(&declared.annotations) {
            Some(translation) => {
                if !matches!(program.scalar(ty), Some(Type::Bits { .. })) {
                    let problem = format!(
                        "the type `{}` with `@{TRANSLATION}` has no `bit<W>` under it, which P4Runtime requires: \
                         declare it as `type bit<W> {};`",
                        declared.name, declared.name
                    );
                    self.errors.push(P4InfoError::new(program, declared.loc, problem));
                }
                self.texts(id, program.scalar(ty).map_or(0, Type::width), &translation);
                Representation::TranslatedType(translation)
            }
            None => {
                if declared.annotations.iter().any(|annotation| annotation.name == TRANSLATION) {
                    let problem = format!(
                        "the width in `@{TRANSLATION}` of the type `{}` is out of range: expected 1 to {}",
                        declared.name,
                        i32::MAX
                    );
                    self.errors.push(P4InfoError::new(program, declared.loc, problem));
                }
                self.data(under);
                Representation::OriginalType(type_spec(program, under))
            }
        };
        P4NewTypeSpec {
            representation: Some(representation),
            annotations,
            structured_annotations,
            ..P4NewTypeSpec::default()
        }
    }
}

impl Collector<'_> {
    /// Checks the texts that stand for numbers of a translated type of `bits` bits.
    fn texts(&mut self, id: DeclaredTypeId, bits: u32, translation: &P4NewTypeTranslation) {
        let declared = &self.program.declared[id];
        let name = &declared.name;
        let problem = match TextNames::from_annotations(&declared.annotations) {
            Ok(None) => return,
            Err(problem) => format!("`@{MAPPINGS}` of the type `{name}`: {problem}"),
            Ok(Some(_)) if !matches!(translation.sdn_type, Some(SdnType::SdnString(_))) => format!(
                "`@{MAPPINGS}` of the type `{name}` has no effect: only types translated to `string` have texts"
            ),
            Ok(Some(names)) => {
                let mut names = names.iter();
                let wide = names.find(|(_, number)| bits < 64 && number >> bits != 0);
                let Some((text, number)) = wide else { return };
                format!(
                    "`@{MAPPINGS}` of the type `{name}`: the number {number} of \"{text}\" does not fit {bits} bits"
                )
            }
        };
        self.errors.push(P4InfoError::new(self.program, declared.loc, problem));
    }
}

/// Makes the message for a type. Types that have a name are referred to by name.
pub(super) fn type_spec(program: &Program, data: &DataType) -> P4DataTypeSpec {
    let spec = match data {
        DataType::Scalar(Type::Bool) => TypeSpec::Bool(P4BoolType {}),
        DataType::Scalar(Type::Error) => TypeSpec::Error(P4ErrorType {}),
        DataType::Scalar(scalar) => TypeSpec::Bitstring(bits(*scalar)),
        DataType::Named(id) => {
            let declared = &program.declared[*id];
            let name = named_type(&declared.name);
            match declared.kind {
                DeclaredKind::New(_) => TypeSpec::NewType(name),
                DeclaredKind::Enum(_) => TypeSpec::Enum(name),
                DeclaredKind::Serializable { .. } => TypeSpec::SerializableEnum(name),
                DeclaredKind::Struct(_) => TypeSpec::Struct(name),
                DeclaredKind::Header(_) => TypeSpec::Header(name),
                DeclaredKind::Union(_) => TypeSpec::HeaderUnion(name),
            }
        }
        DataType::Tuple(members) => TypeSpec::Tuple(P4TupleTypeSpec {
            members: members.iter().map(|member| type_spec(program, member)).collect(),
        }),
        DataType::Stack { element, size } => stack(program, element, *size),
    };
    P4DataTypeSpec { type_spec: Some(spec) }
}

/// Makes the message for a stack of headers or header unions. P4Info has no message for other
/// arrays, so they become tuples of their elements.
fn stack(program: &Program, element: &DataType, size: u32) -> TypeSpec {
    let kind = match element {
        DataType::Named(id) => Some(&program.declared[*id].kind),
        _ => None,
    };
    let count = size.cast_signed();
    match kind {
        Some(DeclaredKind::Header(_)) => {
            TypeSpec::HeaderStack(P4HeaderStackTypeSpec { header: named_of(program, element), size: count })
        }
        Some(DeclaredKind::Union(_)) => TypeSpec::HeaderUnionStack(P4HeaderUnionStackTypeSpec {
            header_union: named_of(program, element),
            size: count,
        }),
        _ => TypeSpec::Tuple(P4TupleTypeSpec { members: vec![type_spec(program, element); size as usize] }),
    }
}

fn named_of(program: &Program, data: &DataType) -> Option<P4NamedType> {
    match data {
        DataType::Named(id) => Some(named_type(&program.declared[*id].name)),
        _ => None,
    }
}

fn bits(ty: Type) -> P4BitstringLikeTypeSpec {
    let width = ty.width().cast_signed();
    let spec = match ty {
        Type::Varbit { .. } => Bits::Varbit(P4VarbitTypeSpec { max_bitwidth: width }),
        Type::Bits { signed: true, .. } => Bits::Int(P4IntTypeSpec { bitwidth: width }),
        _ => Bits::Bit(P4BitTypeSpec { bitwidth: width }),
    };
    P4BitstringLikeTypeSpec { type_spec: Some(spec), ..P4BitstringLikeTypeSpec::default() }
}

/// Adds the fields of a header as bits. Fields of nested structs have dotted names.
fn header_members(
    program: &Program,
    prefix: &str,
    field: &DeclaredMember,
    into: &mut Vec<p4_header_type_spec::Member>,
) {
    let name = if prefix.is_empty() { field.name.clone() } else { format!("{prefix}.{}", field.name) };
    if let Some(scalar) = program.scalar(&field.ty) {
        into.push(p4_header_type_spec::Member { name, type_spec: Some(bits(scalar)) });
    } else if let DataType::Named(id) = &field.ty
        && let DeclaredKind::Struct(members) = &program.declared[*id].kind
    {
        members.iter().for_each(|member| header_members(program, &name, member, into));
    }
}
