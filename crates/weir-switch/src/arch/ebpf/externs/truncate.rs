//! `truncate`: cuts the packet when it leaves.

use super::{CONTROL, Call, Extern, Hidden, Site};
use crate::error::LoadError;
use crate::path::{ResolvedCall, low_bits};

pub(super) struct Truncate;

impl Extern<Hidden> for Truncate {
    fn calls(&self) -> &'static [Call] {
        const {
            &[Call::in_blocks(
                "truncate",
                &[CONTROL],
                "it cuts the packet that the pipeline passes: call it there",
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
