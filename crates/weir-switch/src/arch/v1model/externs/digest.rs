//! `digest`: a message to the control plane.

use std::sync::Arc;

use weir_exec::FrameValue;
use weir_ir::Bits;

use super::{Call, Extern, Site, V1Model};
use crate::error::LoadError;
use crate::p4info::digest_name;
use crate::path::{ResolvedCall, low};
use crate::state;
use crate::trace::{StepKind, argument_fields};

pub(super) struct Digest;

impl Extern<V1Model> for Digest {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::anywhere("digest")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (receiver, data) = (site.value(0)?, site.values(1)?);
        let name: Arc<str> = digest_name(site.program, site.call).into();
        let argument = site.call.args[1].value.clone();
        Ok(ResolvedCall::new(move |env, words| {
            // As with BMv2, messages have a fixed form: fields of invalid headers are there, too.
            let present: Vec<bool> = data.iter().map(|value| value.is_present(words)).collect();
            let of = |(value, is_present): (&FrameValue, &bool)| {
                if *is_present { value.read(words) } else { Bits::zero(value.width) }
            };
            let values: Vec<Bits> = data.iter().zip(&present).map(of).collect();
            let fields = argument_fields(env.context.executor.program(), &argument, &values);
            let names = fields.iter().map(|field| field.name.clone()).collect();
            let (time, packet, receiver) = (env.context.now, env.id.packet, low(words, receiver));
            env.trace(|| StepKind::Digested { receiver, fields });
            let name = name.clone();
            let message = state::Digest { time, packet, name, receiver, values, present, names };
            env.context.thread.messages.digest(message);
            Ok(())
        }))
    }
}
