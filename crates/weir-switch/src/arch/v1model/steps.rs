//! The steps of a packet: parse, verify, ingress — queue — egress, update, deparse.

use weir_ir::visit::reached_statements;
use weir_ir::{PackageArg, Program, StmtKind};

use super::Blocks;
use super::metadata::{Fields, kind_number};
use crate::path::{CloneOf, Fact, Fate, PacketKind, Rule, Step, StepSource, When};
use crate::stats::DropPlace;

/// Returns the steps of ingress and those of egress. `drop_port` is the value of `egress_spec` that
/// means "drop".
pub(super) fn steps(
    program: &Program,
    blocks: &Blocks,
    fields: &Fields,
    drop_port: u64,
) -> (Vec<Step>, Vec<Step>) {
    let verifies = reached_statements(program, &PackageArg::Parser(blocks.parser)).into_iter().any(
        |stmt| matches!(&stmt.kind, StmtKind::Extern(call) if call.callee.starts_with("verify_checksum")),
    );
    let control = |control, name, place| Step::Control { control, name, place };
    let set = |field: Option<_>, source| field.map(|field| Step::Set(field, source));
    let plain = |fact: Fact| StepSource::Fact(fact.plain());
    let micros = |fact: Fact| StepSource::Fact(fact.micros());
    let rule = |when, fate| Some(Step::Decide(Rule { when, fate }));
    let egress_spec = fields.egress_spec.expect("blocks are checked before");

    let ingress = [
        Some(Step::Parse { parser: blocks.parser, error: fields.parser_error }),
        // The default result of the next control, in which `verify_checksum` may set it to 1.
        set(fields.checksum_error.filter(|_| !verifies), StepSource::Const(0)),
        Some(control(blocks.verify, "verify checksums", DropPlace::Ingress)),
        Some(control(blocks.ingress, "ingress", DropPlace::Ingress)),
        rule(When::Called, Fate::Clone { of: CloneOf::Original, session: None, headers: None }),
        rule(When::Called, Fate::Resubmit),
        fields.mcast_grp.and_then(|group| rule(When::IsNot(group, 0), Fate::Multicast(group))),
        rule(When::Is(egress_spec, drop_port), Fate::Drop(DropPlace::Ingress)),
        set(fields.instance_type, StepSource::Const(kind_number(PacketKind::Normal))),
        rule(When::Always, Fate::Unicast { port: egress_spec, priority: fields.priority }),
    ];
    let egress = [
        set(fields.egress_port, plain(Fact::EgressPort)),
        // Any value except the drop port. simple_switch writes drop port + 1, whose lowest bits are
        // 0 for the usual drop port.
        set(fields.egress_spec, StepSource::Const(drop_port + 1)),
        set(fields.packet_length, plain(Fact::Length)),
        set(fields.egress_global_timestamp, micros(Fact::EgressTime)),
        set(fields.enq_timestamp, micros(Fact::EnqueueTime)),
        set(fields.enq_qdepth, plain(Fact::EnqueueDepth)),
        set(fields.deq_timedelta, micros(Fact::QueueTime)),
        set(fields.deq_qdepth, plain(Fact::DequeueDepth)),
        Some(control(blocks.egress, "egress", DropPlace::Egress)),
        rule(When::Called, Fate::Clone { of: CloneOf::Current, session: None, headers: None }),
        rule(When::Is(egress_spec, drop_port), Fate::Drop(DropPlace::Egress)),
        Some(control(blocks.update, "update checksums", DropPlace::Egress)),
        Some(Step::Deparse { control: blocks.deparser, name: "deparser", place: DropPlace::Egress }),
        rule(When::Called, Fate::Recirculate),
        rule(When::Always, Fate::Transmit),
    ];
    (ingress.into_iter().flatten().collect(), egress.into_iter().flatten().collect())
}
