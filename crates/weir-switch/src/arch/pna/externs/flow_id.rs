//! `allocate_flow_id`: a number that no other flow has, from 1 on.

use super::{Call, Decision, Extern, Site, in_control};
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::path::{ResolvedCall, write_value};

pub(super) struct FlowId;

impl Extern<Decision> for FlowId {
    fn calls(&self) -> &'static [Call] {
        const {
            &[in_control(
                "allocate_flow_id",
                "the number is for an added entry, and only the main control adds entries",
            )]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let result = Out::Result.value(site)?;
        Ok(ResolvedCall::new(move |env, words| {
            let next = env.context.thread.next_flow.wrapping_add(1);
            env.context.thread.next_flow = next;
            if let Some(result) = result {
                write_value(words, result, u128::from(next));
            }
            Ok(())
        })
        // Packets on several threads would get the same numbers.
        .changing_entries())
    }
}
