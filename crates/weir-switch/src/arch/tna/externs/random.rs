//! `Random`: uniformly distributed numbers of a given width.

use weir_ir::Bits;

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::{Out, draw};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::ResolvedCall;

pub(super) struct Random;

impl Extern<Lengths> for Random {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("Random.get")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Random"]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let range = (Bits::zero(result.width), Bits::ones(result.width));
        Ok(ResolvedCall::new(move |env, words| {
            draw(env, words, Some(result), range.clone());
            Ok(())
        }))
    }
}
