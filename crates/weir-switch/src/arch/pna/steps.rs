//! The steps of a packet (parse, pre control, main control, deparse, queue), and the metadata that
//! they set.

use weir_ir::{Program, VarId};

use super::super::rejection::drop_rule;
use super::{Blocks, CONTROL, DEPARSER, DROPPED, Decision, FROM_HOST, PARSER, PRE, UNDECIDED, hidden};
use crate::error::LoadError;
use crate::path::{CloneOf, Fact, Fate, Metadata, Recirculation, Rule, Step, StepSource, When};
use crate::stats::DropPlace;

/// The variables that the path of a packet reads and writes.
pub(super) struct Fields {
    /// The port of arrival, in each block that gets it.
    input_ports: Vec<VarId>,
    /// Whether the packet comes from the host, as a number, and the number of the pass in each
    /// block that gets it; none in version 0.7.
    from_host: Option<VarId>,
    passes: Vec<VarId>,
    timestamp: VarId,
    parser_error: VarId,
    class_of_service: VarId,
    /// Whether the pre control wants the packet to be decrypted.
    decrypt: Option<VarId>,
}

impl Fields {
    /// Finds the variables. Version 0.5 has a pre control.
    pub(super) fn new(
        program: &Program,
        blocks: &Blocks<'_>,
        has_pre_control: bool,
    ) -> Result<Self, LoadError> {
        let field = |block: usize, param: usize, name: &str| blocks.field(program, (block, param), name);
        let inputs: &[usize] = if has_pre_control { &[PARSER, PRE, CONTROL] } else { &[PARSER, CONTROL] };
        let in_all = |name: &str| inputs.iter().map(|block| field(*block, 2, name)).collect::<Result<_, _>>();
        let in_version_5 = |name: &str| if has_pre_control { in_all(name) } else { Ok(Vec::new()) };
        let fields = Self {
            input_ports: in_all("input_port")?,
            from_host: hidden::find(program, FROM_HOST).filter(|_| has_pre_control),
            passes: in_version_5("pass")?,
            timestamp: field(CONTROL, 2, "timestamp")?,
            parser_error: field(CONTROL, 2, "parser_error")?,
            class_of_service: field(CONTROL, 3, "class_of_service")?,
            decrypt: has_pre_control.then(|| field(PRE, 3, "decrypt")).transpose()?,
        };
        blocks.check_port(program, fields.input_ports[0], "pna.p4")?;
        Ok(fields)
    }

    /// Returns the metadata in the form that the packet path needs.
    pub(super) fn metadata(&self) -> Metadata {
        let ports = self.input_ports.iter().map(|port| (*port, Fact::IngressPort.plain()));
        Metadata {
            inputs: ports.chain([(self.timestamp, Fact::PassTime.micros())]).collect(),
            recirculation: Recirculation::KeepsPort,
            lowers_priorities: true,
            ..Metadata::default()
        }
    }
}

/// Returns the steps of a pass, and the step after the queue.
pub(super) fn steps(
    program: &Program,
    blocks: &Blocks<'_>,
    fields: &Fields,
    decision: Decision,
) -> (Vec<Step>, Vec<Step>) {
    let Decision { fate, port } = decision;
    let place = DropPlace::Ingress;
    let control = |block, name| Step::Control { control: blocks.control(block), name, place };
    let rule = |when, fate| Step::Decide(Rule { when, fate });
    let set = |var: &VarId, fact: Fact| Step::Set(*var, StepSource::Fact(fact.plain()));
    let mut steps: Vec<Step> = fields.from_host.iter().map(|var| set(var, Fact::FromHost)).collect();
    steps.extend(fields.passes.iter().map(|var| set(var, Fact::Pass)));
    steps.push(Step::Parse { parser: blocks.parser(PARSER), error: Some(fields.parser_error) });
    steps.extend(drop_rule(program));
    if let Some(decrypt) = fields.decrypt {
        steps.extend([control(PRE, "pre control"), rule(When::Is(decrypt, 1), Fate::Drop(place))]);
    }
    steps.extend([
        control(CONTROL, "main control"),
        Step::Deparse { control: blocks.control(DEPARSER), name: "deparser", place },
        rule(When::Called, Fate::Clone { of: CloneOf::Current, session: None, headers: None }),
        rule(When::Is(fate, DROPPED), Fate::Drop(place)),
        rule(When::Called, Fate::Recirculate),
        rule(When::Is(fate, UNDECIDED), Fate::Drop(place)),
        rule(When::IsNoPort(port), Fate::Drop(place)),
        rule(When::Always, Fate::Unicast { port, priority: Some(fields.class_of_service) }),
    ]);
    (steps, vec![rule(When::Always, Fate::Transmit)])
}
