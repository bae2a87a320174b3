//! `action_profile` and `action_selector`: their members and groups are entries of the control
//! plane, and packets use them by lookups.

use std::sync::Arc;

use weir_ir::ConstArg;

use super::{Extern, V1Model};
use crate::arch::externs::Object;
use crate::error::LoadError;
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
            let profile = Profile::new(object.size(0)? as u64, object.tables());
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
        let profile = Profile::with_selector(object.size(1)? as u64, hash, width, object.tables());
        Ok(ExternState::Profile(Arc::new(profile)))
    }
}
