//! `Register.clear` of T2NA: sets all cells of a register at once.

use super::{Call, Extern, Lengths, Site};
use crate::arch::families::written_cell;
use crate::error::LoadError;
use crate::path::ResolvedCall;

pub(super) struct Clear;

impl Extern<Lengths> for Clear {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("Register.clear")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, cell) = (site.object()?, written_cell(site, 0)?);
        Ok(ResolvedCall::new(move |env, words| {
            if let (Some(register), Some(at)) = (env.register(object), cell) {
                (0..register.size() as u64).for_each(|index| _ = register.write_words(index, &words[at..]));
            }
            Ok(())
        }))
    }
}
