//! What P4Runtime calls the objects of a program: their ids, names, aliases and documentation
//! (P4Runtime specification 1.4, section 6, "P4Info message").
//!
//! Facts only: the protocol's messages and its server will use them.

mod ids;

use rustc_hash::{FxHashMap, FxHashSet};
use weir_ir::{Annotation, AnnotationValue, Loc, Program};

use crate::error::Place;

/// The objects that a program shows to P4Runtime; those with `@hidden` are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct P4Info {
    /// By kind in the order of [`ObjectKind`], then in the program's order.
    pub objects: Vec<Object>,
}

/// A kind of object; its number is the first of the four bytes of its objects' ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// An action.
    Action = 0x01,
    /// A table.
    Table = 0x02,
    /// A parser value set.
    ValueSet = 0x03,
    /// A header type annotated `@controller_header`: what precedes packets to and from the
    /// controller.
    ControllerHeader = 0x04,
    /// An action profile or selector.
    ActionProfile = 0x11,
    /// An indexed counter.
    Counter = 0x12,
    /// A counter of a table's entries.
    DirectCounter = 0x13,
    /// An indexed meter.
    Meter = 0x14,
    /// A meter of a table's entries.
    DirectMeter = 0x15,
    /// A register.
    Register = 0x16,
    /// A message to the controller.
    Digest = 0x17,
}

impl ObjectKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Table => "table",
            Self::ValueSet => "value set",
            Self::ControllerHeader => "controller header",
            Self::ActionProfile => "action profile",
            Self::Counter => "counter",
            Self::DirectCounter => "direct counter",
            Self::Meter => "meter",
            Self::DirectMeter => "direct meter",
            Self::Register => "register",
            Self::Digest => "digest",
        }
    }

    /// Of an extern object of v1model or PSA.
    fn of_extern(name: &str) -> Option<Self> {
        Some(match name {
            "action_profile" | "action_selector" | "ActionProfile" | "ActionSelector" => Self::ActionProfile,
            "counter" | "Counter" => Self::Counter,
            "direct_counter" | "DirectCounter" => Self::DirectCounter,
            "meter" | "Meter" => Self::Meter,
            "direct_meter" | "DirectMeter" => Self::DirectMeter,
            "register" | "Register" => Self::Register,
            "Digest" => Self::Digest,
            _ => return None,
        })
    }
}

/// An object with its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Unique in the program; the first byte is the kind's.
    pub id: u32,
    /// Fully qualified, such as `MyIngress.ipv4_lpm`.
    pub name: String,
    /// From `@alias`, else the shortest end of the name that no other object of the kind has.
    pub alias: String,
    /// From `@brief`.
    pub brief: Option<String>,
    /// From `@description`.
    pub description: Option<String>,
    /// All other annotations but those that name and number.
    pub annotations: Vec<Annotation>,
    /// A table's match fields, an action's parameters, a value set's or controller header's fields.
    pub parts: Vec<Part>,
}

/// A match field, action parameter or field.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Unique in its object: from `@id`, else the place, counted from 1.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// In bits.
    pub width: u32,
    /// All annotations but those that name and number.
    pub annotations: Vec<Annotation>,
}

/// Why a program has no P4Info.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct P4InfoError {
    /// `file:line:column`.
    pub place: Place,
    /// What is wrong.
    pub problem: String,
}

/// An object before it has an id.
struct Found<'a> {
    kind: ObjectKind,
    name: &'a str,
    annotations: &'a [Annotation],
    parts: Vec<FoundPart<'a>>,
    loc: Loc,
}

struct FoundPart<'a> {
    name: &'a str,
    width: u32,
    annotations: &'a [Annotation],
}

impl P4Info {
    /// What `program` shows.
    ///
    /// # Errors
    /// All wrong or repeated `@id`s and repeated `@alias`es.
    pub fn new(program: &Program) -> Result<Self, Vec<P4InfoError>> {
        let found = find(program);
        let mut errors = Vec::new();
        let ids = ids::assign(program, &found, &mut errors);
        let ends = Ends::new(&found);
        let mut aliases: FxHashMap<(ObjectKind, String), &str> = FxHashMap::default();
        let mut objects = Vec::with_capacity(found.len());
        for (object, id) in found.iter().zip(ids) {
            let alias = text(object.annotations, "alias").unwrap_or_else(|| ends.shortest(object).to_owned());
            if let Some(other) = aliases.insert((object.kind, alias.clone()), object.name) {
                let (kind, name) = (object.kind.name(), object.name);
                errors.push(P4InfoError {
                    place: Place::new(program, object.loc),
                    problem: format!(
                        "the {kind} `{name}` has the alias `{alias}`, which is `{other}`'s already"
                    ),
                });
            }
            objects.push(Object {
                kind: object.kind,
                id,
                name: object.name.to_owned(),
                alias,
                brief: text(object.annotations, "brief"),
                description: text(object.annotations, "description"),
                annotations: kept(object.annotations),
                parts: parts(program, object, &mut errors),
            });
        }
        if errors.is_empty() { Ok(Self { objects }) } else { Err(errors) }
    }

    /// The object of a kind by its full name.
    pub fn find(&self, kind: ObjectKind, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.kind == kind && object.name == name)
    }
}

fn find(program: &Program) -> Vec<Found<'_>> {
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut actions = FxHashSet::default();
    for action in program.actions.values() {
        // To the control plane actions of one name are one.
        let name = action.control_plane_name();
        if !actions.insert(name) {
            continue;
        }
        found.push(Found {
            kind: ObjectKind::Action,
            name,
            annotations: &action.annotations,
            parts: action
                .params
                .iter()
                .map(|param| FoundPart {
                    name: &param.name,
                    width: program.vars[param.var].ty.width(),
                    annotations: &param.annotations,
                })
                .collect(),
            loc: action.loc,
        });
    }
    for table in program.tables.values() {
        let parts = table.keys.iter().map(|key| FoundPart {
            name: &key.name,
            width: key.expr.ty.width(),
            annotations: &key.annotations,
        });
        found.push(Found {
            kind: ObjectKind::Table,
            name: &table.name,
            annotations: &table.annotations,
            parts: parts.collect(),
            loc: table.loc,
        });
    }
    for set in program.value_sets.values() {
        let parts = set.fields.iter().map(|field| FoundPart {
            name: &field.name,
            width: field.width,
            annotations: &[],
        });
        found.push(Found {
            kind: ObjectKind::ValueSet,
            name: &set.name,
            annotations: &set.annotations,
            parts: parts.collect(),
            loc: set.loc,
        });
    }
    for header in program.header_types.values() {
        let Some(name) = first_text(&header.annotations, "controller_header") else { continue };
        let parts = header.fields.iter().map(|field| FoundPart {
            name: &field.name,
            width: field.ty.width(),
            annotations: &field.annotations,
        });
        found.push(Found {
            kind: ObjectKind::ControllerHeader,
            name,
            annotations: &header.annotations,
            parts: parts.collect(),
            loc: Loc::NONE,
        });
    }
    for object in program.externs.values() {
        let Some(kind) = ObjectKind::of_extern(&object.kind) else { continue };
        found.push(Found {
            kind,
            name: &object.name,
            annotations: &object.annotations,
            parts: Vec::new(),
            loc: object.loc,
        });
    }
    found.retain(|object| !object.annotations.iter().any(|annotation| annotation.name == "hidden"));
    found.sort_by_key(|object| object.kind);
    found
}

/// Numbers an object's parts.
fn parts(program: &Program, object: &Found<'_>, errors: &mut Vec<P4InfoError>) -> Vec<Part> {
    let mut numbered: Vec<Part> = Vec::with_capacity(object.parts.len());
    for (position, part) in object.parts.iter().enumerate() {
        let mut fail = |problem: String| {
            errors.push(P4InfoError { place: Place::new(program, object.loc), problem });
        };
        let id = match ids::wanted(part.annotations) {
            Some(Ok(id)) => id,
            Some(Err(problem)) => {
                fail(format!("`{}` of the {} `{}`: {problem}", part.name, object.kind.name(), object.name));
                continue;
            }
            None => position as u32 + 1,
        };
        if let Some(other) = numbered.iter().find(|other| other.id == id) {
            fail(format!(
                "`{}` and `{}` of the {} `{}` both have the id {id}; give one of them another with `@id`",
                other.name,
                part.name,
                object.kind.name(),
                object.name
            ));
            continue;
        }
        let annotations = kept(part.annotations);
        numbered.push(Part { id, name: part.name.to_owned(), width: part.width, annotations });
    }
    numbered
}

/// How many objects of a kind have each end of a name, cut at a dot.
struct Ends<'a>(FxHashMap<(ObjectKind, &'a str), u32>);

impl<'a> Ends<'a> {
    fn new(found: &[Found<'a>]) -> Self {
        let mut ends = FxHashMap::default();
        for object in found {
            for end in Self::of(object.name) {
                *ends.entry((object.kind, end)).or_default() += 1;
            }
        }
        Self(ends)
    }

    /// The ends of a name, the shortest first.
    fn of(name: &'a str) -> impl Iterator<Item = &'a str> {
        name.rmatch_indices('.').map(|(at, _)| &name[at + 1..]).chain([name])
    }

    /// The shortest end of its name that no other object of the kind has.
    fn shortest(&self, object: &Found<'a>) -> &'a str {
        Self::of(object.name).find(|end| self.0.get(&(object.kind, *end)) == Some(&1)).unwrap_or(object.name)
    }
}

/// Annotations that have no field of their own in P4Info.
fn kept(annotations: &[Annotation]) -> Vec<Annotation> {
    let own = ["name", "id", "alias", "brief", "description", "controller_header"];
    annotations.iter().filter(|annotation| !own.contains(&annotation.name.as_str())).cloned().collect()
}

fn first_text<'a>(annotations: &'a [Annotation], name: &str) -> Option<&'a str> {
    let annotation = annotations.iter().find(|annotation| annotation.name == name)?;
    match &annotation.args.first()?.value {
        AnnotationValue::Text(text) => Some(text),
        _ => None,
    }
}

fn text(annotations: &[Annotation], name: &str) -> Option<String> {
    first_text(annotations, name).map(str::to_owned)
}
