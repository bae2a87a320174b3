//! `send_to_port`, `drop_packet`, `recirculate` and `mirror_packet`: what happens to a packet after
//! its deparser.

use weir_exec::{ExternSemantics, NewValue};

use super::{CONTROL, Call, DROPPED, Decision, Extern, PRE, SENT, Site, in_control};
use crate::error::LoadError;
use crate::packet::Keep;
use crate::path::{ResolvedCall, low_bits};

pub(super) struct Forwarding;

/// The reason for the restriction.
const HELP: &str = "the main control decides what happens to the packet: call it there";

impl Extern<Decision> for Forwarding {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                in_control("drop_packet", HELP),
                in_control("mirror_packet", HELP),
                // As in p4c, the pre control can also request another pass.
                Call::in_blocks("recirculate", &[PRE, CONTROL], HELP),
                in_control("send_to_port", HELP),
            ]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let Decision { fate, port } = *site.architecture;
        Ok(match site.call.callee.as_str() {
            "drop_packet" => ResolvedCall::new(move |env, _| {
                env.assign(Some(fate), DROPPED);
                Ok(())
            })
            .with_semantics(ExternSemantics::Set(vec![(fate, NewValue::Const(DROPPED))])),
            "send_to_port" => {
                let to = site.value(0)?;
                ResolvedCall::new(move |env, words| {
                    env.assign(Some(fate), SENT);
                    env.assign(Some(port), low_bits(words, to));
                    Ok(())
                })
                .with_semantics(ExternSemantics::Set(vec![
                    (fate, NewValue::Const(SENT)),
                    (port, NewValue::Arg(0)),
                ]))
            }
            "recirculate" => ResolvedCall::new(|env, _| {
                env.deferred.recirculate = Some(Keep::Nothing);
                Ok(())
            })
            .deferring(),
            _ => {
                let (slot, session) = (site.value(0)?, site.value(1)?);
                ResolvedCall::new(move |env, words| {
                    let (slot, session) = (low_bits(words, slot) as u8, low_bits(words, session) as u32);
                    env.deferred.clones.insert(slot, (session, Keep::Nothing));
                    Ok(())
                })
                .deferring()
            }
        })
    }
}
