//! `verify_checksum` and `update_checksum`, each also with the payload: a checksum of values,
//! compared with a field or written to it.

use weir_exec::ExternSemantics;
use weir_ir::{ArgValue, Bits, Leaf, Type, VarRole};

use super::super::{EGRESS, INGRESS, PARSER, VERIFY};
use super::{Call, Extern, HashAlgorithm, Site, V1Model};
use crate::arch::families::sum;
use crate::error::LoadError;
use crate::externs::hash::{Algorithm, HashKind};
use crate::path::{ExternContext, ResolvedCall, low_bits, write_value};
use crate::trace::StepKind;

pub(super) struct Checksum;

/// Describes a call that verifies a checksum. Egress is the last block that reads `checksum_error`.
const fn verifies(name: &'static str) -> Call {
    let help = "it sets `checksum_error`, which ingress and egress read: call it in checksum verification";
    Call::in_blocks(name, &[PARSER, VERIFY, INGRESS, EGRESS], help)
}

impl Extern<V1Model> for Checksum {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("update_checksum"),
                Call::in_all_blocks("update_checksum_with_payload"),
                verifies("verify_checksum"),
                verifies("verify_checksum_with_payload"),
            ]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (condition, data, field) = (site.value(0)?, site.values(1)?, site.value(2)?);
        let algorithm = HashAlgorithm::from_argument(site, 3)?;
        let with_payload = site.call.callee.ends_with("payload");
        let is_internet_checksum = !with_payload && is_internet_checksum(site, &algorithm);
        let is_pure = algorithm.is_pure();
        let sum = move |env: &mut ExternContext<'_, '_>, words: &[u64]| {
            if low_bits(words, condition) == 0 {
                return None;
            }
            Some(algorithm.kind(words).map_or(0, |kind| sum(env, kind, &data, words, with_payload)))
        };
        if site.call.callee.starts_with("update") {
            let call = ResolvedCall::new(move |env, words| {
                if let Some(sum) = sum(env, words) {
                    write_value(words, field, u128::from(sum));
                }
                Ok(())
            });
            return Ok(match (is_internet_checksum, is_pure) {
                (true, _) => {
                    call.with_semantics(ExternSemantics::UpdateChecksum { condition: 0, data: 1, field: 2 })
                }
                (false, true) => call.pure(),
                (false, false) => call,
            }
            .reading_payload(with_payload));
        }
        let error = site.architecture.fields.checksum_error;
        let call = ResolvedCall::new(move |env, words| {
            if let Some(sum) = sum(env, words) {
                let (given, computed) = (field.read(words), Bits::new(field.bits(words), u128::from(sum)));
                let is_wrong = given != computed;
                env.trace(|| StepKind::Verified { given, computed });
                if is_wrong {
                    env.assign(error, 1);
                }
            }
            Ok(())
        })
        .writing_metadata();
        let call = if is_pure { call.pure() } else { call };
        Ok(match error {
            Some(error) if is_internet_checksum && site.is_plain(error) => call
                .with_semantics(ExternSemantics::VerifyChecksum { condition: 0, data: 1, given: 2, error }),
            None if is_internet_checksum => call.with_semantics(ExternSemantics::Set(Vec::new())),
            _ => call,
        }
        .reading_payload(with_payload))
    }
}

/// Returns whether the first four arguments are a condition, values of fixed widths, one value of
/// 16 bits, and `HashAlgorithm.csum16`.
fn is_internet_checksum(site: &Site<'_>, algorithm: &HashAlgorithm) -> bool {
    let fixed = |ty: Type| !matches!(ty, Type::Varbit { .. });
    let values = site.leaves(1).is_some_and(|leaves| {
        leaves.iter().all(|leaf| matches!(leaf, Leaf::Value(value) if fixed(value.ty)))
    });
    let sixteen = match site.call.args.get(2).map(|arg| &arg.value) {
        Some(ArgValue::Leaves(leaves)) => {
            matches!(&leaves[..], [Leaf::Value(value)] if fixed(value.ty) && value.ty.width() == 16)
        }
        Some(ArgValue::Vars { vars, .. }) => matches!(vars[..], [var] if {
            let var = &site.program.vars[var];
            fixed(var.ty) && var.ty.width() == 16 && matches!(var.role, VarRole::Plain | VarRole::Field(_))
        }),
        _ => false,
    };
    let condition = matches!(site.leaves(0), Some([Leaf::Value(_)]));
    let csum16 = matches!(algorithm, HashAlgorithm::Known(HashKind::Data(Algorithm::Csum16)));
    condition && values && sixteen && csum16
}
