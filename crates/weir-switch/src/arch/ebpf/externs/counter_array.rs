//! `CounterArray`: numbers that packets increase.

use weir_ir::{ConstArg, ExternInstance, Program};

use super::{Call, Extern, Hidden, Site};
use crate::arch::externs::Object;
use crate::error::{LoadError, LoadWarning};
use crate::externs::{CounterUnit, ExternState};
use crate::path::{ResolvedCall, low_bits};

pub(super) struct CounterArray;

impl Extern<Hidden> for CounterArray {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("CounterArray.increment"), Call::in_all_blocks("CounterArray.add")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["CounterArray"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let unit = CounterUnit::Packets;
        Ok(ExternState::counter(object.cells(0, unit.cell_bytes())?, unit))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, index) = (site.object()?, site.value(0)?);
        let more = if site.call.args.len() > 1 { Some(site.value(1)?) } else { None };
        Ok(ResolvedCall::new(move |env, words| {
            if let ExternState::Counter(counter) = env.object(object) {
                let more = more.map_or(1, |more| low_bits(words, more));
                counter.add_packets(low_bits(words, index), more);
            }
            Ok(())
        }))
    }

    fn warnings(&self, program: &Program) -> Vec<LoadWarning> {
        program.externs.values().filter_map(|object| sparse(program, object)).collect()
    }
}

/// Warns of a sparse array, which takes any index on p4c's target.
fn sparse(program: &Program, object: &ExternInstance) -> Option<LoadWarning> {
    let [ConstArg::Bits(_, size), ConstArg::Bits(_, sparse)] = &object.args[..] else { return None };
    if object.kind != "CounterArray" || sparse.is_zero() || size.is_zero() {
        return None;
    }
    let message = format!("the sparse `CounterArray` `{}` counts only indices below {size}", object.name);
    let help = "with p4c, its cells serve any indices: use an index below the number of cells, such as a hash or \
                a parameter of an action";
    Some(LoadWarning::new(program, LoadWarning::SPARSE_COUNTER, object.loc, message, help.to_owned()))
}
