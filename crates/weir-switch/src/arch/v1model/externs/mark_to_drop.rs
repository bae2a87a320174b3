//! `mark_to_drop`: sets `egress_spec` to the drop port and `mcast_grp` to 0, in its argument or,
//! without one, in the standard metadata.

use weir_exec::{ExternSemantics, NewValue};
use weir_ir::{ArgValue, VarId};

use super::super::{EGRESS, INGRESS, PARSER, VERIFY};
use super::{Call, Extern, Site, V1Model};
use crate::arch::calls::{Blocks, CallPlace};
use crate::error::LoadError;
use crate::path::{ResolvedCall, write_value};

pub(super) struct MarkToDrop;

impl Extern<V1Model> for MarkToDrop {
    fn calls(&self) -> &'static [Call] {
        const {
            &[Call {
                name: "mark_to_drop",
                // With an argument it writes to that argument, which may be a variable.
                place: CallPlace::WithoutArguments(Blocks {
                    positions: &[PARSER, VERIFY, INGRESS, EGRESS],
                    help: "whether the packet is dropped is decided at the end of egress: call it there or \
                        before",
                }),
            }]
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let drop_port = site.architecture.drop_port;
        let fields = &site.architecture.fields;
        let (port, group, call) = match site.call.args.first().map(|arg| &arg.value) {
            Some(ArgValue::Vars { vars, names }) => {
                let position = |wanted: &str| names.iter().position(|name| name == wanted);
                let [port, group] = ["egress_spec", "mcast_grp"].map(position);
                let values = site.values(0)?;
                let place = |position: Option<usize>| position.map(|position| values[position]);
                let (port_value, group_value) = (place(port), place(group));
                let call = ResolvedCall::new(move |_, words| {
                    port_value.into_iter().for_each(|value| write_value(words, value, u128::from(drop_port)));
                    group_value.into_iter().for_each(|value| write_value(words, value, 0));
                    Ok(())
                });
                (port.map(|position| vars[position]), group.map(|position| vars[position]), call.pure())
            }
            _ => {
                let (port, group) = (fields.egress_spec, fields.mcast_grp);
                let call = ResolvedCall::new(move |env, _| {
                    env.assign(port, drop_port);
                    env.assign(group, 0);
                    Ok(())
                });
                (port, group, call.writing_metadata().pure())
            }
        };
        if ![port, group].into_iter().flatten().all(|var| site.is_plain(var)) {
            return Ok(call);
        }
        let cut = |var: VarId, value: u64| {
            let width = site.program.vars[var].ty.width();
            (var, NewValue::Const(if width < 64 { value & ((1 << width) - 1) } else { value }))
        };
        let port = port.map(|var| cut(var, drop_port));
        let group = group.map(|var| cut(var, 0));
        Ok(call.with_semantics(ExternSemantics::Set(port.into_iter().chain(group).collect())))
    }
}
