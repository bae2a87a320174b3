//! `assert` and `assume`: a packet for which the condition is false is dropped.

use weir_exec::Fault;

use super::{Call, CallSite, Extern};
use crate::error::LoadError;
use crate::path::{ResolvedCall, low_bits};

pub(in crate::arch) struct Assert;

impl<A> Extern<A> for Assert {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("assert"), Call::in_all_blocks("assume")] }
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let condition = site.value(0)?;
        Ok(ResolvedCall::new(move |_, words| match low_bits(words, condition) {
            0 => Err(Fault::AssertionFailed),
            _ => Ok(()),
        }))
    }
}
