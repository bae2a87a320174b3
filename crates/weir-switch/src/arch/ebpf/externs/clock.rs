//! The time in nanoseconds, and a helper function of the kernel that Weir does not have.

use super::{Call, Extern, Hidden, Site};
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::path::{ResolvedCall, write_value};

pub(super) struct Clock;

impl Extern<Hidden> for Clock {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("ubpf_time_get_ns")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        read(site)
    }
}

/// The same function of the kernel. Its result has only 32 bits.
pub(super) struct KernelClock;

impl Extern<Hidden> for KernelClock {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("BPF_KTIME_GET_NS")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        read(site)
    }
}

fn read(site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
    let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
    Ok(ResolvedCall::new(move |env, words| {
        write_value(words, result, u128::from(env.context.now));
        Ok(())
    }))
}

/// A message to a program that reads the kernel's ring of events.
pub(super) struct PerfEvent;

impl Extern<Hidden> for PerfEvent {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("BPF_PERF_EVENT_OUTPUT")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let help = "nothing in Weir reads the kernel's ring of events: count in a `CounterArray`, or send the \
                    packet to a host";
        Err(site.unsupported("extern `BPF_PERF_EVENT_OUTPUT`".to_owned(), Some(help.to_owned())))
    }
}
