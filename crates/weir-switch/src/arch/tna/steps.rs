//! The steps of a packet: metadata, parse, ingress, deparse — traffic manager — metadata, parse,
//! egress, deparse. A ghost thread runs between the traffic manager and egress.

use weir_ir::{ControlId, Package, Program, VarId};

use super::build::find_control;
use super::chip::Chip;
use super::hidden::{self, Hidden, control};
use super::prepare::{egress_var, ghost_facts, ghost_thread, reads_egress};
use super::{Blocks, DPRSR, ED, EG, EP, ID, IG, IP, NO_PORT, PRSR, TM, unwritten};
use crate::arch::hidden::find;
use crate::error::LoadError;
use crate::path::{
    CloneOf, CopyChoiceVars, CopyTo, Fact, Fate, Metadata, PacketKind, Reading, Recirculation, Rule, Step,
    StepSource, When,
};
use crate::stats::DropPlace;

/// The facts in the metadata of egress, with the fields that show them.
const EGRESS_FACTS: [(&str, Fact); 8] = [
    ("enq_qdepth", Fact::EnqueueDepth),
    ("enq_tstamp", Fact::EnqueueTime),
    ("deq_qdepth", Fact::DequeueDepth),
    ("deq_timedelta", Fact::QueueTime),
    ("egress_rid", Fact::Instance),
    ("egress_qid", Fact::Priority),
    ("deflection_flag", Fact::Deflected),
    ("pkt_length", Fact::Length),
];

fn set(var: VarId, reading: Reading) -> Step {
    Step::Set(var, StepSource::Fact(reading))
}

fn rule(when: When, fate: Fate) -> Step {
    Step::Decide(Rule { when, fate })
}

/// Returns the variable of a packet's output port.
pub(super) fn port(program: &Program, blocks: &Blocks<'_>, hidden: &Hidden) -> VarId {
    blocks.find_field(program, (IG, TM), "ucast_egress_port").unwrap_or(hidden.port)
}

/// Returns the steps that give fields for the deparser the numbers that they have before the
/// program writes them.
fn unwritten_fields<'a>(
    program: &'a Program,
    blocks: &'a Blocks<'_>,
    control: usize,
    names: &'a [&str],
) -> impl Iterator<Item = Step> + 'a {
    names.iter().filter_map(move |name| {
        let field = blocks.find_field(program, (control, DPRSR), name)?;
        Some(Step::Set(field, StepSource::Const(unwritten::number(program, field)?)))
    })
}

/// Returns the step that runs a control; `None` if the control is missing.
fn optional(program: &Program, name: &str, what: &'static str, place: DropPlace) -> Option<Step> {
    find_control(program, name).map(|control| Step::Control { control, name: what, place })
}

pub(super) fn ingress(
    program: &Program,
    blocks: &Blocks<'_>,
    hidden: &Hidden,
    chip: Chip,
) -> Result<Vec<Step>, LoadError> {
    let place = DropPlace::Ingress;
    let port = port(program, blocks, hidden);
    let queue = blocks.find_field(program, (IG, TM), "qid").unwrap_or(hidden.queue);
    let mut steps = Vec::new();
    steps.extend(optional(program, hidden::PORT_METADATA, "port metadata", place));
    let prefix = control(program, hidden::INGRESS_PREFIX)?;
    steps.push(Step::Prefix { control: prefix, bytes: chip.ingress_bytes() });
    steps.push(Step::Set(port, StepSource::Const(NO_PORT)));
    steps.extend(unwritten_fields(program, blocks, IG, &["digest_type", "resubmit_type"]));
    let time = blocks.find_field(program, (IG, PRSR), "global_tstamp");
    steps.extend(time.map(|time| set(time, Fact::PassTime.plain())));
    let (parsed, decision) = (control(program, hidden::PARSED)?, control(program, hidden::INGRESS_DECISION)?);
    steps.extend([
        Step::Parse { parser: blocks.parser(IP), error: Some(hidden.parser_error) },
        Step::Control { control: parsed, name: "parser errors", place },
        rule(When::Is(hidden.parser_drop, 1), Fate::Drop(DropPlace::Parser)),
        Step::Control { control: blocks.control(IG), name: "ingress", place },
    ]);
    steps.extend(optional(program, hidden::INGRESS_ENGINES, "mirrors, resubmission and digests", place));
    steps.extend([
        Step::Control { control: decision, name: "copies", place },
        rule(When::Is(hidden.resubmit_again, 1), Fate::Drop(place)),
        rule(When::Is(hidden.resubmit, 1), Fate::Resubmit),
        Step::Deparse { control: blocks.control(ID), name: "deparser", place },
        mirror(program, (hidden.mirror, hidden.mirror_session), CloneOf::Original, hidden::INGRESS_MIRROR),
        rule(When::Is(hidden.copy_to_cpu, 1), Fate::Copy(CopyTo::Cpu(chip.cpu_port()))),
        rule(When::IsNot(hidden.group_a, 0), Fate::Copy(CopyTo::Group(hidden.group_a))),
        rule(When::IsNot(hidden.group_b, 0), Fate::Copy(CopyTo::Group(hidden.group_b))),
        rule(When::Is(hidden.drop, 1), Fate::Drop(place)),
        rule(When::IsNoPort(port), Fate::Drop(place)),
        rule(When::Always, Fate::Unicast { port, priority: Some(queue) }),
    ]);
    Ok(steps)
}

/// Returns the rule that mirrors packets.
fn mirror(program: &Program, (wanted, session): (VarId, VarId), of: CloneOf, headers: &str) -> Step {
    let headers = find_control(program, headers);
    rule(When::Is(wanted, 1), Fate::Clone { of, session: Some(session), headers })
}

/// Returns the steps of the ghost thread, which runs when a packet has left a queue.
fn ghost(program: &Program, control: ControlId) -> impl Iterator<Item = Step> {
    let facts = ghost_facts(program).map(|(var, fact)| set(var, fact.plain()));
    let (name, place) = ("ghost thread", DropPlace::Egress);
    facts.chain([Step::Control { control, name, place }])
}

pub(super) fn egress(
    program: &Program,
    package: &Package,
    blocks: &Blocks<'_>,
    hidden: &Hidden,
    chip: Chip,
) -> Result<Vec<Step>, LoadError> {
    let place = DropPlace::Egress;
    let begin = control(program, hidden::EGRESS_BEGIN)?;
    let mut steps = vec![set(hidden.egress_port, Fact::EgressPort.plain())];
    steps.extend(ghost_thread(package).into_iter().flat_map(|thread| ghost(program, thread)));
    steps.extend([
        Step::Control { control: begin, name: "recirculation", place },
        rule(When::Is(hidden.bypass_recirculates, 1), Fate::Recirculate),
        rule(When::Is(hidden.bypass, 1), Fate::Transmit),
    ]);
    for (field, fact) in EGRESS_FACTS {
        if reads_egress(program, field)
            && let Some(var) = find(program, &egress_var(field))
        {
            steps.push(set(var, fact.plain()));
        }
    }
    let prefix = control(program, hidden::EGRESS_PREFIX)?;
    steps.push(Step::Prefix { control: prefix, bytes: chip.egress_bytes() });
    let time = blocks.find_field(program, (EG, PRSR), "global_tstamp");
    steps.extend(time.map(|time| set(time, Fact::EgressTime.plain())));
    steps.extend(unwritten_fields(program, blocks, EG, &["mirror_type"]));
    steps.push(Step::Parse { parser: blocks.parser(EP), error: Some(hidden.egress_parser_error) });
    steps.extend(optional(program, hidden::EGRESS_PARSED, "parser errors", place));
    steps.push(Step::Control { control: blocks.control(EG), name: "egress", place });
    steps.extend(optional(program, hidden::EGRESS_ENGINES, "mirrors", place));
    steps.extend(optional(program, hidden::EGRESS_DECISION, "drops", place));
    let session = (hidden.egress_mirror, hidden.egress_mirror_session);
    steps.extend([
        Step::Deparse { control: blocks.control(ED), name: "deparser", place },
        mirror(program, session, CloneOf::Current, hidden::EGRESS_MIRROR),
        rule(When::Is(hidden.egress_drop, 1), Fate::Drop(place)),
        rule(When::Is(hidden.recirculates, 1), Fate::Recirculate),
        rule(When::Always, Fate::Transmit),
    ]);
    Ok(steps)
}

/// Returns the metadata in the form that the packet path needs.
pub(super) fn metadata(
    program: &Program,
    blocks: &Blocks<'_>,
    hidden: &Hidden,
    chip: Chip,
    has_pipes: bool,
) -> Metadata {
    let tm = |field| blocks.find_field(program, (IG, TM), field);
    let mut kept_at_prefix = vec![hidden.recirculates];
    if has_pipes {
        // The blocks choose the program by the port.
        kept_at_prefix.extend([hidden.ingress_port, hidden.egress_port]);
    }
    Metadata {
        inputs: vec![
            (hidden.ingress_port, Fact::IngressPort.plain()),
            (hidden.arrival, Fact::PassTime.plain()),
        ],
        carried: vec![
            (PacketKind::Unicast, vec![hidden.bypass]),
            (PacketKind::Replicated, vec![hidden.bypass]),
            (PacketKind::Resubmitted, vec![hidden.resubmitted, hidden.port_data]),
        ],
        recirculation: Recirculation::Ports(chip.recirculates()),
        copy_choice: Some(CopyChoiceVars {
            level1_hash: tm("level1_mcast_hash"),
            level2_hash: tm("level2_mcast_hash"),
            level1_exclusion_id: tm("level1_exclusion_id"),
            level2_exclusion_id: tm("level2_exclusion_id"),
            rid: tm("rid"),
            mixes_rid: chip == Chip::Tofino2,
        }),
        deflects: tm("deflect_on_drop"),
        lowers_priorities: true,
        kept_at_prefix,
        ..Metadata::default()
    }
}
