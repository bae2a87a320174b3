//! `Random`: numbers from a range, in which all numbers are equally likely.

use weir_ir::{Bits, ConstArg};

use super::{Call, CallSite, Extern};
use crate::arch::externs::Object;
use crate::arch::families::{Out, draw};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::ResolvedCall;

pub(in crate::arch) struct Random;

impl<A> Extern<A> for Random {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("Random.read")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Random"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        match range(&object.instance.args) {
            Some(_) => Ok(ExternState::Stateless),
            None => Err(object.malformed("its constructor takes the smallest and the largest number")),
        }
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let (result, object) = (Out::Result.unsigned(site)?, site.object()?);
        let Some(range) = range(&site.program.externs[object].args) else {
            return Ok(ResolvedCall::no_effect());
        };
        Ok(ResolvedCall::new(move |env, words| {
            draw(env, words, result, range.clone());
            Ok(())
        }))
    }
}

fn range(args: &[ConstArg]) -> Option<(Bits, Bits)> {
    match args {
        [ConstArg::Bits(_, low), ConstArg::Bits(_, high)] => Some((low.clone(), high.clone())),
        _ => None,
    }
}
