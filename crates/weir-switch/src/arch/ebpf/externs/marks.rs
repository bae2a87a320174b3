//! `mark_to_drop` and `mark_to_pass`.

use weir_exec::{ExternSemantics, NewValue};

use super::{CONTROL, Call, Extern, Hidden, Site};
use crate::error::LoadError;
use crate::path::ResolvedCall;

pub(super) struct Marks;

const HELP: &str = "the pipeline decides whether the packet is dropped: call it there";

impl Extern<Hidden> for Marks {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_blocks("mark_to_drop", &[CONTROL], HELP),
                Call::in_blocks("mark_to_pass", &[CONTROL], HELP),
            ]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let dropped = site.architecture.dropped;
        let value = u64::from(site.call.callee == "mark_to_drop");
        Ok(ResolvedCall::new(move |env, _| {
            env.assign(Some(dropped), value);
            Ok(())
        })
        .with_semantics(ExternSemantics::Set(vec![(dropped, NewValue::Const(value))])))
    }
}
