//! Finds the objects of a program, before they have ids.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use weir_ir::declared::data_types;
use weir_ir::{
    Annotation, AnnotationArg, AnnotationForm, AnnotationValue, DataType, DeclaredTypeId, ExternInstance,
    HeaderType, Id, Loc, Program,
};

use super::digests::Digest;
use super::listed::{ActionVisibility, ListedObjects};
use super::{ControlView, ExternView, ObjectKind, Source};

/// An object before it has an id.
pub(super) struct Found<'a> {
    pub kind: ObjectKind,
    pub source: Source,
    pub name: &'a str,
    /// The name in the program, from which ids and the aliases of other objects are computed.
    pub declared: &'a str,
    pub annotations: &'a [Annotation],
    pub data: Option<DataType>,
    pub of_type: Option<&'static ExternView>,
    pub index: Option<DataType>,
    pub parts: Vec<FoundPart<'a>>,
    pub loc: Loc,
    /// Whether controllers see the object.
    pub listed: bool,
}

/// A part before it has an id.
pub(super) struct FoundPart<'a> {
    pub name: Cow<'a, str>,
    pub width: u32,
    pub declared: Option<DeclaredTypeId>,
    pub annotations: &'a [Annotation],
}

impl<'a> Found<'a> {
    /// Creates an object that controllers see, without parts and data.
    fn new(
        kind: ObjectKind,
        source: Source,
        name: &'a str,
        (annotations, loc): (&'a [Annotation], Loc),
    ) -> Self {
        Self {
            kind,
            source,
            name,
            declared: name,
            annotations,
            data: None,
            of_type: None,
            index: None,
            parts: Vec::new(),
            loc,
            listed: true,
        }
    }

    pub(super) fn is_hidden(&self) -> bool {
        !self.listed || self.annotations.iter().any(|annotation| annotation.name == "hidden")
    }
}

impl<'a> FoundPart<'a> {
    fn new(
        name: &'a str,
        width: u32,
        declared: Option<DeclaredTypeId>,
        annotations: &'a [Annotation],
    ) -> Self {
        Self { name: Cow::Borrowed(name), width, declared, annotations }
    }
}

/// Returns the name of a key for controllers. The validity of a header is its field `$valid$`.
pub fn field_name(key: &str) -> Cow<'_, str> {
    match key.strip_suffix(".isValid()") {
        Some(header) => Cow::Owned(format!("{header}.$valid$")),
        None => Cow::Borrowed(key),
    }
}

/// Returns the headers with `@controller_header`, with the annotation's name.
pub fn controller_headers(program: &Program) -> impl Iterator<Item = (Id<HeaderType>, &str)> {
    let types = program.header_types.iter();
    types.filter_map(|(id, header)| Some((id, only_text(&header.annotations, "controller_header")?)))
}

/// Finds all objects by kind, then in the program's order.
pub(super) fn find_objects<'a>(
    program: &'a Program,
    view: &ControlView,
    digests: &'a [Digest],
) -> Vec<Found<'a>> {
    let mut objects = Vec::new();
    let listed = ListedObjects::new(program);
    actions(program, &listed, &mut objects);
    for (id, table) in program.tables.iter() {
        let parts = table.keys.iter().map(|key| FoundPart {
            name: field_name(&key.name),
            ..FoundPart::new(&key.name, key.expr.ty.width(), key.declared, &key.annotations)
        });
        let origin = (table.annotations.as_slice(), table.loc);
        let object = Found::new(ObjectKind::Table, Source::Table(id), &table.name, origin);
        objects.push(Found { parts: parts.collect(), listed: listed.table(id), ..object });
    }
    for (id, set) in program.value_sets.iter() {
        let parts = set.fields.iter();
        let parts =
            parts.map(|field| FoundPart::new(&field.name, field.width, field.declared, &field.annotations));
        let origin = (set.annotations.as_slice(), set.loc);
        let object = Found::new(ObjectKind::ValueSet, Source::ValueSet(id), &set.name, origin);
        objects.push(Found { parts: parts.collect(), ..object });
    }
    for (id, name) in controller_headers(program) {
        let header = &program.header_types[id];
        let parts = header
            .fields
            .iter()
            .map(|field| FoundPart::new(&field.name, field.ty.width(), field.declared, &field.annotations));
        let origin = (header.annotations.as_slice(), Loc::NONE);
        let object = Found::new(ObjectKind::ControllerHeader, Source::Header(id), name, origin);
        objects.push(Found { declared: &header.name, parts: parts.collect(), ..object });
    }
    for (id, object) in program.externs.iter() {
        let Some(of_type) = view.of_extern(&object.kind) else { continue };
        let origin = (object.annotations.as_slice(), object.loc);
        objects.push(Found {
            data: data(object),
            of_type: Some(of_type),
            index: of_type.index.and_then(|argument| object.declared.get(argument).cloned()),
            ..Found::new(of_type.kind, Source::Extern(id), &object.name, origin)
        });
    }
    for (number, digest) in digests.iter().enumerate() {
        let object = Found::new(ObjectKind::Digest, Source::Digest(number), &digest.name, (&[], digest.loc));
        objects.push(Found { data: Some(digest.data.clone()), ..object });
    }
    objects.sort_by_key(|object| object.kind);
    objects
}

/// Returns the first type argument of an extern object.
fn data(object: &ExternInstance) -> Option<DataType> {
    data_types(&object.declared, &object.type_args).into_iter().next()
}

/// Finds the actions. The control plane sees actions with the same name as one action.
fn actions<'a>(program: &'a Program, listed: &ListedObjects, found: &mut Vec<Found<'a>>) {
    let mut names = FxHashSet::default();
    for (id, action) in program.actions.iter() {
        let name = action.control_plane_name();
        if !names.insert(name) {
            continue;
        }
        let seen = listed.action(name);
        let params = if seen == ActionVisibility::ByName { &[] } else { action.params.as_slice() };
        let parts = params.iter().map(|param| {
            let width = program.vars[param.var].ty.width();
            FoundPart::new(&param.name, width, param.declared, &param.annotations)
        });
        let origin = (action.annotations.as_slice(), action.loc);
        let object = Found::new(ObjectKind::Action, Source::Action(id), name, origin);
        found.push(Found { parts: parts.collect(), listed: seen != ActionVisibility::Not, ..object });
    }
    for (id, procedure) in program.procedures.iter() {
        let Some(action) = &procedure.action else { continue };
        if names.insert(action.name.as_str()) {
            let origin = (action.annotations.as_slice(), procedure.loc);
            let object = Found::new(ObjectKind::Action, Source::CalledAction(id), &action.name, origin);
            found.push(Found { listed: listed.action(&action.name) != ActionVisibility::Not, ..object });
        }
    }
}

/// Returns the value of the first annotation with this name, if the annotation consists of exactly
/// one constant without a key.
pub fn only_value<'a>(annotations: &'a [Annotation], name: &str) -> Option<&'a AnnotationValue> {
    let annotation = annotations.iter().find(|annotation| annotation.name == name)?;
    let [AnnotationArg { key: None, value }] = annotation.args.as_slice() else { return None };
    match (value, &annotation.form) {
        (AnnotationValue::Text(text), AnnotationForm::Unstructured(tokens)) if text == tokens => None,
        _ => Some(value),
    }
}

/// Returns the value like [`only_value`], if it is a text that is not empty.
pub fn only_text<'a>(annotations: &'a [Annotation], name: &str) -> Option<&'a str> {
    match only_value(annotations, name)? {
        AnnotationValue::Text(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}
