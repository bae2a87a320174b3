//! Architectures: the roles of the blocks of a package, and the path of packets through these
//! blocks.
//!
//! To add an architecture, add a folder with its description: the blocks, the block parameters that
//! share data, the steps of a pass, the metadata, and the externs. The compiler and the executors
//! do not depend on architectures.

mod assembly;
mod blocks;
mod calls;
mod ebpf;
mod externs;
mod families;
mod hidden;
mod pna;
mod port_params;
mod port_space;
mod psa;
mod psa_view;
mod rejection;
mod tna;
mod tna_view;
#[cfg(test)]
mod toy;
mod v1model;
mod views;

use std::collections::{BTreeMap, BTreeSet};

use weir_device::Port;
use weir_ir::passes::{BindError, BindGroup};
use weir_ir::visit::reached_statements;
use weir_ir::{Loc, Package, PackageArg, Param, Program, Stmt, StmtKind, TableId, ValidProgram, VarId};

use crate::error::{LoadError, LoadErrorKind, LoadWarning};
use crate::externs::ExternState;
use crate::own_externs::OwnExterns;
use crate::path::PacketPath;
use crate::state::{CloneSession, ControlState};
use crate::whole_frames::WholeFrames;

pub use port_space::PortSpace;
pub use tna::{Chip, chip_of};
pub use views::control_view;

/// An architecture, independent of any program.
struct Architecture {
    /// The name of its package.
    package: &'static str,
    /// The macro with which programs recognize the compilation target, as p4c defines it.
    target_macro: &'static str,
    /// The blocks. Everywhere else, a block is its position in this list.
    blocks: &'static [BlockRole],
    /// The groups of parameters that are the same data. Each group lists blocks and positions of
    /// their parameters, not counting `packet_in` and `packet_out`.
    shared: &'static [&'static [(usize, usize)]],
    /// The groups of `shared` that are the same data in all pipes, if the package may contain
    /// several packages with these blocks. Empty if it contains each block once.
    pipes: &'static [usize],
    /// Whether blocks may omit parameters at the end. Groups then share those that blocks have.
    optional_params: bool,
    /// The calls that programs can make, and the blocks in which they are allowed.
    calls: fn() -> Vec<&'static calls::Call>,
    /// Checks the use of the architecture in the program, and creates the path of its packets.
    load: fn(&Program, &Package, &Settings<'_>) -> Loaded,
    /// Warns of parts of a valid program that the architecture ignores.
    warnings: fn(&Program) -> Vec<LoadWarning>,
    /// The variable that holds the port through which a packet leaves. Its width is the width of
    /// port numbers.
    egress_port: fn(&Program, &Package) -> Option<VarId>,
    /// Whether the largest port number means "drop".
    last_port_drops: bool,
    /// The port through which packets are recirculated; `None` if calls do that.
    recirculation_port: Option<Port>,
    /// The calls that recirculate packets.
    recirculation_calls: &'static [&'static str],
    /// The variables that the architecture adds to programs, with their widths ([`hidden`]).
    hidden: &'static [(&'static str, u32)],
    /// Finds mistakes in code that `prepare` replaces, in a program that is not prepared yet.
    check: fn(&Program, &Package) -> Vec<LoadError>,
    /// Adds other information to a program that the architecture needs later.
    prepare: fn(&mut Program),
}

/// A block of an architecture.
struct BlockRole {
    /// The position in the package. If the package contains other packages, the position of the
    /// inner package comes first.
    path: &'static [usize],
    /// The description in messages.
    name: &'static str,
    /// The gress that runs the block.
    gress: GressKind,
}

impl Architecture {
    /// Returns the positions of the pipes with programs of their own in a package. A pipe that is
    /// the same as an earlier one is not listed.
    fn pipes_of(&self, package: &Package) -> Vec<usize> {
        let args = &package.args;
        let is_new = |at: &usize| {
            let (_, pipe) = &args[*at];
            matches!(pipe, PackageArg::Package(_)) && !args[..*at].iter().any(|(_, other)| other == pipe)
        };
        let pipes: Vec<_> = (0..args.len()).filter(is_new).collect();
        if self.pipes.is_empty() || pipes.is_empty() { vec![0] } else { pipes }
    }

    /// Returns whether a package has several pipes with programs of their own, or one for several
    /// pipes.
    fn has_pipes(&self, package: &Package) -> bool {
        !self.pipes.is_empty() && package.args.len() > 1
    }
}

/// The parts of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GressKind {
    /// The part before the egress queues.
    Ingress,
    /// The part after the egress queues.
    Egress,
}

impl BlockRole {
    const fn new(path: &'static [usize], name: &'static str, gress: GressKind) -> Self {
        Self { path, name, gress }
    }

    /// Finds the block in a program's package, with the names of the arguments that lead to it,
    /// such as `ingress.ip`.
    fn find<'a>(&self, package: &'a Package) -> Option<(String, &'a PackageArg)> {
        self.find_in(package, 0)
    }

    /// Finds the block in a pipe, if the package has several pipes. Pipes are numbered from the
    /// first.
    fn find_in<'a>(&self, package: &'a Package, pipe: usize) -> Option<(String, &'a PackageArg)> {
        let (last, outer) = self.path.split_last()?;
        let (mut package, mut names) = (package, String::new());
        for (depth, position) in outer.iter().enumerate() {
            let position = if depth == 0 { position + pipe } else { *position };
            let (name, PackageArg::Package(inner)) = package.args.get(position)? else { return None };
            names += &format!("{name}.");
            package = inner;
        }
        let (name, block) = package.args.get(*last)?;
        Some((names + name, block))
    }
}

/// The user's settings for the architecture of a switch.
#[derive(Clone, Copy, Default)]
pub(crate) struct Settings<'a> {
    /// The port that replaces the program's drop port.
    pub drop_port: Option<Port>,
    /// The code of externs that the program declares itself.
    pub own_externs: Option<&'a OwnExterns>,
}

/// An architecture that was made for a program.
pub(crate) struct LoadedArchitecture {
    pub path: PacketPath,
    /// The states of the externs, by `ExternId`.
    pub externs: Vec<ExternState>,
    /// The clone sessions that exist at first.
    pub sessions: BTreeMap<u32, CloneSession>,
}

/// An architecture that was made for a program, or the reasons why the program cannot use it.
type Loaded = Result<LoadedArchitecture, Vec<LoadError>>;

const ARCHITECTURES: &[Architecture] = &[
    v1model::ARCHITECTURE,
    psa::ARCHITECTURE,
    pna::VERSION_5,
    pna::VERSION_7,
    ebpf::FILTER,
    ebpf::XDP,
    ebpf::UBPF,
    tna::ARCHITECTURE,
    #[cfg(test)]
    toy::ARCHITECTURE,
];

/// Returns the macro with which programs of a package recognize the compilation target; `None` if
/// the package is unknown.
pub fn target_macro(package: &str) -> Option<&'static str> {
    let architecture_of_package = ARCHITECTURES.iter().find(|architecture| architecture.package == package);
    architecture_of_package.map(|architecture| architecture.target_macro)
}

/// Returns the names of the packages that can be loaded.
pub fn packages() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<_> = ARCHITECTURES.iter().map(|architecture| architecture.package).collect();
    // Versions of an architecture are next to each other.
    names.dedup();
    names.into_iter()
}

fn find_architecture(program: &Program) -> Result<(&'static Architecture, &Package), LoadError> {
    let listed = || packages().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let Some(package) = &program.main else {
        let message = format!("the program has no `main` package; expected one of: {}", listed());
        return Err(LoadError::new(program, LoadErrorKind::NoMain, Loc::NONE, message));
    };
    // Several versions of an architecture differ in their blocks.
    let has_blocks = |a: &&Architecture| a.blocks.iter().all(|block| block.find(package).is_some());
    let named = || ARCHITECTURES.iter().filter(|a| a.package == package.kind);
    let architecture = named().find(has_blocks).or_else(|| named().next()).ok_or_else(|| {
        let message = format!(
            "Weir has no architecture with the package `{}`; Weir runs programs of {}",
            package.kind,
            listed()
        );
        let help =
            weir_suggest::nearest(&package.kind, packages()).map(|name| format!("did you mean `{name}`?"));
        let error = LoadError::new(program, LoadErrorKind::UnknownArchitecture, package.loc, message);
        LoadError { help, ..error }
    })?;
    Ok((architecture, package))
}

fn is_bound(program: &Program, architecture: &Architecture, package: &Package) -> bool {
    let has_hidden = architecture.hidden.iter().all(|(name, _)| hidden::find(program, name).is_some());
    has_hidden
        && !architecture.has_pipes(package)
        && architecture.shared.iter().all(|group| {
            let mut storages = group.iter().map(|(block, param)| {
                let (_, block) = architecture.blocks[*block].find(package)?;
                params(program, block)?.get(*param)
            });
            let first = storages.next().flatten();
            storages.all(|storage| match (first, storage) {
                (Some(first), Some(storage)) => first.storage.vars == storage.storage.vars,
                // The architecture itself reports missing blocks and parameters.
                _ => true,
            })
        })
}

/// Returns the parameters that are the same data in the program's architecture, for the pass
/// [`weir_ir::passes::bind`].
pub fn bind_groups(program: &Program) -> Result<Vec<BindGroup>, LoadError> {
    let (architecture, package) = find_architecture(program)?;
    let pipes = architecture.pipes_of(package);
    let params = |group: &[(usize, usize)], pipe: usize| {
        let present = group.iter().filter_map(|(block, param)| {
            let (name, block) = architecture.blocks[*block].find_in(package, pipe)?;
            let count = params(program, block).map_or(0, <[Param]>::len);
            (!architecture.optional_params || *param < count).then_some((name, *param))
        });
        present.collect::<Vec<_>>()
    };
    let mut groups = Vec::new();
    for (position, group) in architecture.shared.iter().enumerate() {
        let of_pipes = pipes.iter().map(|pipe| params(group, *pipe));
        if architecture.pipes.contains(&position) {
            groups.push(BindGroup { params: of_pipes.flatten().collect() });
        } else {
            groups.extend(of_pipes.map(|params| BindGroup { params }));
        }
    }
    Ok(groups)
}

/// Prepares a program, as the compiler leaves it, for [`Switch::new`](crate::Switch::new):
/// parameters that are the same data in its architecture share their storage. A program that is
/// already prepared does not change.
pub fn bind(program: ValidProgram) -> Result<ValidProgram, LoadError> {
    bind_all(program).map_err(first)
}

/// Like [`bind`], with all errors.
fn bind_all(program: ValidProgram) -> Result<ValidProgram, Vec<LoadError>> {
    let (architecture, package) = find_architecture(&program).map_err(|error| vec![error])?;
    if is_bound(&program, architecture, package) {
        return Ok(program);
    }
    let mistakes = (architecture.check)(&program, package);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    bind_checked(program).map_err(|error| vec![error])
}

/// Binds a program without mistakes that [`Architecture::check`] finds.
fn bind_checked(program: ValidProgram) -> Result<ValidProgram, LoadError> {
    let (architecture, package) = find_architecture(&program)?;
    let groups = bind_groups(&program)?;
    let malformed = LoadError::malformed(&program, package.loc, String::new());
    let refused = |message: String| LoadError { message, ..malformed.clone() };
    let bound =
        weir_ir::passes::bind(program, &groups).map_err(|error: BindError| refused(error.to_string()))?;
    let mut bound = bound.into_program();
    hidden::add(&mut bound, architecture.hidden);
    (architecture.prepare)(&mut bound);
    weir_ir::passes::compose(&mut bound);
    weir_ir::validate(bound).map_err(|violations| {
        refused(violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    })
}

/// The stages of a program's IR, in order, each with a description. Executors run the last one.
pub const STAGES: [(&str, &str); 2] = [
    ("lower", "compiles the program; every block has its own storage"),
    ("bind", "gives parameters that are the same data in the architecture one storage, as executors need it"),
];

/// Transforms the output of the compiler up to the stage with this name in [`STAGES`], or up to the
/// last stage if no stage has this name.
///
/// # Errors
/// The errors of [`bind()`], because only a supported architecture knows which parameters share
/// data.
pub fn run_to_stage(program: ValidProgram, stage: &str) -> Result<ValidProgram, LoadError> {
    if stage == "lower" { Ok(program) } else { bind(program) }
}

/// Returns the first of several errors.
fn first(errors: Vec<LoadError>) -> LoadError {
    errors.into_iter().next().expect("there is an error")
}

/// Checks that the program can run in its architecture, and makes it ready. The error is the first
/// one that [`check_with`] finds.
pub(crate) fn load(program: &Program, settings: &Settings<'_>) -> Result<LoadedArchitecture, LoadError> {
    load_all(program, settings).map_err(first)
}

/// Returns the errors that prevent a program from running as a switch with any settings. The
/// program may be bound or not.
pub fn check(program: &ValidProgram) -> Vec<LoadError> {
    check_with(program, &OwnExterns::default())
}

/// Like [`check`], with code for externs that the program declares itself.
pub fn check_with(program: &ValidProgram, own: &OwnExterns) -> Vec<LoadError> {
    let settings = Settings { own_externs: Some(own), ..Settings::default() };
    let checked = bind_all(program.clone()).and_then(|program| {
        let LoadedArchitecture { externs, .. } = load_all(&program, &settings)?;
        ControlState::new(&program, externs).map_err(|error| vec![error]).map(drop)
    });
    checked.err().unwrap_or_default()
}

/// Returns the frames with offloads that a program can distinguish from frames on a wire; `None` if
/// the program cannot be loaded ([`check`]).
pub fn whole_frames(program: &ValidProgram) -> Option<WholeFrames> {
    let program = bind(program.clone()).ok()?;
    let LoadedArchitecture { path, externs, .. } = load_all(&program, &Settings::default()).ok()?;
    Some(WholeFrames::for_program(&program, &path, &externs))
}

/// Returns the parts of a valid program that a switch ignores.
pub fn warnings(program: &ValidProgram) -> Vec<LoadWarning> {
    find_architecture(program)
        .map_or_else(|_| Vec::new(), |(architecture, _)| (architecture.warnings)(program))
}

/// Returns the variable with which a program chooses a packet's output port.
pub fn egress_port(program: &Program) -> Option<VarId> {
    let (architecture, package) = find_architecture(program).ok()?;
    (architecture.egress_port)(program, package)
}

/// Returns the action parameters with which an entry chooses a packet's output port: the action's
/// control-plane name and the parameter's name.
pub fn port_params(program: &Program) -> Vec<(String, String)> {
    egress_port(program).map_or_else(Vec::new, |port| port_params::params(program, port))
}

/// Returns the tables that egress applies.
pub fn egress_tables(program: &Program) -> BTreeSet<TableId> {
    let Ok((architecture, package)) = find_architecture(program) else { return BTreeSet::new() };
    let egress = architecture.blocks.iter().filter(|block| block.gress == GressKind::Egress);
    let pipes = architecture.pipes_of(package);
    let blocks = egress.flat_map(|block| pipes.iter().filter_map(|pipe| block.find_in(package, *pipe)));
    let stmts = blocks.flat_map(|(_, block)| reached_statements(program, block));
    let applied = |stmt: &Stmt| match stmt.kind {
        StmtKind::Apply { table, .. } => Some(table),
        _ => None,
    };
    stmts.filter_map(applied).collect()
}

/// Returns whether copies can return to ingress. They can if the program has calls that recirculate
/// packets, or can recirculate packets with a port number from the control plane.
pub fn can_recirculate(program: &ValidProgram) -> bool {
    let Ok((architecture, _)) = find_architecture(program) else { return false };
    let calls = weir_ir::visit::extern_calls(program);
    architecture.recirculation_port.is_some()
        || calls.iter().any(|(call, _)| architecture.recirculation_calls.contains(&call.callee.as_str()))
}

/// Returns the port numbers of a program; `None` if the program is not one of a known architecture.
pub fn port_space(program: &Program) -> Option<PortSpace> {
    let (architecture, package) = find_architecture(program).ok()?;
    let port = (architecture.egress_port)(program, package)?;
    let space = PortSpace::new(program.vars[port].ty.width());
    Some(if architecture.last_port_drops { space.dropping_last() } else { space })
}

fn load_all(program: &Program, settings: &Settings<'_>) -> Loaded {
    let (architecture, package) = find_architecture(program).map_err(|error| vec![error])?;
    if !is_bound(program, architecture, package) {
        let message = format!(
            "the blocks of `{}` do not share their parameters' storage; call `arch::bind` before making an executor",
            package.kind
        );
        return Err(vec![LoadError::new(program, LoadErrorKind::NotBound, Loc::NONE, message)]);
    }
    let loaded = (architecture.load)(program, package, settings);
    let calls = (architecture.calls)();
    let misplaced = calls::misplaced_calls(program, (package, 0), architecture.blocks, &calls);
    match loaded {
        Ok(loaded) if misplaced.is_empty() => Ok(loaded),
        Ok(_) => Err(misplaced),
        Err(errors) => Err(errors.into_iter().chain(misplaced).collect()),
    }
}

/// Returns the parameters of a block of a package.
fn params<'a>(program: &'a Program, arg: &PackageArg) -> Option<&'a [Param]> {
    match arg {
        PackageArg::Parser(id) => Some(&program.parsers[*id].params),
        PackageArg::Control(id) => Some(&program.controls[*id].params),
        PackageArg::Package(_) | PackageArg::Const(_) => None,
    }
}
