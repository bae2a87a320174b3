//! The steps of a packet: parse, ingress, deparse — queue — parse, egress, deparse.

use weir_ir::{Program, VarId};

use super::super::rejection::drop_rule;
use super::metadata::Fields;
use super::{Blocks, ED, EG, EP, ID, IG, IP, PORT_RECIRCULATE};
use crate::path::{CloneOf, Fact, Fate, Reading, Rule, Step, StepSource, When};
use crate::stats::DropPlace;

/// Returns the steps of ingress and those of egress.
pub(super) fn steps(program: &Program, blocks: &Blocks<'_>, fields: &Fields) -> (Vec<Step>, Vec<Step>) {
    let parse = |block, error| Step::Parse { parser: blocks.parser(block), error: Some(error) };
    let control = |block, name, place| Step::Control { control: blocks.control(block), name, place };
    let deparse = |block, place| Step::Deparse { control: blocks.control(block), name: "deparser", place };
    let rule = |when, fate| Step::Decide(Rule { when, fate });
    let clone = |when, session, of| {
        rule(When::Is(when, 1), Fate::Clone { of, session: Some(session), headers: None })
    };
    let set = |field: VarId, reading: Reading| Step::Set(field, StepSource::Fact(reading));

    let (place, class) = (DropPlace::Ingress, fields.class_of_service);
    let rejection = drop_rule(program);
    let mut ingress = vec![parse(IP, fields.ingress_error)];
    ingress.extend(rejection);
    ingress.extend([
        Step::Set(fields.drop, StepSource::Const(1)),
        control(IG, "ingress", place),
        deparse(ID, place),
        clone(fields.clone, fields.clone_session, CloneOf::Original),
        rule(When::Is(fields.drop, 1), Fate::Drop(place)),
        rule(When::Is(fields.resubmit, 1), Fate::Resubmit),
        rule(When::IsNot(fields.multicast_group, 0), Fate::Multicast(fields.multicast_group)),
        rule(When::IsNoPort(fields.egress_port), Fate::Drop(place)),
        rule(When::Always, Fate::Unicast { port: fields.egress_port, priority: Some(class) }),
    ]);

    let place = DropPlace::Egress;
    let mut egress: Vec<Step> = Vec::new();
    egress.extend(fields.egress_ports.map(|field| set(field, Fact::EgressPort.plain())));
    egress.extend(fields.egress_paths.map(|field| set(field, Fact::Kind.plain())));
    egress.extend([
        set(fields.egress_class, Fact::Priority.plain()),
        set(fields.instance, Fact::Instance.plain()),
        set(fields.egress_timestamp, Fact::EgressTime.micros()),
        parse(EP, fields.egress_error),
    ]);
    egress.extend(rejection);
    egress.extend([
        control(EG, "egress", place),
        deparse(ED, place),
        clone(fields.egress_clone, fields.egress_clone_session, CloneOf::Current),
        rule(When::Is(fields.egress_drop, 1), Fate::Drop(place)),
        // The port is an input of egress, so the program cannot change it.
        rule(When::Is(fields.egress_ports[1], u64::from(PORT_RECIRCULATE)), Fate::Recirculate),
        rule(When::Always, Fate::Transmit),
    ]);
    (ingress, egress)
}
