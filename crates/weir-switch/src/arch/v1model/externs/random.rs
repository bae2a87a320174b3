//! `random`: a number from a range, in which all numbers are equally likely.

use super::{Call, Extern, Site, V1Model};
use crate::arch::families::{Out, draw};
use crate::error::LoadError;
use crate::path::ResolvedCall;

pub(super) struct Random;

impl Extern<V1Model> for Random {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("random")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (result, low, high) = (Out::Argument(0).unsigned(site)?, site.value(1)?, site.value(2)?);
        Ok(ResolvedCall::new(move |env, words| {
            let range = (low.read(words), high.read(words));
            draw(env, words, result, range);
            Ok(())
        }))
    }
}
