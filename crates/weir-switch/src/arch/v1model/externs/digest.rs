//! `digest`: a message to the control plane.

use std::sync::Arc;

use weir_ir::Bits;

use super::{Extern, Site, V1Model};
use crate::error::LoadError;
use crate::p4info::digest_name;
use crate::path::{ResolvedCall, low, present};
use crate::state;
use crate::trace::{StepKind, argument_fields};

pub(super) struct Digest;

impl Extern<V1Model> for Digest {
    fn calls(&self) -> &'static [&'static str] {
        &["digest"]
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (receiver, data) = (site.value(0)?, site.values(1)?);
        let name: Arc<str> = digest_name(site.program, site.call).into();
        let argument = site.call.args[1].value.clone();
        Ok(ResolvedCall::new(move |env, words| {
            let values: Vec<Bits> = present(words, &data).map(|value| value.read(words)).collect();
            let fields = argument_fields(env.context.executor.program(), &argument, &values);
            let names = fields.iter().map(|field| field.name.clone()).collect();
            let (time, packet, receiver) = (env.context.now, env.id.packet, low(words, receiver));
            env.trace(|| StepKind::Digested { receiver, fields });
            let name = name.clone();
            env.context.thread.messages.digest(state::Digest { time, packet, name, receiver, values, names });
            Ok(())
        }))
    }
}
