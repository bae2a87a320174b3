//! `counter`, an array of counts.

use super::{Call, Extern, Site, V1Model};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::{CounterUnit, ExternState};
use crate::path::{ResolvedCall, number};

pub(super) struct Counter;

impl Extern<V1Model> for Counter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("counter.count")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["counter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let unit = unit(object)?;
        Ok(ExternState::counter(object.cells(0, unit.cell_bytes())?, unit))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, index) = (site.object()?, site.value(0)?);
        Ok(ResolvedCall::new(move |env, words| {
            // An index of more than 64 bits is past the end.
            if let (Some(index), ExternState::Counter(counter)) = (number(words, index), env.object(object)) {
                counter.count(index, env.length);
            }
            Ok(())
        }))
    }
}

/// Returns what a counter counts.
pub(super) fn unit(object: &Object<'_>) -> Result<CounterUnit, LoadError> {
    let unit = CounterUnit::from_constructor(object.program, object.instance);
    unit.ok_or_else(|| object.malformed("expected a CounterType: packets, bytes or packets_and_bytes"))
}
