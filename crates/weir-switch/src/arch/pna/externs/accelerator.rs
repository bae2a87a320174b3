//! Externs of devices that Weir does not have: inline accelerators that encrypt packets, and the
//! packet buffers of Linux. Programs that use them are refused.

use super::{Call, Decision, Extern, Site};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::ResolvedCall;

pub(super) struct Accelerator;

impl Extern<Decision> for Accelerator {
    fn types(&self) -> &'static [&'static str] {
        &["crypto_accelerator", "ipsec_accelerator"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let (program, instance) = (object.program, object.instance);
        let feature = format!("the {} `{}`", instance.kind, instance.name);
        let help = "Weir has no accelerator that encrypts packets: leave the object out, for example with \
                    `#ifndef __WEIR__`";
        Err(LoadError::unsupported(program, instance.loc, feature, Some(help.to_owned())))
    }
}

/// The functions of `tc/pna.p4` that read and write the kernel's `sk_buff`.
pub(super) struct KernelBuffer;

impl Extern<Decision> for KernelBuffer {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("skb_get_from_ingress"),
                Call::in_all_blocks("skb_get_mark"),
                Call::in_all_blocks("skb_get_meta"),
                Call::in_all_blocks("skb_get_protocol"),
                Call::in_all_blocks("skb_get_queue_mapping"),
                Call::in_all_blocks("skb_get_tc_at_ingress"),
                Call::in_all_blocks("skb_get_tc_classid"),
                Call::in_all_blocks("skb_get_tc_index"),
                Call::in_all_blocks("skb_get_tstamp"),
                Call::in_all_blocks("skb_set_mark"),
                Call::in_all_blocks("skb_set_meta"),
                Call::in_all_blocks("skb_set_protocol"),
                Call::in_all_blocks("skb_set_queue_mapping"),
                Call::in_all_blocks("skb_set_tc_classid"),
                Call::in_all_blocks("skb_set_tc_index"),
                Call::in_all_blocks("skb_set_tstamp"),
            ]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let help =
            "packets in Weir have no `sk_buff`, the buffer of the Linux kernel: use metadata of your own";
        Err(site.unsupported(format!("extern `{}`", site.call.callee), Some(help.to_owned())))
    }
}
