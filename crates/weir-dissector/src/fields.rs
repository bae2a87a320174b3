//! Translates fields of headers to fields of Wireshark.

use weir_ir::{
    Annotation, AnnotationForm, AnnotationValue, DataType, DeclaredKind, DeclaredTypeId, HeaderField,
    HeaderType, Program, Type,
};

use crate::lua::quoted;

/// The widths of the fields of protocols that Wireshark knows. The name precedes the addresses
/// among the fields.
const LAYOUTS: &[(&str, &[u32])] = &[
    ("eth", &[48, 48, 16]),
    ("arp", &[16, 16, 8, 8, 16, 48, 32, 48, 32]),
    ("ip", &[4, 4, 8, 16, 16, 3, 13, 8, 8, 16, 32, 32]),
    ("ip", &[4, 4, 6, 2, 16, 16, 3, 13, 8, 8, 16, 32, 32]),
    ("ip", &[4, 4, 8, 16, 16, 1, 1, 1, 13, 8, 8, 16, 32, 32]),
    ("ip", &[4, 4, 6, 2, 16, 16, 1, 1, 1, 13, 8, 8, 16, 32, 32]),
    ("ipv6", &[4, 8, 20, 16, 8, 8, 128, 128]),
    ("ipv6", &[4, 6, 2, 20, 16, 8, 8, 128, 128]),
];

/// Returns the protocol that has a header of this layout. IPv4's options may follow as a varbit.
pub(crate) fn protocol(ty: &HeaderType) -> Option<&'static str> {
    let is_varbit = |field: &HeaderField| matches!(field.ty, Type::Varbit { .. });
    let options = ty.fields.last().is_some_and(is_varbit);
    let fixed = &ty.fields[..ty.fields.len() - usize::from(options)];
    let widths: Vec<u32> = fixed.iter().map(|field| field.ty.width()).collect();
    if fixed.iter().any(is_varbit) {
        return None;
    }
    let layout_of_protocol =
        LAYOUTS.iter().find(|(name, layout)| *layout == widths && (!options || *name == "ip"));
    layout_of_protocol.map(|(name, _)| *name)
}

/// How a field is shown: its kind in `runtime.lua`, and the function of `ProtoField`.
struct Shown {
    kind: &'static str,
    function: &'static str,
    arguments: String,
}

/// Writes a field as a table in Lua. `filter` is the field's name in display filters.
pub(crate) fn field(program: &Program, ty: &HeaderType, field: &HeaderField, filter: &str) -> String {
    let Shown { kind, function, arguments } = shown(program, ty, field);
    let (label, filter) = (quoted(&field.name), quoted(filter));
    let width = field.ty.width();
    format!(
        "{{ label = {label}, width = {width}, kind = \"{kind}\", field = declare(ProtoField.{function}({filter}, {label}{arguments})) }}"
    )
}

/// Chooses how a field is shown, by its type.
fn shown(program: &Program, ty: &HeaderType, field: &HeaderField) -> Shown {
    let make = |kind, function, arguments: &str| Shown { kind, function, arguments: arguments.to_owned() };
    let width = field.ty.width();
    match field.ty {
        Type::Bool => make("bool", "bool", ""),
        Type::Varbit { .. } => make("varbit", "bytes", ""),
        Type::Bits { signed: true, .. } if (1..=64).contains(&width) => {
            make("signed", sized("int8", "int16", "int24", "int32", "int64", width), ", base.DEC")
        }
        _ => match (width, address(ty, field)) {
            (_, Some(function)) => make("whole", function, ""),
            (1..=32, None) => match names(program, field.declared) {
                Some(names) => make(
                    "unsigned",
                    sized("uint8", "uint16", "uint24", "uint32", "", width),
                    &format!(", base.DEC_HEX, {names}"),
                ),
                None => make(
                    "unsigned",
                    sized("uint8", "uint16", "uint24", "uint32", "", width),
                    ", base.DEC_HEX",
                ),
            },
            (33..=64, None) => make("unsigned", "uint64", ", base.DEC_HEX"),
            _ => make("whole", "bytes", ""),
        },
    }
}

/// Chooses one of five texts by the width of a field in bits.
fn sized<'s>(
    to_8: &'s str,
    to_16: &'s str,
    to_24: &'s str,
    to_32: &'s str,
    more: &'s str,
    width: u32,
) -> &'s str {
    match width {
        ..=8 => to_8,
        9..=16 => to_16,
        17..=24 => to_24,
        25..=32 => to_32,
        _ => more,
    }
}

/// Returns the kind of address that a field is: by P4Runtime's `@format`, or by the header's
/// layout.
fn address(ty: &HeaderType, field: &HeaderField) -> Option<&'static str> {
    let width = field.ty.width();
    let format = field.annotations.iter().find(|annotation| annotation.name == "format").map(text);
    match (width, format.as_deref(), protocol(ty)) {
        (48, Some("MAC_ADDRESS"), _) | (48, None, Some("eth" | "arp")) => Some("ether"),
        (32, Some("IPV4_ADDRESS"), _) | (32, None, Some("ip" | "arp")) => Some("ipv4"),
        (128, Some("IPV6_ADDRESS"), _) | (128, None, Some("ipv6")) => Some("ipv6"),
        _ => None,
    }
}

/// Returns the text that an annotation contains.
fn text(annotation: &Annotation) -> String {
    if let AnnotationForm::Unstructured(body) = &annotation.form {
        return body.trim_matches(['"', ' ']).to_owned();
    }
    match annotation.args.first().map(|arg| &arg.value) {
        Some(AnnotationValue::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// Writes the names of an enumeration's values as a table in Lua.
fn names(program: &Program, declared: Option<DeclaredTypeId>) -> Option<String> {
    match &program.declared[declared?].kind {
        DeclaredKind::New(DataType::Named(inner)) => names(program, Some(*inner)),
        DeclaredKind::Serializable { members, .. } => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("[{value}] = {}", quoted(name))).collect();
            (!members.is_empty()).then(|| format!("{{ {} }}", members.join(", ")))
        }
        _ => None,
    }
}
