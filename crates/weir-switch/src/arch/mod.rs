//! Architectures: what the blocks of a package mean and which way packets take through them.
//!
//! A new architecture is a module here with a description (its blocks and which of their parameters are the same thing), a
//! check of what a program asks for, and a path (`PacketPath`); neither the compiler nor the executors hear of it.

mod calls;
mod v1model;

use weir_ir::{Package, Program};

use crate::control::nearest;
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::path::PacketPath;

/// An architecture as far as no program is concerned.
struct Architecture {
    /// Its package.
    package: &'static str,
    /// Which parameters of which blocks are one: each group lists block positions and parameter positions, `packet_in` and
    /// `packet_out` left out.
    shared: &'static [&'static [(usize, usize)]],
    load: fn(&Program, &Package) -> Result<Loaded, LoadError>,
}

/// An architecture made for a program.
pub(crate) struct Loaded {
    pub path: Box<dyn PacketPath>,
    /// By `ExternId`.
    pub externs: Vec<ExternState>,
}

const ARCHITECTURES: [Architecture; 1] = [v1model::ARCHITECTURE];

/// The packages that can be loaded.
pub fn packages() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|architecture| architecture.package)
}

fn find(program: &Program) -> Result<(&'static Architecture, &Package), LoadError> {
    let known = || packages().map(str::to_owned).collect();
    let package = program.main.as_ref().ok_or_else(|| LoadError::NoMain { known: known() })?;
    let architecture = ARCHITECTURES.iter().find(|a| a.package == package.kind).ok_or_else(|| {
        LoadError::UnknownPackage {
            place: Place::new(program, package.loc),
            package: package.kind.clone(),
            known: known(),
            suggestion: nearest(&package.kind, packages()).map(str::to_owned),
        }
    })?;
    Ok((architecture, package))
}

/// Checks that the program can run in its architecture and makes it ready.
pub(crate) fn load(program: &Program) -> Result<Loaded, LoadError> {
    let (architecture, package) = find(program)?;
    let bound = architecture.shared.iter().all(|group| {
        let mut storages = group.iter().map(|(block, param)| {
            package
                .args
                .get(*block)
                .and_then(|(_, arg)| calls::params(program, arg))
                .and_then(|p| p.get(*param))
        });
        let first = storages.next().flatten();
        storages.all(|storage| match (first, storage) {
            (Some(first), Some(storage)) => first.storage.vars == storage.storage.vars,
            // Missing blocks and parameters are for the architecture to complain about.
            _ => true,
        })
    });
    if !bound {
        return Err(LoadError::NotBound { package: package.kind.clone() });
    }
    (architecture.load)(program, package)
}
