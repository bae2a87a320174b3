//! `log_msg`: writes a line of text, with values in place of `{}`.

use weir_exec::FrameValue;
use weir_ir::declared::data_types;
use weir_ir::visit::extern_calls;
use weir_ir::{ArgValue, DataType, DeclaredKind, DeclaredMember, ExternCall, Leaf, Loc, Program};

use super::{Call, Extern, Site, V1Model};
use crate::error::{LoadError, LoadWarning};
use crate::path::ResolvedCall;

pub(super) struct LogMsg;

/// The function's name.
const CALLEE: &str = "log_msg";

impl Extern<V1Model> for LogMsg {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks(CALLEE)] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let pieces = pieces(text(site.call));
        let mut leaves = site.frame.args.get(1).into_iter().flatten().copied();
        let values: Vec<ShownValue> = elements(site.program, site.call)
            .iter()
            .map(|ty| ShownValue::from_leaves(site.program, ty, &mut leaves))
            .collect();
        Ok(ResolvedCall::new(move |env, words| {
            env.log(filled_in(&pieces, values.iter().map(|value| value.text(words))));
            Ok(())
        }))
    }

    fn warnings(&self, program: &Program) -> Vec<LoadWarning> {
        mismatches(program)
    }
}

/// Returns the text of a call, with its placeholders.
fn text(call: &ExternCall) -> &str {
    match call.args.first().map(|arg| &arg.value) {
        Some(ArgValue::Text(text)) => text,
        _ => "",
    }
}

/// Returns the types of the values for the placeholders of a call: the elements of a list or tuple,
/// the members of a struct, or the fields of a header.
fn elements(program: &Program, call: &ExternCall) -> Vec<DataType> {
    if call.args.len() < 2 {
        return Vec::new();
    }
    let mut types = data_types(&call.declared, &call.type_args);
    if types.is_empty() {
        types = leaves(program, call);
    }
    if types.len() != 1 {
        return types;
    }
    match types.remove(0) {
        DataType::Tuple(members) => members,
        DataType::Named(id) => match &program.declared[id].kind {
            DeclaredKind::Struct(members) | DeclaredKind::Header(members) => {
                members.iter().map(|member| member.ty.clone()).collect()
            }
            _ => vec![DataType::Named(id)],
        },
        other => vec![other],
    }
}

/// Returns the types of the values of a call that has no type arguments.
fn leaves(program: &Program, call: &ExternCall) -> Vec<DataType> {
    let Some(ArgValue::Leaves(leaves)) = call.args.get(1).map(|arg| &arg.value) else { return Vec::new() };
    let types = leaves.iter().flat_map(|leaf| match leaf {
        Leaf::Value(value) => vec![value.ty],
        Leaf::Header(header) => {
            program.headers[*header].fields.iter().map(|field| program.vars[*field].ty).collect()
        }
    });
    types.map(DataType::Scalar).collect()
}

/// Warns of calls whose text has more or fewer placeholders than values.
fn mismatches(program: &Program) -> Vec<LoadWarning> {
    let mut warnings = Vec::new();
    let calls = extern_calls(program);
    for (call, loc) in calls.iter().filter(|(call, _)| call.callee == CALLEE && call.instance.is_none()) {
        let places = pieces(text(call)).len() - 1;
        let values = elements(program, call).len();
        if places != values {
            warnings.push((loc.file, loc.line, loc.column, mismatch(program, *loc, places, values)));
        }
    }
    // The compiler may have made copies of a call.
    warnings.sort_by_key(|(file, line, column, _)| (*file, *line, *column));
    warnings.dedup_by_key(|(file, line, column, _)| (*file, *line, *column));
    warnings.into_iter().map(|(.., warning)| warning).collect()
}

/// Creates the warning of a call whose numbers of placeholders and of values differ.
fn mismatch(program: &Program, loc: Loc, places: usize, values: usize) -> LoadWarning {
    let (ignored, help) = if places < values {
        ("the other values are not shown", "a placeholder is `{}`; write `\\{` and `\\}` for other braces")
    } else {
        (
            "the other placeholders stay `{}`",
            "give a value for each placeholder, as in `log_msg(\"{} {}\", {a, b})`",
        )
    };
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let (places, values) = (count(places, "placeholder"), count(values, "value"));
    let message = format!("the text of `log_msg` has {places}, but the call has {values}: {ignored}");
    LoadWarning::new(program, LoadWarning::LOG_PLACES, loc, message, help.to_owned())
}

/// Returns the parts of a text between its placeholders. A placeholder is a pair of braces with its
/// contents. Braces after a backslash are ordinary characters.
fn pieces(text: &str) -> Vec<String> {
    let (mut pieces, mut piece) = (Vec::new(), String::new());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if matches!(letters.peek(), Some('{' | '}')) => piece.extend(letters.next()),
            '{' => {
                let mut inside = letters.clone();
                let length = inside.by_ref().take_while(|letter| *letter != '}').count();
                if letters.clone().nth(length) == Some('}') {
                    letters = inside;
                    pieces.push(std::mem::take(&mut piece));
                } else {
                    piece.push(letter);
                }
            }
            other => piece.push(other),
        }
    }
    pieces.push(piece);
    pieces
}

/// Puts values in place of the placeholders of a text. Placeholders without a value stay, and
/// values without a placeholder are left out.
fn filled_in(pieces: &[String], mut values: impl Iterator<Item = String>) -> String {
    let mut line = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 {
            line += &values.next().unwrap_or_else(|| "{}".to_owned());
        }
        line += piece;
    }
    line
}

/// A value as a line shows it. Its leaves say where their numbers are in the call's frame.
enum ShownValue {
    /// A number in decimal, also for `bool`, enums and errors, as in `simple_switch`.
    Number(Option<FrameValue>, bool),
    /// Several values in brackets, with the names of those that have one.
    Several(Vec<(String, ShownValue)>),
    /// A header with its fields.
    Header(Vec<(String, ShownValue)>),
}

impl ShownValue {
    fn from_leaves(program: &Program, ty: &DataType, leaves: &mut dyn Iterator<Item = FrameValue>) -> Self {
        match ty {
            DataType::Scalar(ty) => Self::Number(leaves.next(), ty.is_signed()),
            DataType::Tuple(members) => {
                let parts =
                    members.iter().map(|member| (String::new(), Self::from_leaves(program, member, leaves)));
                Self::Several(parts.collect())
            }
            DataType::Stack { element, size } => {
                let parts = (0..*size).map(|_| (String::new(), Self::from_leaves(program, element, leaves)));
                Self::Several(parts.collect())
            }
            DataType::Named(id) => {
                let mut named = |members: &[DeclaredMember]| {
                    let part = |member: &DeclaredMember| {
                        (member.name.clone(), Self::from_leaves(program, &member.ty, leaves))
                    };
                    members.iter().map(part).collect::<Vec<_>>()
                };
                match &program.declared[*id].kind {
                    DeclaredKind::New(underlying) => Self::from_leaves(program, underlying, leaves),
                    DeclaredKind::Enum(_) => Self::Number(leaves.next(), false),
                    DeclaredKind::Serializable { underlying, .. } => {
                        Self::Number(leaves.next(), underlying.is_signed())
                    }
                    DeclaredKind::Struct(members) | DeclaredKind::Union(members) => {
                        Self::Several(named(members))
                    }
                    DeclaredKind::Header(members) => Self::Header(named(members)),
                }
            }
        }
    }

    fn text(&self, words: &[u64]) -> String {
        let several = |members: &[(String, Self)]| {
            let text = |(name, value): &(String, Self)| match name.as_str() {
                "" => value.text(words),
                name => format!("{name}:{}", value.text(words)),
            };
            format!("({})", members.iter().map(text).collect::<Vec<_>>().join(","))
        };
        match self {
            Self::Number(Some(value), _) if !value.is_present(words) => "0".to_owned(),
            Self::Number(Some(value), true) => value.read(words).to_signed().to_string(),
            Self::Number(Some(value), false) => value.read(words).to_string(),
            Self::Number(None, _) => "0".to_owned(),
            Self::Several(members) => several(members),
            Self::Header(_) if !self.is_present(words) => "(invalid)".to_owned(),
            Self::Header(fields) => several(fields),
        }
    }

    /// Returns whether the value is present. Parts of an invalid header are not.
    fn is_present(&self, words: &[u64]) -> bool {
        match self {
            Self::Number(value, _) => value.is_none_or(|value| value.is_present(words)),
            Self::Several(members) | Self::Header(members) => {
                members.first().is_none_or(|(_, first)| first.is_present(words))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str, values: &[&str]) -> String {
        filled_in(&pieces(text), values.iter().map(ToString::to_string))
    }

    #[test]
    fn values_replace_placeholders_in_order() {
        assert_eq!(fill("a {} b {} c {}", &["7", "9"]), "a 7 b 9 c {}");
        assert_eq!(fill("no place", &["7"]), "no place");
        assert_eq!(fill("{}{x} \\{ \\} {0}", &["7", "8", "9"]), "78 { } 9");
        assert_eq!(fill("open { and \\x", &["7"]), "open { and \\x");
    }
}
