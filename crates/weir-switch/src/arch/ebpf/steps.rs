//! The steps of each model.

use weir_ir::{
    Bits, Block, Control, ControlId, Expr, ExprKind, Loc, Place, Program, Stmt, StmtKind, Type, VarId,
};

use super::{Blocks, CONTROL, DEPARSER, Hidden, OUTPUT_PORT, PARSER, XDP_MODEL, hidden};
use crate::error::LoadError;
use crate::path::{Fact, Fate, Reading, Rule, Step, StepSource, When};
use crate::stats::DropPlace;

/// The steps of ingress and of egress, and the variables that a pass sets before its first step.
pub(super) type Made = Result<((Vec<Step>, Vec<Step>), Vec<(VarId, Reading)>), LoadError>;

/// The place of drops after the parser.
const PLACE: DropPlace = DropPlace::Ingress;

pub(super) fn of_filter(program: &Program, blocks: &Blocks<'_>, hidden: Hidden) -> Made {
    let accept = blocks.field(program, (CONTROL, 1), "")?;
    let output_port = hidden.output_port;
    let [error, reject] = failures(hidden, Fate::Drop(DropPlace::Parser));
    let ingress = vec![
        parse(blocks, hidden),
        error,
        reject,
        Step::Set(accept, StepSource::Const(0)),
        Step::Control { control: blocks.control(CONTROL), name: "filter", place: PLACE },
        rule(When::Is(accept, 0), Fate::Drop(PLACE)),
        to_arrival(output_port),
        rule(When::Always, Fate::Unicast { port: output_port, priority: None }),
    ];
    // Without a deparser, the packet keeps its bytes.
    Ok(((ingress, vec![rule(When::Always, Fate::Transmit)]), Vec::new()))
}

pub(super) fn of_xdp(program: &Program, blocks: &Blocks<'_>, hidden: Hidden) -> Made {
    let input_port = blocks.field(program, (CONTROL, 1), "input_port")?;
    let action = blocks.field(program, (CONTROL, 2), "output_action")?;
    blocks.check_port(program, input_port, "xdp_model.p4")?;
    blocks.check_port(program, blocks.field(program, (CONTROL, 2), "output_port")?, "xdp_model.p4")?;
    let output_port = hidden.output_port;
    let [error, reject] = failures(hidden, Fate::Drop(DropPlace::Parser));
    let mut ingress = vec![
        parse(blocks, hidden),
        error,
        reject,
        Step::Control { control: blocks.control(CONTROL), name: "switch", place: PLACE },
    ];
    for dropping in ["XDP_ABORTED", "XDP_DROP"] {
        if let Some(member) = member(program, action, dropping) {
            ingress.push(rule(When::Is(action, member), Fate::Drop(PLACE)));
        }
    }
    ingress.push(to_arrival(output_port));
    if let Some(control) = redirection(program) {
        ingress.push(Step::Control { control, name: "redirection", place: PLACE });
    }
    ingress.push(rule(When::Always, Fate::Unicast { port: output_port, priority: None }));
    let egress = vec![deparse(blocks), rule(When::Always, Fate::Transmit)];
    Ok(((ingress, egress), vec![(input_port, Fact::IngressPort.plain())]))
}

pub(super) fn of_ubpf(program: &Program, blocks: &Blocks<'_>, hidden: Hidden) -> Made {
    let field = |name: &str| blocks.field(program, (CONTROL, 2), name);
    let (action, port) = (field("output_action")?, field("output_port")?);
    blocks.check_port(program, port, "ubpf_model.p4")?;
    let [error, reject] = failures(hidden, Fate::Unicast { port, priority: None });
    let mut ingress = vec![
        parse(blocks, hidden),
        error,
        reject,
        Step::Control { control: blocks.control(CONTROL), name: "pipeline", place: PLACE },
        rule(When::Is(hidden.dropped, 1), Fate::Drop(PLACE)),
    ];
    if let Some(member) = member(program, action, "DROP") {
        ingress.push(rule(When::Is(action, member), Fate::Drop(PLACE)));
    }
    ingress.push(rule(When::Always, Fate::Unicast { port, priority: None }));
    let [error, reject] = failures(hidden, Fate::Transmit);
    let egress = vec![error, reject, deparse(blocks), rule(When::Always, Fate::Transmit)];
    let inputs = vec![
        (field("input_port")?, Fact::IngressPort.plain()),
        (port, Fact::IngressPort.plain()),
        (field("packet_length")?, Fact::Length.plain()),
    ];
    Ok(((ingress, egress), inputs))
}

fn parse(blocks: &Blocks<'_>, hidden: Hidden) -> Step {
    Step::Parse { parser: blocks.parser(PARSER), error: Some(hidden.parser_error) }
}

fn deparse(blocks: &Blocks<'_>) -> Step {
    Step::Deparse { control: blocks.control(DEPARSER), name: "deparser", place: DropPlace::Egress }
}

/// Returns the steps that give this fate to packets that the parser does not accept.
fn failures(hidden: Hidden, fate: Fate) -> [Step; 2] {
    [rule(When::IsNot(hidden.parser_error, 0), fate), rule(When::Is(hidden.rejected, 1), fate)]
}

fn rule(when: When, fate: Fate) -> Step {
    Step::Decide(Rule { when, fate })
}

/// Sends the packet back to the port on which it arrived.
fn to_arrival(output_port: VarId) -> Step {
    Step::Set(output_port, StepSource::Fact(Fact::IngressPort.plain()))
}

/// Returns the number of the member with this name in the enumeration that is the variable's type.
fn member(program: &Program, var: VarId, name: &str) -> Option<u64> {
    let Type::Enum(id) = program.vars[var].ty else { return None };
    program.enums[id].members.iter().position(|member| member == name).map(|position| position as u64)
}

/// The name of the control that [`add_redirection`] adds.
const REDIRECTION: &str = "$redirection";

fn redirection(program: &Program) -> Option<ControlId> {
    program.controls.iter().find(|(_, control)| control.name == REDIRECTION).map(|(id, _)| id)
}

/// Adds a control that takes `output_port` as the port of redirected packets, unless it is there.
pub(super) fn add_redirection(program: &mut Program) {
    let Some(control) = make_redirection(program).filter(|_| redirection(program).is_none()) else { return };
    program.controls.push(control);
}

fn make_redirection(program: &Program) -> Option<Control> {
    let blocks = Blocks::new(program, program.main.as_ref()?, &XDP_MODEL.shape).ok()?;
    let field = |name: &str| blocks.find_field(program, (CONTROL, 2), name);
    let (action, from) = (field("output_action")?, field("output_port")?);
    let to = hidden::find(program, OUTPUT_PORT)?;
    let ty = |var: VarId| program.vars[var].ty;
    if ty(from) != ty(to) {
        return None;
    }
    let read = |var: VarId| Expr { ty: ty(var), kind: ExprKind::Var(var) };
    let stmt = |kind| Stmt { kind, loc: Loc::NONE };
    let redirect = Bits::new(ty(action).width(), u128::from(member(program, action, "XDP_REDIRECT")?));
    let take = Block(vec![stmt(StmtKind::Assign(Place::Var(to), read(from)))]);
    let choice = StmtKind::Switch {
        scrutinee: read(action),
        cases: vec![(vec![redirect], take)],
        default: Block::default(),
    };
    Some(Control {
        name: REDIRECTION.to_owned(),
        params: Vec::new(),
        body: Block(vec![stmt(choice)]),
        loc: Loc::NONE,
    })
}
