//! The metadata of PSA.

use weir_ir::{
    Bits, Expr, ExprKind, HeaderRef, Loc, Place, Program, Stmt, StmtKind, Storage, Type, VarId, VarRole,
};

use super::{Blocks, ED, EG, EP, IG, IP, PORT_RECIRCULATE};
use crate::error::LoadError;
use crate::path::{Fact, Metadata, PacketKind, Reading, Recirculation};

/// The variables that the path of a packet reads and writes.
pub(super) struct Fields {
    /// The port, in each block that gets it.
    pub ingress_ports: [VarId; 2],
    pub egress_ports: [VarId; 3],
    /// The path of the packet, in each block that gets it.
    pub ingress_paths: [VarId; 2],
    pub egress_paths: [VarId; 2],
    pub ingress_timestamp: VarId,
    pub egress_timestamp: VarId,
    pub ingress_error: VarId,
    pub egress_error: VarId,
    pub egress_class: VarId,
    pub instance: VarId,
    /// The results of ingress.
    pub class_of_service: VarId,
    pub clone: VarId,
    pub clone_session: VarId,
    pub drop: VarId,
    pub resubmit: VarId,
    pub multicast_group: VarId,
    pub egress_port: VarId,
    /// The results of egress.
    pub egress_clone: VarId,
    pub egress_clone_session: VarId,
    pub egress_drop: VarId,
    /// The names of the results of ingress and of egress, in order.
    pub results: [Vec<String>; 2],
}

impl Fields {
    pub(super) fn new(program: &Program, blocks: &Blocks<'_>) -> Result<Self, LoadError> {
        let field = |block: usize, param: usize, name: &str| blocks.field(program, (block, param), name);
        let names = |block: usize| {
            let params = blocks.params(program, block);
            params.get(3).map_or_else(Vec::new, |param| param.storage.paths.clone())
        };
        let fields = Self {
            ingress_ports: [field(IP, 2, "ingress_port")?, field(IG, 2, "ingress_port")?],
            egress_ports: [
                field(EP, 2, "egress_port")?,
                field(EG, 2, "egress_port")?,
                field(ED, 5, "egress_port")?,
            ],
            ingress_paths: [field(IP, 2, "packet_path")?, field(IG, 2, "packet_path")?],
            egress_paths: [field(EP, 2, "packet_path")?, field(EG, 2, "packet_path")?],
            ingress_timestamp: field(IG, 2, "ingress_timestamp")?,
            egress_timestamp: field(EG, 2, "egress_timestamp")?,
            ingress_error: field(IG, 2, "parser_error")?,
            egress_error: field(EG, 2, "parser_error")?,
            egress_class: field(EG, 2, "class_of_service")?,
            instance: field(EG, 2, "instance")?,
            class_of_service: field(IG, 3, "class_of_service")?,
            clone: field(IG, 3, "clone")?,
            clone_session: field(IG, 3, "clone_session_id")?,
            drop: field(IG, 3, "drop")?,
            resubmit: field(IG, 3, "resubmit")?,
            multicast_group: field(IG, 3, "multicast_group")?,
            egress_port: field(IG, 3, "egress_port")?,
            egress_clone: field(EG, 3, "clone")?,
            egress_clone_session: field(EG, 3, "clone_session_id")?,
            egress_drop: field(EG, 3, "drop")?,
            results: [names(IG), names(EG)],
        };
        blocks.check_port(program, fields.egress_port, "psa.p4")?;
        Ok(fields)
    }

    /// Returns the metadata in the form that the packet path needs.
    pub(super) fn metadata(&self, program: &Program, blocks: &Blocks<'_>) -> Metadata {
        let with_reading = |fields: [VarId; 2], reading: Reading| fields.map(|field| (field, reading));
        let inputs = with_reading(self.ingress_ports, Fact::IngressPort.plain()).into_iter();
        let inputs = inputs.chain(with_reading(self.ingress_paths, Fact::Kind.plain()));
        let carried = [
            (PacketKind::Unicast, (EP, 3)),
            (PacketKind::Replicated, (EP, 3)),
            (PacketKind::IngressClone, (EP, 4)),
            (PacketKind::EgressClone, (EP, 5)),
            (PacketKind::Resubmitted, (IP, 3)),
            (PacketKind::Recirculated, (IP, 4)),
        ];
        Metadata {
            inputs: inputs.chain([(self.ingress_timestamp, Fact::PassTime.micros())]).collect(),
            kind_number,
            carried: carried.map(|(kind, (block, param))| (kind, blocks.vars(program, block, param))).into(),
            recirculation: Recirculation::Port(PORT_RECIRCULATE),
            lowers_priorities: true,
            ..Metadata::default()
        }
    }
}

/// Returns the number of the member of `PSA_PacketPath_t` for a kind of packet.
fn kind_number(kind: PacketKind) -> u64 {
    match kind {
        PacketKind::Normal => 0,
        PacketKind::Unicast => 1,
        PacketKind::Replicated => 2,
        PacketKind::IngressClone => 3,
        PacketKind::EgressClone => 4,
        PacketKind::Resubmitted => 5,
        PacketKind::Recirculated => 6,
    }
}

/// Returns statements that invalidate the headers of a parameter, and set its other variables to 0.
pub(super) fn clearing(program: &Program, storage: &Storage, loc: Loc) -> Vec<Stmt> {
    let headers = storage.headers.iter().map(|id| StmtKind::SetInvalid(HeaderRef::Header(*id)));
    let zero = |ty: Type| Expr { ty, kind: ExprKind::Const(Bits::zero(ty.width())) };
    let stacks = storage.stacks.iter().map(|id| StmtKind::SetNextIndex(*id, zero(Type::bit(32))));
    let plain = storage.vars.iter().filter(|var| {
        let var = &program.vars[**var];
        var.role == VarRole::Plain && !matches!(var.ty, Type::Varbit { .. })
    });
    let vars = plain.map(|var| StmtKind::Assign(Place::Var(*var), zero(program.vars[*var].ty)));
    headers.chain(stacks).chain(vars).map(|kind| Stmt { kind, loc }).collect()
}
