//! `Hash`: a hash of values, or a number in a range that a hash chooses.

use weir_exec::FrameValue;
use weir_ir::Bits;

use super::{Algorithms, Call, CallSite, Extern};
use crate::arch::externs::Object;
use crate::arch::families::{Out, write_hash};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::path::{ExternContext, ResolvedCall, valid_values, write_value};

pub(in crate::arch) struct Hash(pub Algorithms);

impl<A> Extern<A> for Hash {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("Hash.get_hash")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Hash"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        self.0.of_object(object).map(|_| ExternState::Stateless)
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let kind = self.0.of_site(site)?;
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let is_pure = matches!(kind, HashKind::Data(algorithm) if !algorithm.is_custom());
        let call = if site.call.args.len() == 1 {
            let data = site.values(0)?;
            ResolvedCall::new(move |env, words| {
                let hash = hash(env, kind, &data, words);
                write_value(words, result, u128::from(hash));
                Ok(())
            })
        } else {
            let (base, data, max) = (site.value(0)?, site.values(1)?, site.value(2)?);
            ResolvedCall::new(move |env, words| {
                let hash = hash(env, kind, &data, words);
                write_hash(words, result, (base, max), hash);
                Ok(())
            })
        };
        Ok(if is_pure { call.pure() } else { call })
    }
}

/// Computes the hash of values, without fields of invalid headers. If the bits do not fill whole
/// bytes, zeros come before them, as in `psa_switch`.
fn hash(env: &mut ExternContext<'_, '_>, kind: HashKind, data: &[FrameValue], words: &[u64]) -> u64 {
    let bits: u32 = valid_values(words, data).map(|value| value.bits(words)).sum();
    env.hash(kind, false, |writer| {
        writer.push(&Bits::zero(bits.next_multiple_of(8) - bits));
        for value in valid_values(words, data) {
            writer.push_words(value.bits(words), &words[value.words()]);
        }
    })
}
