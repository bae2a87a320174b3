//! `standard_metadata_t` and field lists: which variables they are.

use std::collections::BTreeMap;

use weir_device::Nanos;
use weir_ir::{AnnotationValue, Bits, Layout, Program, State, VarId};

use super::Blocks;
use crate::error::LoadError;
use crate::packet::Keep;

/// `instance_type`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instance {
    Normal = 0,
    IngressClone = 1,
    EgressClone = 2,
    Recirculated = 4,
    Replicated = 5,
    Resubmitted = 6,
}

/// The variables behind the fields of the standard metadata, by name. Those that a program's own version of the struct lacks
/// read as 0 and take no writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub ingress_port: Option<VarId>,
    pub egress_spec: Option<VarId>,
    pub egress_port: Option<VarId>,
    pub instance_type: Option<VarId>,
    /// Bytes.
    pub packet_length: Option<VarId>,
    /// Microseconds.
    pub enq_timestamp: Option<VarId>,
    /// Packets.
    pub enq_qdepth: Option<VarId>,
    /// Microseconds.
    pub deq_timedelta: Option<VarId>,
    /// Packets.
    pub deq_qdepth: Option<VarId>,
    /// Microseconds.
    pub ingress_global_timestamp: Option<VarId>,
    /// Microseconds.
    pub egress_global_timestamp: Option<VarId>,
    pub mcast_grp: Option<VarId>,
    pub egress_rid: Option<VarId>,
    pub checksum_error: Option<VarId>,
    pub parser_error: Option<VarId>,
    pub priority: Option<VarId>,
    /// All variables of the standard metadata.
    pub all: Vec<VarId>,
    /// All variables of the user's metadata.
    pub user: Vec<VarId>,
    /// Fields annotated `@field_list(n)`, by n.
    lists: BTreeMap<u8, Vec<VarId>>,
}

impl Fields {
    pub(super) fn new(program: &Program, blocks: &Blocks) -> Result<Self, LoadError> {
        let params = &program.parsers[blocks.parser].params;
        let (user, standard) = (&params[1].storage, &params[2].storage);
        let mut fields = Self { all: standard.vars.clone(), user: user.vars.clone(), ..Self::default() };
        for (path, var) in standard.paths.iter().zip(&standard.vars) {
            let place = match path.as_str() {
                "ingress_port" => &mut fields.ingress_port,
                "egress_spec" => &mut fields.egress_spec,
                "egress_port" => &mut fields.egress_port,
                "instance_type" => &mut fields.instance_type,
                "packet_length" => &mut fields.packet_length,
                "enq_timestamp" => &mut fields.enq_timestamp,
                "enq_qdepth" => &mut fields.enq_qdepth,
                "deq_timedelta" => &mut fields.deq_timedelta,
                "deq_qdepth" => &mut fields.deq_qdepth,
                "ingress_global_timestamp" => &mut fields.ingress_global_timestamp,
                "egress_global_timestamp" => &mut fields.egress_global_timestamp,
                "mcast_grp" => &mut fields.mcast_grp,
                "egress_rid" => &mut fields.egress_rid,
                "checksum_error" => &mut fields.checksum_error,
                "parser_error" => &mut fields.parser_error,
                "priority" => &mut fields.priority,
                _ => continue,
            };
            let declared = &program.vars[*var];
            if declared.ty.width() > 64 {
                return Err(LoadError::malformed(
                    program,
                    declared.loc,
                    format!("standard metadata field `{path}` is wider than 64 bits"),
                ));
            }
            *place = Some(*var);
        }
        if fields.egress_spec.is_none() {
            return Err(LoadError::malformed(
                program,
                program.parsers[blocks.parser].loc,
                format!(
                    "`{}` has no field `egress_spec`: it is not v1model's standard metadata",
                    params[2].type_name
                ),
            ));
        }
        for var in user.vars.iter().chain(&standard.vars) {
            for annotation in program.vars[*var].annotations.iter().filter(|a| a.name == "field_list") {
                for arg in &annotation.args {
                    let list = match &arg.value {
                        AnnotationValue::Int(list) => u8::try_from(list).ok(),
                        AnnotationValue::Text(_) | AnnotationValue::Bool(_) => None,
                    };
                    let list = list.ok_or_else(|| {
                        LoadError::malformed(
                            program,
                            program.vars[*var].loc,
                            "@field_list takes numbers from 0 to 255".to_owned(),
                        )
                    })?;
                    fields.lists.entry(list).or_default().push(*var);
                }
            }
        }
        Ok(fields)
    }

    /// The values of the fields that are kept.
    pub(super) fn preserve(&self, keep: &Keep, layout: &Layout, state: &State) -> Vec<(VarId, Bits)> {
        let vars = match keep {
            Keep::Nothing => None,
            Keep::List(list) => self.lists.get(list),
            Keep::Vars(vars) => Some(vars),
        };
        vars.into_iter().flatten().map(|var| (*var, layout.get(state, *var))).collect()
    }

    /// Whether the variable is part of the user's or the standard metadata.
    pub(super) fn is_metadata(&self, var: VarId) -> bool {
        self.all.contains(&var) || self.user.contains(&var)
    }

    /// Makes all metadata 0, but not the headers.
    pub(super) fn reset(&self, layout: &Layout, state: &mut State) {
        let zero = layout.state();
        for var in self.all.iter().chain(&self.user) {
            let value = layout.get(&zero, *var);
            layout.set(state, *var, &value);
        }
    }
}

/// A field's value; 0 if there is no such field.
pub(super) fn get(layout: &Layout, state: &State, field: Option<VarId>) -> u64 {
    field.map_or(0, |var| layout.get_u64(state, var))
}

/// Sets a field, if there is one, to as many low bits as it has.
pub(super) fn set(layout: &Layout, state: &mut State, field: Option<VarId>, value: u64) {
    if let Some(var) = field {
        layout.set_u64(state, var, value);
    }
}

pub(super) fn micros(time: Nanos) -> u64 {
    time / 1000
}
