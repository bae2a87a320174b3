//! The blocks of a program's package, checked against the blocks of its architecture.

use weir_ir::{ControlId, Loc, Package, PackageArg, Param, ParserId, Program, VarId};

use super::{BlockRole, params};
use crate::error::{LoadError, LoadErrorKind};

/// The requirements of an architecture for its blocks.
pub(super) struct Shape {
    /// The name of the architecture, for messages.
    pub architecture: &'static str,
    pub roles: &'static [BlockRole],
    /// For each block, whether it is a parser, and the minimum and maximum number of its
    /// parameters, not counting the packet.
    pub blocks: &'static [(bool, usize, usize)],
}

/// The blocks of a package, in the order of the architecture's list.
pub(super) struct Blocks<'a> {
    architecture: &'static str,
    list: Vec<&'a PackageArg>,
}

impl<'a> Blocks<'a> {
    /// Finds the blocks. Only packages that the program itself declares can have other blocks than
    /// those of the shape.
    pub(super) fn new(program: &Program, package: &'a Package, shape: &Shape) -> Result<Self, LoadError> {
        let architecture = shape.architecture;
        let blocks = shape.roles.iter().zip(shape.blocks).map(|(role, (is_parser, least, most))| {
            let block = role.find(package).map(|(_, block)| block);
            let fits = |count: usize| (*least..=*most).contains(&count);
            let fits = match block {
                Some(PackageArg::Parser(id)) => *is_parser && fits(program.parsers[*id].params.len()),
                Some(PackageArg::Control(id)) => !is_parser && fits(program.controls[*id].params.len()),
                _ => false,
            };
            block.filter(|_| fits).ok_or_else(|| {
                let block_kind = if *is_parser { "parser" } else { "control" };
                let count = if least == most { most.to_string() } else { format!("{least} to {most}") };
                let message = format!(
                    "this package `{}` is not the one of {architecture}: {} is not a {block_kind} with {count} \
                     parameters besides the packet",
                    package.kind, role.name
                );
                LoadError::new(program, LoadErrorKind::UnknownArchitecture, package.loc, message)
            })
        });
        Ok(Self { architecture, list: blocks.collect::<Result<_, _>>()? })
    }

    /// Returns the parser at a position.
    pub(super) fn parser(&self, block: usize) -> ParserId {
        match self.list[block] {
            PackageArg::Parser(id) => *id,
            _ => unreachable!("the blocks are checked"),
        }
    }

    /// Returns the control at a position.
    pub(super) fn control(&self, block: usize) -> ControlId {
        match self.list[block] {
            PackageArg::Control(id) => *id,
            _ => unreachable!("the blocks are checked"),
        }
    }

    /// Returns the parameters of a block, without the packet.
    pub(super) fn params<'p>(&self, program: &'p Program, block: usize) -> &'p [Param] {
        params(program, self.list[block]).unwrap_or_default()
    }

    /// Returns the variables of a parameter; empty if the block has no such parameter.
    pub(super) fn vars(&self, program: &Program, block: usize, param: usize) -> Vec<VarId> {
        self.params(program, block).get(param).map_or_else(Vec::new, |param| param.storage.vars.clone())
    }

    /// Returns the variable that stores a field of a parameter; `None` if there is no such field.
    pub(super) fn find_field(
        &self,
        program: &Program,
        (block, param): (usize, usize),
        name: &str,
    ) -> Option<VarId> {
        let storage = &self.params(program, block).get(param)?.storage;
        let index = storage.paths.iter().position(|path| path == name)?;
        storage.vars.get(index).copied()
    }

    /// Returns the variable that stores a field of the architecture's own metadata. Such a field
    /// has at most 64 bits.
    pub(super) fn field(
        &self,
        program: &Program,
        (block, param): (usize, usize),
        name: &str,
    ) -> Result<VarId, LoadError> {
        let var = self.find_field(program, (block, param), name);
        var.filter(|var| program.vars[*var].ty.width() <= 64).ok_or_else(|| {
            let ty = self.params(program, block).get(param).map_or("", |param| &param.type_name);
            let message =
                format!("`{ty}` has no field `{name}` of at most 64 bits: it is not {}'s", self.architecture);
            LoadError::malformed(program, Loc::NONE, message)
        })
    }

    /// Checks that ports have 32 bits. `file` is the name of the file that programs include.
    pub(super) fn check_port(&self, program: &Program, port: VarId, file: &str) -> Result<(), LoadError> {
        match program.vars[port].ty.width() {
            32 => Ok(()),
            width => {
                let architecture = self.architecture;
                let feature = format!("`PortId_t` of {width} bits in a {architecture} program");
                let help = format!(
                    "{architecture}'s ports have 32 bits in Weir: include <{file}>, which comes with Weir"
                );
                Err(LoadError::unsupported(program, Loc::NONE, feature, Some(help)))
            }
        }
    }
}
