//! `digest`: a message to the control plane.

use std::sync::Arc;

use weir_exec::FrameValue;
use weir_ir::{Bits, DataType, DeclaredKind, DeclaredMember, Program};

use super::{Call, Extern, Site, V1Model};
use crate::error::LoadError;
use crate::p4info::{digest_data, digest_name};
use crate::path::{ResolvedCall, low_bits};
use crate::state;
use crate::trace::{Field, StepKind, argument_fields};

pub(super) struct Digest;

impl Extern<V1Model> for Digest {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("digest")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (receiver, data) = (site.value(0)?, site.values(1)?);
        let name: Arc<str> = digest_name(site.program, site.call).into();
        let argument = site.call.args[1].value.clone();
        let mut members = Vec::new();
        add_names(site.program, &digest_data(site.call), "", &mut members);
        members.resize(data.len(), String::new());
        Ok(ResolvedCall::new(move |env, words| {
            // As with BMv2, messages have a fixed form: they contain fields of invalid headers,
            // too.
            let present: Vec<bool> = data.iter().map(|value| value.is_present(words)).collect();
            let of = |(value, is_present): (&FrameValue, &bool)| {
                if *is_present { value.read(words) } else { Bits::zero(value.width) }
            };
            let values: Vec<Bits> = data.iter().zip(&present).map(of).collect();
            let fields = argument_fields(env.context.executor.program(), &argument, &values);
            let name_of = |(member, field): (&String, &Field)| {
                if member.is_empty() { field.name.clone() } else { member.clone() }
            };
            let names = members.iter().zip(&fields).map(name_of).collect();
            let labels = fields.iter().map(|field| field.label.clone()).collect();
            let (time, packet, receiver) = (env.context.now, env.id.packet, low_bits(words, receiver));
            env.trace(|| StepKind::Digested { receiver, fields });
            let name = name.clone();
            let message = state::Digest { time, packet, name, receiver, values, present, names, labels };
            env.context.thread.messages.digest(message);
            Ok(())
        }))
    }
}

/// Adds the names of the values that data consist of. They are the names of the members of structs
/// and headers, with dots between them.
fn add_names(program: &Program, data: &DataType, name: &str, found: &mut Vec<String>) {
    let mut add = |members: &[DeclaredMember]| {
        for member in members {
            let dot = if name.is_empty() { "" } else { "." };
            add_names(program, &member.ty, &format!("{name}{dot}{}", member.name), found);
        }
    };
    match data {
        DataType::Named(id) => match &program.declared[*id].kind {
            DeclaredKind::Struct(members) | DeclaredKind::Header(members) | DeclaredKind::Union(members) => {
                add(members);
            }
            DeclaredKind::New(of) => add_names(program, of, name, found),
            DeclaredKind::Enum(_) | DeclaredKind::Serializable { .. } => found.push(name.to_owned()),
        },
        DataType::Scalar(_) => found.push(name.to_owned()),
        DataType::Tuple(members) => {
            members.iter().for_each(|member| add_names(program, member, name, found));
        }
        DataType::Stack { element, size } => {
            (0..*size).for_each(|index| add_names(program, element, &format!("{name}[{index}]"), found));
        }
    }
}
