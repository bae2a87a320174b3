//! Gives parameters to which the architecture passes the same data a common storage, so that
//! nothing is copied between blocks.
//!
//! Needs a package; afterwards, the parameters of a group list the same variables, which have the
//! names that the user wrote below the group's first parameter: `hdr.ipv4.ttl`. Storage that
//! becomes unused is removed.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Id;
use crate::program::{
    ControlId, HeaderId, Package, PackageArg, Param, ParserId, Program, StackId, VarId, VarRole,
};
use crate::storage::qualified_name;
use crate::text;
use crate::validate::{ValidProgram, validate};
use crate::visit::mutable::walk_program;

use super::remap::Remap;
use super::sweep::sweep;

/// Parameters of blocks to which the architecture passes the same data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindGroup {
    /// For each parameter, the package's argument (dotted for a block of an inner package:
    /// `ingress.ip`), and the position among the block's parameters. The first parameter gives the
    /// group its name.
    pub params: Vec<(String, usize)>,
}

/// The reason why parameters cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The program has no package `main`.
    #[error("the program has no package `main`, so it cannot run on any architecture")]
    NoPackage,
    /// An argument of the package is missing.
    #[error("the package `{package}` has no block `{argument}`")]
    NoBlock {
        /// The type of the package.
        package: String,
        /// The argument that was expected.
        argument: String,
    },
    /// A block has too few parameters.
    #[error("`{block}` has {count} parameters, the architecture expects at least {expected}")]
    TooFewParams {
        /// The name of the block.
        block: String,
        /// The number of parameters that the block has.
        count: usize,
        /// The number of parameters that it should have.
        expected: usize,
    },
    /// Two parameters that should be the same data have different types.
    #[error("{first} and {second} should be the same type, but {difference}")]
    ShapesDiffer {
        /// The parameter that gives the group its name.
        first: Box<ParamName>,
        /// The other parameter.
        second: Box<ParamName>,
        /// The first difference between the two parameters.
        difference: String,
    },
    /// A parameter is in two groups.
    #[error("`{param}` of `{block}` is bound twice")]
    BoundTwice {
        /// The name of the block.
        block: String,
        /// The name of the parameter.
        param: String,
    },
}

/// A parameter, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamName {
    /// The name of the block that has the parameter.
    pub block: String,
    /// The name of the parameter.
    pub param: String,
    /// The parameter's type in P4.
    pub type_name: String,
}

impl fmt::Display for ParamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of `{}` (`{}`)", self.param, self.block, self.type_name)
    }
}

impl ParamName {
    fn new(block: &str, param: &Param) -> Box<Self> {
        let type_name = param.type_name.clone();
        Box::new(Self { block: block.to_owned(), param: param.name.clone(), type_name })
    }
}

/// A block of the package: a parser or a control.
#[derive(Clone, Copy)]
enum Block {
    Parser(ParserId),
    Control(ControlId),
}

/// Binds each group's parameters to the storage of the group's first parameter.
///
/// # Errors
/// The package lacks a block or parameter, or parameters of a group differ in shape.
///
/// # Panics
/// The result is invalid, which is a bug in this pass.
pub fn bind(program: ValidProgram, groups: &[BindGroup]) -> Result<ValidProgram, BindError> {
    let mut program = program.into_program();
    let mut bound = FxHashSet::default();
    let mut resolved = Vec::new();
    for group in groups {
        let mut params = Vec::new();
        for (argument, index) in &group.params {
            let block = find(&program, argument)?;
            let (name, param) = param_of(&program, block, *index)?;
            if param.storage.vars.iter().any(|var| !bound.insert(*var)) {
                return Err(BindError::BoundTwice { block: name.to_owned(), param: param.name.clone() });
            }
            params.push((name, param));
        }
        resolved.push(params);
    }
    let mut remap = Remap::identity(&program.vars, &program.headers, &program.stacks);
    let mut names = Names::new(&program, &bound);
    for params in &resolved {
        let Some(((first_block, first), others)) = params.split_first() else { continue };
        for (block, other) in others {
            if let Some(difference) = difference(&program, first, other) {
                let (first, second) = (ParamName::new(first_block, first), ParamName::new(block, other));
                return Err(BindError::ShapesDiffer { first, second, difference });
            }
            let (to, from) = (&first.storage, &other.storage);
            redirect(&mut remap.vars, &from.vars, &to.vars);
            redirect(&mut remap.headers, &from.headers, &to.headers);
            redirect(&mut remap.stacks, &from.stacks, &to.stacks);
        }
        names.assign_names(&program, first_block, first);
    }
    walk_program(&mut remap, &mut program);
    sweep_and_rename(&mut program, names);
    Ok(validate(program).unwrap_or_else(|violations| {
        let list: Vec<_> = violations.iter().map(ToString::to_string).collect();
        panic!("binding left an invalid program:\n{}", list.join("\n"))
    }))
}

/// Lets each handle in `from` refer to the handle at the same position in `to`.
fn redirect<T>(map: &mut [Id<T>], from: &[Id<T>], to: &[Id<T>]) {
    for (from, to) in from.iter().zip(to) {
        map[from.index()] = *to;
    }
}

/// Finds the block that is an argument of the package, or of a package within it.
fn find(program: &Program, argument: &str) -> Result<Block, BindError> {
    let mut package: &Package = program.main.as_ref().ok_or(BindError::NoPackage)?;
    let missing = || BindError::NoBlock {
        package: program.main.as_ref().map_or_else(String::new, |main| main.kind.clone()),
        argument: argument.to_owned(),
    };
    let mut parts = argument.split('.').peekable();
    while let Some(part) = parts.next() {
        let (_, arg) = package.args.iter().find(|(name, _)| name == part).ok_or_else(missing)?;
        match arg {
            PackageArg::Package(inner) => package = inner,
            PackageArg::Parser(id) if parts.peek().is_none() => return Ok(Block::Parser(*id)),
            PackageArg::Control(id) if parts.peek().is_none() => return Ok(Block::Control(*id)),
            _ => break,
        }
    }
    Err(missing())
}

fn param_of(program: &Program, block: Block, index: usize) -> Result<(&str, &Param), BindError> {
    let (name, params) = match block {
        Block::Parser(id) => (&program.parsers[id].name, &program.parsers[id].params),
        Block::Control(id) => (&program.controls[id].name, &program.controls[id].params),
    };
    let param = params.get(index).ok_or_else(|| BindError::TooFewParams {
        block: name.clone(),
        count: params.len(),
        expected: index + 1,
    })?;
    Ok((name, param))
}

/// Returns the first difference between the shapes of two parameters, if they differ.
fn difference(program: &Program, a: &Param, b: &Param) -> Option<String> {
    let show = |path: &str| if path.is_empty() { "the value".to_owned() } else { format!("`{path}`") };
    let (a, b) = (&a.storage, &b.storage);
    for ((a_var, a_path), (b_var, b_path)) in a.vars.iter().zip(&a.paths).zip(b.vars.iter().zip(&b.paths)) {
        let (a_var, b_var) = (&program.vars[*a_var], &program.vars[*b_var]);
        if a_path != b_path {
            return Some(format!("{} stands where the other has {}", show(a_path), show(b_path)));
        }
        if a_var.ty != b_var.ty {
            let (a_type, b_type) = (text::ty(program, a_var.ty), text::ty(program, b_var.ty));
            return Some(format!("{} is {a_type} in the first and {b_type} in the second", show(a_path)));
        }
        if !same_kind(a_var.role, b_var.role) {
            return Some(format!("{} is part of a header in only one of them", show(a_path)));
        }
    }
    if a.vars.len() != b.vars.len() {
        let longer = if a.vars.len() > b.vars.len() { a } else { b };
        let extra = &longer.paths[a.vars.len().min(b.vars.len())];
        return Some(format!("only one of them has {}", show(extra)));
    }
    let header_types = |ids: &[HeaderId]| ids.iter().map(|id| program.headers[*id].ty).collect::<Vec<_>>();
    if header_types(&a.headers) != header_types(&b.headers) {
        return Some("their headers have different types".into());
    }
    let sizes = |ids: &[StackId]| ids.iter().map(|id| program.stacks[*id].elements.len()).collect::<Vec<_>>();
    if sizes(&a.stacks) != sizes(&b.stacks) {
        return Some("their header stacks have different sizes".into());
    }
    if member_lists(program, &a.headers) != member_lists(program, &b.headers) {
        return Some("their headers belong to different unions".into());
    }
    None
}

/// Returns for each of these headers the position of the first header in the list that is in the
/// same union.
fn member_lists(program: &Program, headers: &[HeaderId]) -> Vec<Option<usize>> {
    let mut first = FxHashMap::default();
    let first_of_union = |(at, id): (usize, &HeaderId)| {
        program.headers[*id].union.map(|first_of_union| *first.entry(first_of_union).or_insert(at))
    };
    headers.iter().enumerate().map(first_of_union).collect()
}

fn same_kind(a: VarRole, b: VarRole) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

/// The names that storage gets after all handles are redirected.
struct Names {
    taken: FxHashSet<String>,
    vars: Vec<(VarId, String)>,
    headers: Vec<(HeaderId, String)>,
    stacks: Vec<(StackId, String)>,
}

impl Names {
    /// Collects the names in use. The names of bound storage become free; all other names stay in
    /// use.
    fn new(program: &Program, bound: &FxHashSet<VarId>) -> Self {
        let taken = program.vars.iter().filter(|(id, _)| !bound.contains(id));
        Self {
            taken: taken.map(|(_, var)| var.name.clone()).collect(),
            vars: Vec::new(),
            headers: Vec::new(),
            stacks: Vec::new(),
        }
    }

    /// Gives a parameter's storage the user's names, `hdr.ipv4.ttl`; if another group already has
    /// these names, they are prefixed with the block's name.
    fn assign_names(&mut self, program: &Program, block: &str, param: &Param) {
        let storage = &param.storage;
        let plain = crate::storage::qualified_name;
        let below = |prefix: &str, path: &str| {
            if path.starts_with('[') { format!("{prefix}{path}") } else { plain(prefix, path) }
        };
        let below =
            |prefix: &str, path: &str| if path.is_empty() { prefix.to_owned() } else { below(prefix, path) };
        let mut prefix = param.name.clone();
        while storage.paths.iter().any(|path| self.taken.contains(&below(&prefix, path))) {
            prefix = qualified_name(block, &prefix);
        }
        for (var, path) in storage.vars.iter().zip(&storage.paths) {
            let name = below(&prefix, path);
            self.taken.insert(name.clone());
            self.vars.push((*var, name));
        }
        let paths: FxHashMap<VarId, &String> = storage.vars.iter().copied().zip(&storage.paths).collect();
        // `ingress.hdr.ipv4` keeps its path below `ingress.hdr` when it gets a new prefix.
        let renamed = |part: &str, var: VarId| {
            let old = program.vars[var].name.strip_suffix(paths.get(&var)?.as_str())?;
            let rest = part.strip_prefix(old.strip_suffix('.').unwrap_or(old))?;
            Some(format!("{prefix}{rest}"))
        };
        for id in &storage.headers {
            let header = &program.headers[*id];
            self.headers.extend(renamed(&header.name, header.valid).map(|name| (*id, name)));
        }
        for id in &storage.stacks {
            let stack = &program.stacks[*id];
            self.stacks.extend(renamed(&stack.name, stack.next_index).map(|name| (*id, name)));
        }
    }
}

/// Renames storage, and drops the storage that nothing refers to any more, which may still have the
/// new names.
fn sweep_and_rename(program: &mut Program, names: Names) {
    for (id, name) in names.vars {
        program.vars[id].name = name;
    }
    for (id, name) in names.headers {
        program.headers[id].name = name;
    }
    for (id, name) in names.stacks {
        program.stacks[id].name = name;
    }
    sweep(program);
}
