//! `ActionProfile` and `ActionSelector`. A selector names its profile; members and groups belong to
//! the selector.

use std::sync::Arc;

use weir_ir::{ConstArg, ExternInstance, Program, Type};

use super::{Extern, Lengths};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash::{Algorithm, HashKind};
use crate::externs::profile::Profile;

pub(super) struct Selector;

impl Extern<Lengths> for Selector {
    fn types(&self) -> &'static [&'static str] {
        &["ActionProfile", "ActionSelector"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        if object.instance.kind == "ActionProfile" {
            let size = object.size(0)?.to_u64().unwrap_or(u64::MAX);
            return Ok(ExternState::Profile(Arc::new(Profile::new(size, object.tables()))));
        }
        let size = match object.instance.args.first() {
            Some(ConstArg::Extern(profile)) => number(&object.program.externs[*profile], 0),
            _ => number(object.instance, 0),
        };
        let hash = match object.instance.args.get(1) {
            Some(ConstArg::Extern(hash)) => &object.program.externs[*hash],
            _ => return Err(object.malformed("constructor argument 2 must be a Hash")),
        };
        let (kind, width) = (kind(object.program, hash), hash.type_args.first().map_or(64, |ty| ty.width()));
        let profile = Profile::with_selector(size.unwrap_or(0), kind, width, object.tables());
        Ok(ExternState::Profile(Arc::new(profile)))
    }
}

fn number(object: &ExternInstance, position: usize) -> Option<u64> {
    match object.args.get(position) {
        Some(ConstArg::Bits(_, bits)) => bits.to_u64(),
        _ => None,
    }
}

/// Returns the hash of a selector. The documentation of the chip does not say which member a hash
/// chooses, so all algorithms but these are CRC-32.
fn kind(program: &Program, hash: &ExternInstance) -> HashKind {
    let name = match hash.args.first() {
        Some(ConstArg::Bits(Type::Enum(of), ordinal)) => {
            program.enums[*of].members.get(ordinal.low_u64() as usize).map_or("", String::as_str)
        }
        _ => "",
    };
    HashKind::Data(match name {
        "IDENTITY" => Algorithm::Identity,
        "CRC16" => Algorithm::Crc16,
        _ => Algorithm::Crc32,
    })
}
