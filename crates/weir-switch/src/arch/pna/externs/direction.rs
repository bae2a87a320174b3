//! `is_host_port`, `is_net_port` and `SelectByDirection`.

use super::{Call, Decision, Extern, Site};
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::path::{ResolvedCall, low_bits, write_value};

pub(super) struct Direction;

impl Extern<Decision> for Direction {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("SelectByDirection"),
                Call::in_all_blocks("is_host_port"),
                Call::in_all_blocks("is_net_port"),
            ]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        if site.call.callee == "SelectByDirection" {
            return select(site);
        }
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let (port, wants_host) = (site.value(0)?, site.call.callee == "is_host_port");
        Ok(ResolvedCall::new(move |env, words| {
            let (port, config) = (low_bits(words, port) as u32, env.context.config);
            let is = config.ports.contains(&port) && config.is_host_port(port) == wants_host;
            write_value(words, result, u128::from(is));
            Ok(())
        })
        .pure())
    }
}

/// Chooses the second argument for packets from the network, and the third for those from the host.
fn select(site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
    let results = site.frame.result.clone();
    if results.is_empty() {
        return Ok(ResolvedCall::no_effect());
    }
    let (direction, from_net, from_host) = (site.value(0)?, site.values(1)?, site.values(2)?);
    let all = || from_net.iter().chain(&from_host);
    let are_plain = all().all(|value| value.if_valid.is_none() && value.length_at.is_none());
    let fit = |values: &[weir_exec::FrameValue]| {
        values.iter().map(|value| value.width).eq(results.iter().map(|value| value.width))
    };
    if !are_plain || !fit(&from_net) || !fit(&from_host) {
        let help = "select each field of the header by itself";
        return Err(site.unsupported("`SelectByDirection` of headers".to_owned(), Some(help.to_owned())));
    }
    // Version 0.7 asks whether the port is one of the network. In version 0.5, the member 0 of
    // PNA_Direction_t is NET_TO_HOST.
    let net = u64::from(site.call.args[0].name == "is_network_port");
    Ok(ResolvedCall::new(move |_, words| {
        let chosen = if low_bits(words, direction) == net { &from_net } else { &from_host };
        for (from, to) in chosen.iter().zip(&results) {
            words.copy_within(from.words(), to.words().start);
        }
        Ok(())
    })
    .pure())
}
