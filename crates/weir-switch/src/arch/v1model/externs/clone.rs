//! `clone`, `clone3` and `clone_preserving_field_list`: the last call of a block makes a copy at
//! its end.

use super::super::{EGRESS, INGRESS};
use super::{Call, Extern, Kept, Site, V1Model};
use crate::arch::calls::{Blocks, CallPlace};
use crate::error::LoadError;
use crate::packet::Keep;
use crate::path::{ResolvedCall, low_bits};

pub(super) struct Clone;

/// Describes the function `name`. The function's `CloneType` says at the end of which block the
/// copy is made; only that block may call the function.
const fn clone_call(name: &'static str) -> Call {
    Call {
        name,
        place: CallPlace::ByMember(
            0,
            &[
                (
                    "I2E",
                    Blocks {
                        positions: &[INGRESS],
                        help: "it copies the packet as ingress received it, so only ingress can call it; a \
                            copy of the packet that leaves is made in egress, with `CloneType.E2E`",
                    },
                ),
                (
                    "E2E",
                    Blocks {
                        positions: &[EGRESS],
                        help: "it copies the packet that leaves egress, so only egress can call it; a copy \
                            of the packet as it was received is made in ingress, with `CloneType.I2E`",
                    },
                ),
            ],
        ),
    }
}

impl Extern<V1Model> for Clone {
    fn calls(&self) -> &'static [Call] {
        const { &[clone_call("clone"), clone_call("clone3"), clone_call("clone_preserving_field_list")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let session = site.value(1)?;
        let metadata = match site.call.callee.as_str() {
            "clone3" => Kept::from_data(site, 2),
            "clone_preserving_field_list" => Kept::list(site, 2)?,
            _ => Kept::Known(Keep::Nothing),
        };
        Ok(ResolvedCall::new(move |env, words| {
            // The last call of a block counts.
            env.deferred.clones.insert(0, (low_bits(words, session) as u32, metadata.keep(words)));
            Ok(())
        })
        .deferring())
    }
}
