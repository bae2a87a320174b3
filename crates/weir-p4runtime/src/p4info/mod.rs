//! Makes P4Info, the controllers' view of a program (P4Runtime specification 1.5, section 6).

mod annotations;
mod externs;
mod package;
mod tables;
mod types;

use rustc_hash::{FxHashMap, FxHashSet};
use weir_ir::{Program, TableId};
use weir_switch::arch;
use weir_switch::control::Schema;
use weir_switch::p4info::{ControlView, Object, ObjectKind, P4Info as Facts, Part, Source};

pub use weir_switch::p4info::P4InfoError;

use crate::proto::config::{
    Action, ControllerPacketMetadata, P4Info, Preamble, action, controller_packet_metadata,
};
use annotations::{annotation_messages, documentation};
use types::{bitwidth, type_name};

/// Makes the P4Info of a program.
///
/// Objects are in the order of the program. The P4Info is the same before and after the program is
/// bound to its architecture.
///
/// # Errors
/// The program has ids, aliases or sizes that P4Info cannot express. Each error has its place.
pub fn p4info(program: &Program) -> Result<P4Info, Vec<P4InfoError>> {
    p4info_with_view(program, arch::control_view(program))
}

/// Makes the P4Info of a program, given what controllers see of its architecture.
///
/// # Errors
/// As for [`p4info()`].
pub fn p4info_with_view(program: &Program, view: &ControlView) -> Result<P4Info, Vec<P4InfoError>> {
    let facts = Facts::new(program, view)?;
    let mut errors = annotations::check(program, &facts);
    let type_info = types::type_info(program, &facts).unwrap_or_else(|wrong| {
        errors.extend(wrong);
        None
    });
    if !errors.is_empty() {
        return Err(errors);
    }
    let maker = Maker::new(program, view, &facts);
    let mut info = P4Info { pkg_info: package::pkg_info(program, &facts), type_info, ..P4Info::default() };
    for object in &facts.objects {
        match object.source {
            Source::Action(_) | Source::CalledAction(_) => info.actions.push(maker.action_object(object)),
            Source::Table(id) => info.tables.push(maker.table(object, id)),
            Source::ValueSet(id) => info.value_sets.push(maker.value_set(object, id)),
            Source::Header(_) => info.controller_packet_metadata.push(maker.controller_header(object)),
            Source::Extern(id) => maker.extern_object(object, id, &mut info),
            Source::Digest(_) => info.digests.push(maker.digest(object)),
        }
    }
    Ok(info)
}

/// Makes the objects of P4Info from a program.
struct Maker<'a> {
    program: &'a Program,
    view: &'a ControlView,
    schema: Schema,
    ids: FxHashMap<Source, u32>,
    /// The tables that controllers see.
    listed: FxHashSet<TableId>,
    /// The objects of actions, by name. Controllers may see several actions of the program as one
    /// action.
    actions: FxHashMap<&'a str, &'a Object>,
}

impl<'a> Maker<'a> {
    fn new(program: &'a Program, view: &'a ControlView, facts: &'a Facts) -> Self {
        let all = || facts.objects.iter().chain(&facts.hidden);
        let actions = all().filter(|object| object.kind == ObjectKind::Action);
        Self {
            program,
            view,
            schema: Schema::from_program(program, view),
            listed: facts
                .objects
                .iter()
                .filter_map(|object| match object.source {
                    Source::Table(id) => Some(id),
                    _ => None,
                })
                .collect(),
            ids: all().map(|object| (object.source, object.id)).collect(),
            actions: actions.map(|object| (object.name.as_str(), object)).collect(),
        }
    }

    /// Returns the id of an object, or 0 if there is none.
    fn id(&self, source: Source) -> u32 {
        self.ids.get(&source).copied().unwrap_or_default()
    }

    fn action(&self, id: weir_ir::ActionId) -> &'a Object {
        self.actions[self.program.actions[id].control_plane_name()]
    }
}

/// Makes the preamble, which all objects have. Leaves out the annotations in `own`, because they
/// have separate fields.
fn preamble(object: &Object, own: &[&str]) -> Option<Preamble> {
    let (annotations, structured_annotations) = annotation_messages(&object.annotations, own);
    Some(Preamble {
        id: object.id,
        name: object.name.clone(),
        alias: object.alias.clone(),
        annotations,
        doc: documentation(object.brief.as_deref(), object.description.as_deref()),
        structured_annotations,
        ..Preamble::default()
    })
}

impl Maker<'_> {
    fn action_object(&self, object: &Object) -> Action {
        let params = object.parts.iter().map(|part| {
            let (annotations, structured_annotations) = annotation_messages(&part.annotations, &[]);
            action::Param {
                id: part.id,
                name: part.name.clone(),
                annotations,
                bitwidth: bitwidth(self.program, part),
                doc: documentation(part.brief.as_deref(), part.description.as_deref()),
                type_name: type_name(self.program, part.declared),
                structured_annotations,
                ..action::Param::default()
            }
        });
        Action { preamble: preamble(object, &[]), params: params.collect() }
    }

    fn controller_header(&self, object: &Object) -> ControllerPacketMetadata {
        let is_hidden = |part: &Part| part.annotations.iter().any(|annotation| annotation.name == "hidden");
        let metadata = object.parts.iter().filter(|part| !is_hidden(part)).map(|part| {
            let (annotations, structured_annotations) = annotation_messages(&part.annotations, &[]);
            controller_packet_metadata::Metadata {
                id: part.id,
                name: part.name.clone(),
                annotations,
                bitwidth: bitwidth(self.program, part),
                type_name: type_name(self.program, part.declared),
                structured_annotations,
                ..controller_packet_metadata::Metadata::default()
            }
        });
        ControllerPacketMetadata { preamble: preamble(object, &[]), metadata: metadata.collect() }
    }
}
