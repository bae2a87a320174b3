//! Internet checksums: the checksum of an IPv4 header, and updates after a field has changed.

use super::{Call, Extern, Hidden, Site};
use crate::arch::families::{Out, sum};
use crate::error::LoadError;
use crate::externs::hash::{Algorithm, HashKind, add_words, subtract_words};
use crate::path::{ResolvedCall, low_bits, write_value};

/// `ebpf_ipv4_checksum`, whose arguments are the fields of the header in order.
pub(super) struct Ipv4Checksum;

impl Extern<Hidden> for Ipv4Checksum {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("ebpf_ipv4_checksum")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let fields = (0..site.call.args.len()).map(|position| site.value(position));
        let fields = fields.collect::<Result<Vec<_>, LoadError>>()?;
        Ok(ResolvedCall::new(move |env, words| {
            let checksum = sum(env, HashKind::Data(Algorithm::Csum16), &fields, words, false);
            write_value(words, result, u128::from(checksum));
            Ok(())
        })
        .pure())
    }
}

/// `csum_replace2` and `csum_replace4`.
pub(super) struct Replace;

impl Extern<Hidden> for Replace {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("csum_replace2"), Call::in_all_blocks("csum_replace4")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let (checksum, old, new) = (site.value(0)?, site.value(1)?, site.value(2)?);
        Ok(ResolvedCall::new(move |_, words| {
            // Leading zeroes do not change a sum.
            let [checksum, old, new] = [checksum, old, new].map(|value| low_bits(words, value));
            let sum = subtract_words(!(checksum as u16), &old.to_be_bytes());
            let sum = add_words(sum, &new.to_be_bytes());
            write_value(words, result, u128::from(!sum));
            Ok(())
        })
        .pure())
    }
}
