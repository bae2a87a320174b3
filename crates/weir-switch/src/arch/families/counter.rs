//! Arrays of counts.

use super::{Call, CallSite, Extern, Length, Object};
use crate::error::LoadError;
use crate::externs::{CounterUnit, ExternState};
use crate::path::{ResolvedCall, number};

/// A type of counters. Its only method takes the index first. A program may give the length of the
/// packet as `pkt_len`.
pub(in crate::arch) struct Counter {
    pub types: &'static [&'static str],
    pub calls: &'static [Call],
}

impl<A> Extern<A> for Counter {
    fn calls(&self) -> &'static [Call] {
        self.calls
    }

    fn types(&self) -> &'static [&'static str] {
        self.types
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let unit = unit(object)?;
        Ok(ExternState::counter(object.cells(0, unit.cell_bytes())?, unit))
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let (object, index, length) = (site.object()?, site.value(0)?, Length::of(site));
        Ok(ResolvedCall::new(move |env, words| {
            // An index of more than 64 bits is past the end.
            if let (Some(index), ExternState::Counter(counter)) = (number(words, index), env.object(object)) {
                let length = length.read(env.length, words);
                counter.count(index, length);
            }
            Ok(())
        }))
    }
}

/// Returns the unit of a counter.
pub(in crate::arch) fn unit(object: &Object<'_>) -> Result<CounterUnit, LoadError> {
    let unit = CounterUnit::from_constructor(object.program, object.instance);
    unit.ok_or_else(|| object.malformed("expected a CounterType: packets, bytes or packets_and_bytes"))
}
