//! Reads the JSON that p4c writes for v1model, which `simple_switch` loads, into the IR.
//!
//! - **Input:** a JSON document in BMv2's format, version 2.
//! - **Output:** a program for the package `V1Switch` with bound blocks, like a program that the
//!   compiler makes from P4; or an error about the first part of the document that is wrong or that
//!   Weir cannot run, with its place.
//! - **Must never know:** P4's syntax, files, switches.
//!
//! The document has the names of tables, actions, keys and objects that the control plane uses, and
//! the places in the P4 source. The document contains no struct types, newtypes or annotations, so
//! P4Info made from it contains none either.
//!
//! The caller provides enough stack for recursion: expressions nest as deeply as the document.

mod action;
mod calculation;
mod declarations;
mod digest;
mod expression;
mod externs;
mod flow;
mod headers;
mod input;
mod number;
mod parser;
mod pipeline;
mod primitive;
mod reader;
mod storage;
mod table;

use weir_ir::program::{Direction, HeaderRef, Package, PackageArg, Param, Storage};
use weir_ir::{Annotation, AnnotationForm, Block, Loc, Program, Stmt, StmtKind, ValidProgram};
use weir_json::{Diagnostic, Document};

use action::Actions;
use input::{Result, list, name};
use reader::{Reader, unsupported};

/// The major version of the format.
const MAJOR_VERSION: u64 = 2;

/// Returns whether a document looks like a program for BMv2: it has pipelines and parsers.
pub fn is_bmv2(document: &Document) -> bool {
    let root = document.root();
    root.get("pipelines").is_some() && (root.get("parsers").is_some() || root.get("header_types").is_some())
}

/// Returns the program of a document.
///
/// # Errors
/// The document is not in BMv2's format, or has something that Weir cannot run; the error says
/// where, and why.
pub fn read(document: &Document) -> std::result::Result<ValidProgram, Diagnostic> {
    let root = document.root();
    check_version(document)?;
    let mut reader = Reader::new(root);
    if let Some(program) = root.get("program") {
        reader.file(program.text("the name of the P4 program")?);
    }
    reader.add_enumerations();
    reader.read_storage()?;
    reader.read_errors()?;
    reader.read_objects()?;
    for pipeline in list(root, "pipelines")? {
        let known = name(pipeline, "a pipeline's name")?;
        if !["ingress", "egress"].contains(&known) {
            return Err(unsupported(pipeline, &format!("v1model has no pipeline \"{known}\"")));
        }
        reader.read_profiles(pipeline)?;
    }
    reader.read_calculations()?;
    reader.read_digests()?;
    if reader.standard_metadata().iter().all(|(name, _)| name != "egress_spec") {
        return Err(unsupported(
            root.require("headers")?,
            "there is no \"egress_spec\" in the standard metadata of v1model",
        ));
    }
    blocks(&mut reader)?;
    mark_synthetic(&mut reader.program);
    weir_ir::validate(reader.program).map_err(|violations| {
        let first = violations.first().map_or_else(String::new, ToString::to_string);
        unsupported(root, &format!("it does not become a valid program: {first}"))
    })
}

fn check_version(document: &Document) -> Result<()> {
    let Some(meta) = document.root().get("__meta__") else { return Ok(()) };
    let version = meta.require("version")?;
    let parts: Vec<_> = version.items()?.collect();
    let major = parts.first().ok_or_else(|| version.expected("a version: two numbers"))?;
    let number = major.integer("a version", 0, u64::from(u32::MAX))?;
    if number == MAJOR_VERSION {
        Ok(())
    } else {
        Err(unsupported(*major, &format!("the format has the version {number}, not {MAJOR_VERSION}")))
    }
}

/// Reads the parser, the pipelines, the checksums and the deparser, and connects them to a package.
fn blocks(reader: &mut Reader<'_>) -> Result<()> {
    let [headers, metadata, standard] = reader.param_storage();
    let param = |name: &str, type_name: &str, direction: Direction, storage: &Storage| Param {
        name: name.to_owned(),
        direction,
        type_name: type_name.to_owned(),
        storage: storage.clone(),
    };
    let params = |of_headers: Direction, count: usize| -> Vec<Param> {
        let all_blocks = [
            param("hdr", "headers", of_headers, &headers),
            param("meta", "metadata", Direction::InOut, &metadata),
            param("standard_metadata", "standard_metadata_t", Direction::InOut, &standard),
        ];
        all_blocks.into_iter().take(count).collect()
    };
    let mut actions = Actions::new(reader.root)?;
    let parser = reader.read_parser(params(Direction::Out, 3))?;
    let (verified, updated) = reader.checksums()?;
    let verify = reader.control("verify", params(Direction::InOut, 2), verified, None);
    let ingress = reader.pipeline("ingress", &mut actions, params(Direction::InOut, 3))?;
    let egress = reader.pipeline("egress", &mut actions, params(Direction::InOut, 3))?;
    let update = reader.control("update", params(Direction::InOut, 2), updated, None);
    let deparsers = list(reader.root, "deparsers")?;
    let [deparser] = deparsers[..] else {
        return Err(reader.root.error(format!("expected one deparser, found {}", deparsers.len())));
    };
    let mut emits = Vec::new();
    for primitive in list(deparser, "primitives")? {
        reader.primitive(primitive, &mut emits)?;
    }
    for header in list(deparser, "order")? {
        let Some(id) = reader.instance(header)?.header else {
            return Err(unsupported(header, "metadata is put into the packet"));
        };
        emits.push(Stmt { kind: StmtKind::Emit(HeaderRef::Header(id)), loc: Loc::NONE });
    }
    let deparser = reader.control("deparser", params(Direction::In, 1), Block(emits), Some(deparser));
    let control = |name: &str, id| (name.to_owned(), PackageArg::Control(id));
    let args = vec![
        ("p".to_owned(), PackageArg::Parser(parser)),
        control("vr", verify),
        control("ig", ingress),
        control("eg", egress),
        control("ck", update),
        control("dep", deparser),
    ];
    reader.program.main = Some(Package {
        kind: "V1Switch".to_owned(),
        name: "main".to_owned(),
        args,
        annotations: Vec::new(),
        loc: Loc::NONE,
    });
    Ok(())
}

/// Hides actions from controllers that p4c created from statements of a control. No table lists
/// these actions. Their names are not below a control's name, and end with the line of the
/// statement or are `act`, `act_0` and so on.
fn mark_synthetic(program: &mut Program) {
    let listed: Vec<_> =
        program.tables.values().flat_map(|table| table.actions.iter().map(|listed| listed.action)).collect();
    let ids: Vec<_> = program.actions.iter().map(|(id, _)| id).collect();
    for id in ids {
        let action = &mut program.actions[id];
        let name = action.control_plane_name();
        let has_number = name.ends_with(|last: char| last.is_ascii_digit());
        let is_synthetic = !name.contains('.') && (has_number || name == "act");
        if is_synthetic && !listed.contains(&id) {
            let name = "hidden".to_owned();
            action.annotations.push(Annotation { name, args: Vec::new(), form: AnnotationForm::Bare });
        }
    }
}
