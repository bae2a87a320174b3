//! The variables of `standard_metadata_t` and of field lists.

use std::collections::BTreeMap;

use weir_device::Port;
use weir_ir::{AnnotationValue, Program, VarId};

use super::Blocks;
use crate::error::LoadError;
use crate::path::{Fact, Metadata, PacketKind};

/// Returns the value of `instance_type` for a kind of packet.
pub(super) fn kind_number(kind: PacketKind) -> u64 {
    match kind {
        PacketKind::Normal | PacketKind::Unicast => 0,
        PacketKind::IngressClone => 1,
        PacketKind::EgressClone => 2,
        PacketKind::Recirculated => 4,
        PacketKind::Replicated => 5,
        PacketKind::Resubmitted => 6,
    }
}

/// The variables of the fields of the standard metadata, by name. If a program declares the struct
/// itself and leaves out a field, reads of this field return 0 and writes have no effect.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub ingress_port: Option<VarId>,
    pub egress_spec: Option<VarId>,
    pub egress_port: Option<VarId>,
    pub instance_type: Option<VarId>,
    /// The length in bytes.
    pub packet_length: Option<VarId>,
    /// The time in microseconds.
    pub enq_timestamp: Option<VarId>,
    /// The queue's length in packets.
    pub enq_qdepth: Option<VarId>,
    /// The time in microseconds.
    pub deq_timedelta: Option<VarId>,
    /// The queue's length in packets.
    pub deq_qdepth: Option<VarId>,
    /// The time in microseconds.
    pub ingress_global_timestamp: Option<VarId>,
    /// The time in microseconds.
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
    /// The fields annotated with `@field_list(n)`, by n.
    lists: BTreeMap<u64, Vec<VarId>>,
}

/// The largest number of bits in a port number.
const MAX_PORT_WIDTH: u32 = Port::BITS;

const PORT_HELP: &str = "the ports of v1model have 9 bits, those of its variants up to 32: include <v1model.p4>, \
                         which comes with Weir";

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
            let is_port = ["ingress_port", "egress_spec", "egress_port"].contains(&path.as_str());
            if is_port && !(1..=MAX_PORT_WIDTH).contains(&declared.ty.width()) {
                let feature = format!("`{path}` of {} bits", declared.ty.width());
                return Err(LoadError::unsupported(
                    program,
                    declared.loc,
                    feature,
                    Some(PORT_HELP.to_owned()),
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
        fields.check_port_widths(program)?;
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
                    fields.lists.entry(u64::from(list)).or_default().push(*var);
                }
            }
        }
        Ok(fields)
    }

    /// Refuses ports whose numbers have different widths.
    fn check_port_widths(&self, program: &Program) -> Result<(), LoadError> {
        let width = self.port_width(program);
        for (field, name) in [(self.ingress_port, "ingress_port"), (self.egress_port, "egress_port")] {
            let Some(var) = field else { continue };
            let (found, loc) = (program.vars[var].ty.width(), program.vars[var].loc);
            if found != width {
                let message = format!("`{name}` has {found} bits, but `egress_spec` has {width} bits");
                return Err(LoadError::malformed(program, loc, message));
            }
        }
        Ok(())
    }

    /// Returns the number of bits in a port number.
    pub(super) fn port_width(&self, program: &Program) -> u32 {
        self.egress_spec.map_or(0, |var| program.vars[var].ty.width())
    }

    /// Returns the metadata in the form that the packet path needs.
    pub(super) fn metadata(&self) -> Metadata {
        let inputs = [
            (self.ingress_port, Fact::IngressPort.plain()),
            (self.instance_type, Fact::Kind.plain()),
            (self.packet_length, Fact::Length.plain()),
            (self.ingress_global_timestamp, Fact::IngressTime.micros()),
        ];
        Metadata {
            inputs: inputs.into_iter().filter_map(|(field, reading)| Some((field?, reading))).collect(),
            kind: self.instance_type,
            kind_number,
            replication_id: self.egress_rid,
            all: self.all.iter().chain(&self.user).copied().collect(),
            lists: self.lists.clone(),
            ..Metadata::default()
        }
    }

    /// Returns whether the variable is part of the user's or the standard metadata.
    pub(super) fn is_metadata(&self, var: VarId) -> bool {
        self.all.contains(&var) || self.user.contains(&var)
    }
}
