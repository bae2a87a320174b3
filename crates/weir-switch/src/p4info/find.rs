//! The objects of a program, before they have ids.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use weir_ir::declared::data_types;
use weir_ir::{
    Annotation, AnnotationValue, DataType, DeclaredTypeId, ExternInstance, HeaderType, Id, Loc, Program,
};

use super::digests::Digest;
use super::listed::{Listed, Seen};
use super::{ObjectKind, Source};

/// An object before it has an id.
pub(super) struct Found<'a> {
    pub kind: ObjectKind,
    pub source: Source,
    pub name: &'a str,
    /// The name in the program, from which the id and the aliases of others follow.
    pub declared: &'a str,
    pub annotations: &'a [Annotation],
    pub data: Option<DataType>,
    pub parts: Vec<FoundPart<'a>>,
    pub loc: Loc,
    /// Whether controllers see it.
    pub listed: bool,
}

/// A part before it has an id.
pub(super) struct FoundPart<'a> {
    pub name: Cow<'a, str>,
    pub width: u32,
    pub declared: Option<DeclaredTypeId>,
    pub annotations: &'a [Annotation],
}

impl Found<'_> {
    pub(super) fn is_hidden(&self) -> bool {
        !self.listed || self.annotations.iter().any(|annotation| annotation.name == "hidden")
    }
}

/// The name of a key for controllers: the validity of a header is its field `$valid$`.
pub fn field_name(key: &str) -> Cow<'_, str> {
    match key.strip_suffix(".isValid()") {
        Some(header) => Cow::Owned(format!("{header}.$valid$")),
        None => Cow::Borrowed(key),
    }
}

/// The headers with `@controller_header`, with the annotation's name.
pub fn controller_headers(program: &Program) -> impl Iterator<Item = (Id<HeaderType>, &str)> {
    let types = program.header_types.iter();
    types.filter_map(|(id, header)| Some((id, first_text(&header.annotations, "controller_header")?)))
}

/// All objects by kind, then in the program's order.
pub(super) fn find<'a>(program: &'a Program, digests: &'a [Digest]) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    let listed = Listed::new(program);
    actions(program, &listed, &mut found);
    for (id, table) in program.tables.iter() {
        let parts = table.keys.iter().map(|key| FoundPart {
            name: field_name(&key.name),
            width: key.expr.ty.width(),
            declared: key.declared,
            annotations: &key.annotations,
        });
        found.push(Found {
            kind: ObjectKind::Table,
            source: Source::Table(id),
            name: &table.name,
            declared: &table.name,
            annotations: &table.annotations,
            data: None,
            parts: parts.collect(),
            loc: table.loc,
            listed: listed.table(id),
        });
    }
    for (id, set) in program.value_sets.iter() {
        let parts = set.fields.iter().map(|field| FoundPart {
            name: Cow::Borrowed(&field.name),
            width: field.width,
            declared: field.declared,
            annotations: &field.annotations,
        });
        found.push(Found {
            kind: ObjectKind::ValueSet,
            source: Source::ValueSet(id),
            name: &set.name,
            declared: &set.name,
            annotations: &set.annotations,
            data: None,
            parts: parts.collect(),
            loc: set.loc,
            listed: true,
        });
    }
    for (id, name) in controller_headers(program) {
        let header = &program.header_types[id];
        let parts = header.fields.iter().map(|field| FoundPart {
            name: Cow::Borrowed(&field.name),
            width: field.ty.width(),
            declared: field.declared,
            annotations: &field.annotations,
        });
        found.push(Found {
            kind: ObjectKind::ControllerHeader,
            source: Source::Header(id),
            name,
            declared: &header.name,
            annotations: &header.annotations,
            data: None,
            parts: parts.collect(),
            loc: Loc::NONE,
            listed: true,
        });
    }
    for (id, object) in program.externs.iter() {
        let Some(kind) = ObjectKind::of_extern(&object.kind) else { continue };
        found.push(Found {
            kind,
            source: Source::Extern(id),
            name: &object.name,
            declared: &object.name,
            annotations: &object.annotations,
            data: data(object),
            parts: Vec::new(),
            loc: object.loc,
            listed: true,
        });
    }
    for (number, digest) in digests.iter().enumerate() {
        found.push(Found {
            kind: ObjectKind::Digest,
            source: Source::Digest(number),
            name: &digest.name,
            declared: &digest.name,
            annotations: &[],
            data: Some(digest.data.clone()),
            parts: Vec::new(),
            loc: digest.loc,
            listed: true,
        });
    }
    found.sort_by_key(|object| object.kind);
    found
}

/// The first type argument of an extern object.
fn data(object: &ExternInstance) -> Option<DataType> {
    data_types(&object.declared, &object.type_args).into_iter().next()
}

/// The control plane sees actions with the same name as one action.
fn actions<'a>(program: &'a Program, listed: &Listed, found: &mut Vec<Found<'a>>) {
    let mut names = FxHashSet::default();
    for (id, action) in program.actions.iter() {
        let name = action.control_plane_name();
        if !names.insert(name) {
            continue;
        }
        let seen = listed.action(name);
        let params = if seen == Seen::ByName { &[] } else { action.params.as_slice() };
        let parts = params.iter().map(|param| FoundPart {
            name: Cow::Borrowed(&param.name),
            width: program.vars[param.var].ty.width(),
            declared: param.declared,
            annotations: &param.annotations,
        });
        found.push(Found {
            kind: ObjectKind::Action,
            source: Source::Action(id),
            name,
            declared: name,
            annotations: &action.annotations,
            data: None,
            parts: parts.collect(),
            loc: action.loc,
            listed: seen != Seen::Not,
        });
    }
    for (id, procedure) in program.procedures.iter() {
        let Some(action) = &procedure.action else { continue };
        if names.insert(action.name.as_str()) {
            found.push(Found {
                kind: ObjectKind::Action,
                source: Source::CalledAction(id),
                name: &action.name,
                declared: &action.name,
                annotations: &action.annotations,
                data: None,
                parts: Vec::new(),
                loc: procedure.loc,
                listed: listed.action(&action.name) != Seen::Not,
            });
        }
    }
}

/// The text that an annotation begins with.
pub(super) fn first_text<'a>(annotations: &'a [Annotation], name: &str) -> Option<&'a str> {
    let annotation = annotations.iter().find(|annotation| annotation.name == name)?;
    match &annotation.args.first()?.value {
        AnnotationValue::Text(text) => Some(text),
        _ => None,
    }
}
