//! `action_profile` and `action_selector`: their members and groups are entries of the control
//! plane, and packets use them by lookups.

use std::sync::Arc;

use weir_ir::{ConstArg, ExternInstance, Program, Type};

use super::{Extern, Object};
use crate::error::{LoadError, LoadWarning};
use crate::externs::ExternState;
use crate::externs::hash::{Algorithm, HashKind};
use crate::externs::profile::Profile;

/// A type of action profiles and one of selectors.
pub(in crate::arch) struct ActionProfile {
    /// The types of profiles and of selectors.
    pub types: &'static [&'static str; 2],
    /// The enumeration of hash algorithms.
    pub algorithms: &'static str,
    /// The hash with this name in this enumeration.
    pub hash: fn(&str) -> Option<HashKind>,
}

impl<A> Extern<A> for ActionProfile {
    fn types(&self) -> &'static [&'static str] {
        self.types
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        if object.instance.kind == self.types[0] {
            let profile = Profile::new(members(object, 0)?, object.tables());
            return Ok(ExternState::Profile(Arc::new(profile)));
        }
        let algorithm = object.member(0).ok_or_else(|| {
            object.malformed(&format!("the first constructor argument must be a {}", self.algorithms))
        })?;
        let hash = (self.hash)(algorithm)
            .ok_or_else(|| object.malformed(&format!("there is no {}.{algorithm}", self.algorithms)))?;
        let width = match object.instance.args.get(2) {
            Some(ConstArg::Bits(_, width)) => u32::try_from(width.low_u64()).unwrap_or(u32::MAX),
            _ => return Err(object.malformed("constructor argument 3 must be the width of the hash in bits")),
        };
        let profile = Profile::with_selector(members(object, 1)?, hash, width, object.tables());
        Ok(ExternState::Profile(Arc::new(profile)))
    }

    fn warnings(&self, program: &Program) -> Vec<LoadWarning> {
        program.externs.values().flat_map(|object| self.sizes(program, object)).collect()
    }
}

/// Returns the maximum number of members. Members take memory only once they exist.
fn members(object: &Object<'_>, position: usize) -> Result<u64, LoadError> {
    Ok(object.size(position)?.to_u64().unwrap_or(u64::MAX))
}

impl ActionProfile {
    /// Warns of an action profile or selector of size 0, and of a selector whose hash width is 0 or
    /// does not fit its hash.
    fn sizes(&self, program: &Program, object: &ExternInstance) -> Vec<LoadWarning> {
        let number = |position: usize| match object.args.get(position) {
            Some(ConstArg::Bits(_, bits)) => Some(bits.low_u64()),
            _ => None,
        };
        let [profile, selector] = *self.types;
        let (size, width) = match object.kind.as_str() {
            kind if kind == profile => (number(0), None),
            kind if kind == selector => (number(1), number(2)),
            _ => return Vec::new(),
        };
        let (kind, name) = (&object.kind, &object.name);
        let mut warnings = Vec::new();
        if size == Some(0) {
            let message = format!("the size 0 of `{kind}` `{name}` limits nothing");
            let help = "it takes any number of members: give the largest number";
            warnings.push((LoadWarning::ZERO_SIZE, message, help.to_owned()));
        }
        if width == Some(0) {
            let message = format!("`{name}` uses no bit of its hash");
            let help = "every packet gets the same member of a group: give the width of the hash in bits";
            warnings.push((LoadWarning::ZERO_SIZE, message, help.to_owned()));
        }
        let algorithm = match object.args.first() {
            Some(ConstArg::Text(name)) => name.as_str(),
            Some(ConstArg::Bits(Type::Enum(of), bits)) => {
                let members = &program.enums[*of].members;
                members.get(bits.low_u64() as usize).map_or("", String::as_str)
            }
            _ => "",
        };
        if let (Some(width), Some(most)) = (width, (self.hash)(algorithm).and_then(hash_width))
            && width > most
        {
            let message = format!("`{name}` uses {width} bits of a hash that has {most}");
            let help = format!("{}.{algorithm} has {most} bits; the others are 0", self.algorithms);
            warnings.push((LoadWarning::IGNORED_SELECTOR, message, help));
        }
        let warning = |(id, message, help)| LoadWarning::new(program, id, object.loc, message, help);
        warnings.into_iter().map(warning).collect()
    }
}

/// Returns the number of bits of a hash; `None` if the hash is as wide as its data, or as wide as
/// the caller requests.
fn hash_width(kind: HashKind) -> Option<u64> {
    match kind {
        HashKind::Data(Algorithm::Crc16 | Algorithm::Crc16Custom | Algorithm::Csum16 | Algorithm::Xor16) => {
            Some(16)
        }
        HashKind::Data(Algorithm::Crc32 | Algorithm::Crc32Custom) => Some(32),
        _ => None,
    }
}
