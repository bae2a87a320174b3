//! `random`: a number from a range, in which all numbers are equally likely.

use super::{Call, Extern, Site, V1Model};
use crate::error::LoadError;
use crate::externs::random;
use crate::path::ResolvedCall;
use crate::state::ThreadState;
use crate::trace::StepKind;

pub(super) struct Random;

impl Extern<V1Model> for Random {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("random")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (result, low, high) = (site.value(0)?, site.value(1)?, site.value(2)?);
        Ok(ResolvedCall::new(move |env, words| {
            let (low, high) = (low.read(words), high.read(words));
            let ThreadState { random, choices, .. } = &mut *env.context.thread;
            let (value, choice) = random::choose(random, choices, &low, &high);
            value.resize(result.width).write_words(&mut words[result.words()]);
            env.trace(|| StepKind::Drawn { value, low, high, choice });
            Ok(())
        }))
    }
}
