//! `truncate`: cuts the packet when it leaves, to the smallest length that a call of the pass
//! requests.

use super::super::{DEPARSER, EGRESS, INGRESS};
use super::{Call, Extern, Site, V1Model};
use crate::error::LoadError;
use crate::path::{ResolvedCall, low_bits};

pub(super) struct Truncate;

impl Extern<V1Model> for Truncate {
    fn calls(&self) -> &'static [Call] {
        const {
            &[Call::in_blocks(
                "truncate",
                &[INGRESS, EGRESS, DEPARSER],
                "call it in ingress or egress: it cuts the packet that leaves",
            )]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let length = site.value(0)?;
        Ok(ResolvedCall::new(move |env, words| {
            env.deferred.cut_to(low_bits(words, length));
            Ok(())
        })
        .deferring())
    }
}
