//! `action_profile` and `action_selector`: their members and groups are entries of the control
//! plane, and packets use them by lookups.

use std::sync::Arc;

use weir_ir::{ConstArg, ExternInstance, Program, Type};

use super::{Extern, V1Model};
use crate::arch::externs::Object;
use crate::error::{LoadError, LoadWarning};
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::externs::profile::Profile;

pub(super) struct ActionProfile;

impl Extern<V1Model> for ActionProfile {
    fn types(&self) -> &'static [&'static str] {
        &["action_profile", "action_selector"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        if object.instance.kind == "action_profile" {
            let profile = Profile::new(members(object, 0)?, object.tables());
            return Ok(ExternState::Profile(Arc::new(profile)));
        }
        let algorithm = object
            .member(0)
            .ok_or_else(|| object.malformed("the first constructor argument must be a HashAlgorithm"))?;
        let hash = HashKind::from_name(algorithm)
            .ok_or_else(|| object.malformed(&format!("there is no HashAlgorithm.{algorithm}")))?;
        let width = match object.instance.args.get(2) {
            Some(ConstArg::Bits(_, width)) => u32::try_from(width.low_u64()).unwrap_or(u32::MAX),
            _ => return Err(object.malformed("constructor argument 3 must be the width of the hash in bits")),
        };
        let profile = Profile::with_selector(members(object, 1)?, hash, width, object.tables());
        Ok(ExternState::Profile(Arc::new(profile)))
    }
    fn warnings(&self, program: &Program) -> Vec<LoadWarning> {
        program.externs.values().flat_map(|object| sizes(program, object)).collect()
    }
}

/// The maximum number of members. They take memory only once they exist.
fn members(object: &Object<'_>, position: usize) -> Result<u64, LoadError> {
    Ok(object.size(position)?.to_u64().unwrap_or(u64::MAX))
}

/// Warns of an action profile or selector of size 0, and of a selector whose hash width is 0 or
/// does not fit its hash.
fn sizes(program: &Program, object: &ExternInstance) -> Vec<LoadWarning> {
    let number = |position: usize| match object.args.get(position) {
        Some(ConstArg::Bits(_, bits)) => Some(bits.low_u64()),
        _ => None,
    };
    let (size, width) = match object.kind.as_str() {
        "action_profile" => (number(0), None),
        "action_selector" => (number(1), number(2)),
        _ => return Vec::new(),
    };
    let (kind, name) = (&object.kind, &object.name);
    let mut found = Vec::new();
    if size == Some(0) {
        let message = format!("the size 0 of `{kind}` `{name}` limits nothing");
        let help = "it takes any number of members: give the largest number";
        found.push((LoadWarning::ZERO_SIZE, message, help.to_owned()));
    }
    if width == Some(0) {
        let message = format!("`{name}` uses no bit of its hash");
        let help = "every packet gets the same member of a group: give the width of the hash in bits";
        found.push((LoadWarning::ZERO_SIZE, message, help.to_owned()));
    }
    let algorithm = match object.args.first() {
        Some(ConstArg::Text(name)) => name.as_str(),
        Some(ConstArg::Bits(Type::Enum(of), bits)) => {
            let members = &program.enums[*of].members;
            members.get(bits.low_u64() as usize).map_or("", String::as_str)
        }
        _ => "",
    };
    if let (Some(width), Some(most)) = (width, hash_width(algorithm))
        && width > most
    {
        let message = format!("`{name}` uses {width} bits of a hash that has {most}");
        let help = format!("HashAlgorithm.{algorithm} has {most} bits; the others are 0");
        found.push((LoadWarning::IGNORED_SELECTOR, message, help));
    }
    let warning = |(id, message, help)| LoadWarning::new(program, id, object.loc, message, help);
    found.into_iter().map(warning).collect()
}

/// The number of bits of a hash; `None` if it has the width of its data, or the width that the
/// caller requests.
fn hash_width(algorithm: &str) -> Option<u64> {
    match algorithm {
        "crc16" | "crc16_custom" | "csum16" | "xor16" => Some(16),
        "crc32" | "crc32_custom" => Some(32),
        _ => None,
    }
}
