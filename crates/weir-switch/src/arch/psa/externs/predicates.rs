//! `psa_normal`, `psa_clone_i2e` and so on: tests whether the deparser's metadata for this kind of
//! packet will be used.

use weir_exec::FrameValue;

use super::super::PORT_RECIRCULATE;
use super::{Call, Extern, Fields, Site};
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::path::{ResolvedCall, low_bits, write_value};

pub(super) struct Predicates;

impl Extern<Fields> for Predicates {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("psa_clone_i2e"),
                Call::in_all_blocks("psa_resubmit"),
                Call::in_all_blocks("psa_normal"),
                Call::in_all_blocks("psa_clone_e2e"),
                Call::in_all_blocks("psa_recirculate"),
            ]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let [ingress, egress] = &site.architecture.results;
        let find = |names: &[String], name: &str| -> Result<FrameValue, LoadError> {
            let values = site.values(0)?;
            let place = names.iter().position(|known| known == name).and_then(|at| values.get(at).copied());
            place.ok_or_else(|| {
                site.unsupported(format!("`{}` of other metadata than PSA's", site.call.callee), None)
            })
        };
        // The values that must be 1, that must be 0, and the one that must be a certain port.
        let (ones, zeros, port) = match site.call.callee.as_str() {
            "psa_clone_i2e" => (vec![find(ingress, "clone")?], Vec::new(), None),
            "psa_resubmit" => (vec![find(ingress, "resubmit")?], vec![find(ingress, "drop")?], None),
            "psa_normal" => (Vec::new(), vec![find(ingress, "drop")?, find(ingress, "resubmit")?], None),
            "psa_clone_e2e" => (vec![find(egress, "clone")?], Vec::new(), None),
            _ => (Vec::new(), vec![find(egress, "drop")?], Some(site.value(1)?)),
        };
        Ok(ResolvedCall::new(move |_, words| {
            let holds = ones.iter().all(|value| low_bits(words, *value) == 1)
                && zeros.iter().all(|value| low_bits(words, *value) == 0)
                && port.is_none_or(|port| low_bits(words, port) == u64::from(PORT_RECIRCULATE));
            write_value(words, result, u128::from(holds));
            Ok(())
        })
        .pure())
    }
}
