//! The objects of a program as P4Runtime names them: their ids, names, aliases and documentation
//! (P4Runtime specification 1.5, section 6, "P4Info message").
//!
//! This module only computes these data. The protocol messages and the server are in
//! `weir-p4runtime`.

mod alias;
mod digests;
mod find;
mod ids;
mod kind;
mod listed;
mod text_names;
mod view;

use rustc_hash::FxHashMap;
use weir_ir::{
    ActionId, Annotation, DataType, DeclaredTypeId, ExternId, HeaderType, Id, Loc, ProcedureId, Program,
    TableId, ValueSetId,
};

use crate::error::Place;
use alias::Suffixes;
pub use digests::{digest_data, digest_name};
use find::{Found, FoundPart, find_objects};
pub use find::{controller_headers, field_name, only_text, only_value};
pub use kind::ObjectKind;
pub use text_names::{MAPPINGS, TextNames};
pub use view::{ControlView, ExternView};

/// The objects that a program shows to P4Runtime.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct P4Info {
    /// The architecture's name; empty in a program without `main`.
    pub architecture: String,
    /// The objects by kind, in the order of [`ObjectKind`], then in the program's order.
    pub objects: Vec<Object>,
    /// Objects with `@hidden`, and tables and actions that no packet reaches. Other objects refer
    /// to them by id.
    pub hidden: Vec<Object>,
}

/// The origin of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// An action. If several actions have the same name, the first one.
    Action(ActionId),
    /// The body of an action with parameters that a table cannot fill.
    CalledAction(ProcedureId),
    /// A table.
    Table(TableId),
    /// A value set.
    ValueSet(ValueSetId),
    /// A controller header.
    Header(Id<HeaderType>),
    /// An extern object.
    Extern(ExternId),
    /// Calls of a function that sends digests, by number.
    Digest(usize),
}

/// An object with its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The object's kind.
    pub kind: ObjectKind,
    /// The object's origin.
    pub source: Source,
    /// The id, which is unique in the program. The first byte is the number of the kind.
    pub id: u32,
    /// The fully qualified name, such as `MyIngress.ipv4_lpm`.
    pub name: String,
    /// The text of `@alias`, or otherwise the shortest suffix of the name that no other name in the
    /// program has. For a controller header, the name itself.
    pub alias: String,
    /// The text of `@brief`.
    pub brief: Option<String>,
    /// The text of `@description`.
    pub description: Option<String>,
    /// All annotations except those for names, ids and documentation.
    pub annotations: Vec<Annotation>,
    /// The place of the object's declaration.
    pub loc: Loc,
    /// The type of a register's cells, or of the data that a digest sends.
    pub data: Option<DataType>,
    /// The extern type of the object, if it is an extern object.
    pub of_type: Option<&'static ExternView>,
    /// The type of the index, if the program declares it.
    pub index: Option<DataType>,
    /// The parts of the object: a table's match fields, an action's parameters, or the fields of a
    /// value set or controller header.
    pub parts: Vec<Part>,
}

/// A match field, action parameter or field.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The id, which is unique in its object. It comes from `@id`, or is otherwise the part's
    /// position, counted from 1. If another part has taken this number with `@id`, it is the next
    /// free number.
    pub id: u32,
    /// The part's name.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The newtype or enum with which the part is declared.
    pub declared: Option<DeclaredTypeId>,
    /// The text of `@brief`.
    pub brief: Option<String>,
    /// The text of `@description`.
    pub description: Option<String>,
    /// All annotations except those for names, ids and documentation.
    pub annotations: Vec<Annotation>,
}

/// The reason why a program has no P4Info.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct P4InfoError {
    /// The place in the source: `file:line:column`.
    pub place: Place,
    /// A description of the mistake.
    pub problem: String,
}

impl P4InfoError {
    /// Creates an error about a problem at a place.
    pub fn new(program: &Program, loc: Loc, problem: impl Into<String>) -> Self {
        Self { place: Place::new(program, loc), problem: problem.into() }
    }
}

impl P4Info {
    /// Finds the objects that `program` shows to P4Runtime. [`arch::control_view`] returns what
    /// controllers see of the program's architecture.
    ///
    /// [`arch::control_view`]: crate::arch::control_view
    ///
    /// # Errors
    /// All wrong or repeated `@id`s and repeated `@alias`es.
    pub fn new(program: &Program, view: &ControlView) -> Result<Self, Vec<P4InfoError>> {
        let digests = digests::digests(program, view);
        let objects = find_objects(program, view, &digests);
        let mut errors = Vec::new();
        let ids = ids::assign(program, &objects, &mut errors);
        let ends = Suffixes::new(&objects);
        let mut aliases: FxHashMap<(ObjectKind, String), &str> = FxHashMap::default();
        let package = program.main.as_ref().map(|main| view.name.unwrap_or(&main.kind));
        let mut info = Self { architecture: package.unwrap_or_default().to_owned(), ..Self::default() };
        for (object, id) in objects.iter().zip(ids) {
            let alias = alias(object, &ends);
            if let Some(other) = aliases.insert((object.kind, alias.clone()), object.name) {
                let (kind, name) = (object.kind.name(), object.name);
                errors.push(P4InfoError {
                    place: Place::new(program, object.loc),
                    problem: format!(
                        "the {kind} `{name}` has the alias `{alias}`, which is `{other}`'s already"
                    ),
                });
            }
            let list = if object.is_hidden() { &mut info.hidden } else { &mut info.objects };
            list.push(Object {
                kind: object.kind,
                source: object.source,
                id,
                name: object.name.to_owned(),
                alias,
                brief: text(object.annotations, "brief"),
                description: text(object.annotations, "description"),
                annotations: kept_annotations(object.annotations),
                loc: object.loc,
                data: object.data.clone(),
                of_type: object.of_type,
                index: object.index.clone(),
                parts: parts(program, object, &mut errors),
            });
        }
        if errors.is_empty() { Ok(info) } else { Err(errors) }
    }

    /// Finds an object of a kind by its full name.
    pub fn find(&self, kind: ObjectKind, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.kind == kind && object.name == name)
    }
}

/// Returns the text of `@alias`. Without this annotation, returns the name of a controller header,
/// or the shortest unique suffix of another object's name.
fn alias(object: &Found<'_>, ends: &Suffixes<'_>) -> String {
    match (text(object.annotations, "alias"), object.kind) {
        (Some(alias), _) => alias,
        (None, ObjectKind::ControllerHeader) => object.name.to_owned(),
        (None, _) => ends.shortest_suffix(object.declared).to_owned(),
    }
}

/// Makes an object's parts, with their ids.
fn parts(program: &Program, object: &Found<'_>, errors: &mut Vec<P4InfoError>) -> Vec<Part> {
    let ids = ids::of_parts(program, object, errors);
    let part = |(part, id): (&FoundPart<'_>, u32)| Part {
        id,
        name: part.name.clone().into_owned(),
        width: part.width,
        declared: part.declared,
        brief: text(part.annotations, "brief"),
        description: text(part.annotations, "description"),
        annotations: kept_annotations(part.annotations),
    };
    object.parts.iter().zip(ids).map(part).collect()
}

/// Returns the annotations that do not have a field of their own in P4Info.
fn kept_annotations(annotations: &[Annotation]) -> Vec<Annotation> {
    let omitted = ["name", "id", "alias", "brief", "description"];
    annotations.iter().filter(|annotation| !omitted.contains(&annotation.name.as_str())).cloned().collect()
}

fn text(annotations: &[Annotation], name: &str) -> Option<String> {
    only_text(annotations, name).map(str::to_owned)
}
