//! Messages to the control plane.

use std::sync::Arc;

use weir_exec::FrameValue;
use weir_ir::{Bits, DataType, DeclaredKind, DeclaredMember, Program};

use super::CallSite;
use crate::error::LoadError;
use crate::path::{ResolvedCall, low_bits};
use crate::state;
use crate::trace::{Field, StepKind, argument_fields};

/// Resolves a call that sends data of this type, from the argument at this position, as a message
/// with this name. The receiver is a number.
pub(in crate::arch) fn send<A>(
    site: &CallSite<'_, A>,
    name: &str,
    (position, ty): (usize, &DataType),
    receiver: Option<FrameValue>,
) -> Result<ResolvedCall, LoadError> {
    let (name, data): (Arc<str>, _) = (name.into(), site.values(position)?);
    let argument = site.call.args[position].value.clone();
    let mut members = Vec::new();
    add_names(site.program, ty, "", &mut members);
    members.resize(data.len(), String::new());
    Ok(ResolvedCall::new(move |env, words| {
        // As with BMv2, messages have a fixed form: they contain fields of invalid headers,
        // too.
        let present: Vec<bool> = data.iter().map(|value| value.is_present(words)).collect();
        let element = |(value, is_present): (&FrameValue, &bool)| {
            if *is_present { value.read(words) } else { Bits::zero(value.width) }
        };
        let values: Vec<Bits> = data.iter().zip(&present).map(element).collect();
        let fields = argument_fields(env.context.executor.program(), &argument, &values);
        let name_of = |(member, field): (&String, &Field)| {
            if member.is_empty() { field.name.clone() } else { member.clone() }
        };
        let names = members.iter().zip(&fields).map(name_of).collect();
        let labels = fields.iter().map(|field| field.label.clone()).collect();
        let (time, packet, receiver) =
            (env.context.now, env.id.packet, receiver.map_or(0, |receiver| low_bits(words, receiver)));
        env.trace(|| StepKind::Digested { receiver, fields });
        let name = name.clone();
        let message = state::Digest { time, packet, name, receiver, values, present, names, labels };
        env.context.thread.messages.digest(message);
        Ok(())
    }))
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
