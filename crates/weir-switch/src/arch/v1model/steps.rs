//! The steps of a packet: parse, verify, ingress — queue — egress, update, deparse.

use weir_ir::visit::reached_statements;
use weir_ir::{PackageArg, Program, StmtKind};

use super::Blocks;
use super::metadata::Fields;
use crate::path::{Fact, Step, StepSource};
use crate::stats::DropPlace;

/// The steps of a pass. `drop_port` is the value of `egress_spec` that means "drop".
pub(super) fn steps(program: &Program, blocks: &Blocks, fields: &Fields, drop_port: u64) -> Vec<Step> {
    let verifies = reached_statements(program, &PackageArg::Parser(blocks.parser)).into_iter().any(
        |stmt| matches!(&stmt.kind, StmtKind::Extern(call) if call.callee.starts_with("verify_checksum")),
    );
    let control = |control, name, place| Step::Control { control, name, place };
    let set = |field: Option<_>, source| field.map(|field| Step::Set(field, source));
    let fact = StepSource::Fact;
    let egress_spec = fields.egress_spec.expect("blocks are checked before");

    let ingress = [
        Some(Step::Parse { parser: blocks.parser, error: fields.parser_error }),
        // The default result of the next control, in which `verify_checksum` may set it to 1.
        set(fields.checksum_error.filter(|_| !verifies), StepSource::Const(0)),
        Some(control(blocks.verify, "verify checksums", DropPlace::Ingress)),
        Some(control(blocks.ingress, "ingress", DropPlace::Ingress)),
        Some(Step::AfterIngress),
        fields.mcast_grp.map(Step::Replicate),
        Some(Step::DropIf(egress_spec, drop_port, DropPlace::Ingress)),
        set(fields.instance_type, StepSource::Const(0)),
        Some(Step::Queue { port: egress_spec, priority: fields.priority }),
    ];
    let egress = [
        set(fields.egress_port, fact(Fact::EgressPort)),
        // Any value except the drop port. simple_switch writes drop port + 1, whose lowest bits are
        // 0 for the usual drop port.
        set(fields.egress_spec, StepSource::Const(drop_port + 1)),
        set(fields.packet_length, fact(Fact::Length)),
        set(fields.egress_global_timestamp, fact(Fact::EgressTime)),
        set(fields.enq_timestamp, fact(Fact::EnqueueTime)),
        set(fields.enq_qdepth, fact(Fact::EnqueueDepth)),
        set(fields.deq_timedelta, fact(Fact::QueueTime)),
        set(fields.deq_qdepth, fact(Fact::DequeueDepth)),
        Some(control(blocks.egress, "egress", DropPlace::Egress)),
        Some(Step::AfterEgress),
        Some(Step::DropIf(egress_spec, drop_port, DropPlace::Egress)),
        Some(control(blocks.update, "update checksums", DropPlace::Egress)),
        Some(Step::Deparse { control: blocks.deparser, name: "deparser" }),
        Some(Step::Depart),
    ];
    ingress.into_iter().chain(egress).flatten().collect()
}
