//! Joins the programs of several pipes into one, whose blocks run the block of the packet's pipe.
//!
//! A packet is in the pipe of its port: before the queues, the port on which it arrived, and after
//! them, the port of its queue. The chip's metadata are the same data in all pipes
//! ([`Architecture::pipes`](crate::arch::Architecture)).

use weir_ir::{
    Arena, BinaryOp, Bits, Block, Control, ControlId, Expr, ExprKind, Id, Keyset, Loc, Package, PackageArg,
    Param, Parser, ParserId, ParserState, Program, SelectCase, StmtKind, Target, Transition, Type, VarId,
};

use super::super::build::{binary, equals, number, stmt, value};
use super::super::hidden::Hidden;
use super::super::{ARCHITECTURE, ED, EG, EP, GHOST, ID, IG, IP};

/// The number of pipes in a chip.
const PIPES: usize = 4;

/// The parameters for headers and metadata of the program, which each pipe has for itself.
const OWN_PARAMS: usize = 2;

/// The first state of a parser that runs those of several pipes. Parsers of programs begin with
/// the state `start`.
const FIRST_STATE: &str = "pipes";

/// The pipes with programs of their own, and the position of the program of each pipe of the chip.
/// If a package has fewer programs than the chip has pipes, the programs repeat.
pub(super) struct Pipes {
    positions: Vec<usize>,
    of_chip: [usize; PIPES],
}

impl Pipes {
    pub(super) fn new(package: &Package) -> Self {
        let positions = ARCHITECTURE.pipes_of(package);
        let count = package.args.len().max(1);
        let of_chip = std::array::from_fn(|pipe| {
            let arg = package.args.get(pipe % count);
            let is_same =
                |position: &usize| package.args.get(*position).map(|(_, arg)| arg) == arg.map(|(_, arg)| arg);
            positions.iter().position(is_same).unwrap_or(0)
        });
        Self { positions, of_chip }
    }

    /// Builds the condition that a port is one of those that run the program at this position.
    fn condition(&self, port: &Expr, position: usize) -> Expr {
        let kind = ExprKind::Slice { operand: Box::new(port.clone()), high: 8, low: 7 };
        let pipe = Expr { kind, ty: Type::bit(2) };
        let same = (0..PIPES).filter(|of| self.of_chip[*of] == position);
        let conditions = same.map(|of| equals(pipe.clone(), of as u128));
        let any = conditions.reduce(|left, right| binary(BinaryOp::Or, left, right, Type::Bool));
        any.unwrap_or_else(|| number(Type::Bool, 0))
    }

    /// Builds a statement that runs the block of the pipe of a port.
    pub(super) fn choose(&self, port: &Expr, blocks: Vec<Block>) -> Block {
        let mut blocks = blocks.into_iter().enumerate().rev();
        let last = blocks.next().map_or_else(Block::default, |(_, block)| block);
        blocks.fold(last, |otherwise, (position, then)| {
            let condition = self.condition(port, position);
            Block(vec![stmt(StmtKind::If { condition, then, otherwise })])
        })
    }

    /// Returns the number of programs.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }
}

/// Joins the pipes of a program into one.
pub(super) fn join(program: &mut Program, pipes: &Pipes, hidden: &Hidden) {
    let Some(mut package) = program.main.clone() else { return };
    let found: Option<Vec<Package>> = pipes.positions.iter().map(|at| pipe(&package, *at)).collect();
    let Some(found) = found.filter(|_| pipes.len() > 1) else {
        package.args.truncate(1);
        program.main = Some(package);
        return;
    };
    let block = |role: usize, at: usize| found[at].args.get(role).map(|(_, block)| block.clone());
    let (arrived, leaves) = (value(program, hidden.ingress_port), value(program, hidden.egress_port));
    let mut joined = found[0].clone();
    for role in [IP, IG, ID, EP, EG, ED, GHOST] {
        let port = if role <= ID { &arrived } else { &leaves };
        let blocks: Vec<_> = (0..found.len()).map(|at| block(role, at)).collect();
        let names: Vec<_> = pipes.positions.iter().map(|at| package.args[*at].0.clone()).collect();
        let made = if role == IP || role == EP {
            let ids = blocks.iter().map(|block| match block {
                Some(PackageArg::Parser(id)) => Some(*id),
                _ => None,
            });
            ids.collect::<Option<Vec<_>>>()
                .map(|ids| PackageArg::Parser(parser(program, (pipes, port), &ids, &names)))
        } else {
            let ids = blocks.iter().map(|block| match block {
                Some(PackageArg::Control(id)) => Some(*id),
                _ => None,
            });
            let ids: Vec<_> = ids.collect();
            let any = ids.iter().any(Option::is_some);
            any.then(|| PackageArg::Control(control(program, (pipes, port), &ids)))
        };
        let Some(made) = made else { continue };
        match joined.args.get_mut(role) {
            Some((_, arg)) => *arg = made,
            None => joined.args.push(("ghost".to_owned(), made)),
        }
    }
    package.args = vec![(package.args[0].0.clone(), PackageArg::Package(Box::new(joined)))];
    program.main = Some(package);
}

fn pipe(package: &Package, position: usize) -> Option<Package> {
    match package.args.get(position) {
        Some((_, PackageArg::Package(pipe))) => Some((**pipe).clone()),
        _ => None,
    }
}

/// Returns whether a parser runs those of several pipes.
pub fn joins_pipes(program: &Program, parser: ParserId) -> bool {
    let parser = &program.parsers[parser];
    parser.states[parser.start].name == FIRST_STATE
}

/// Builds a parser that runs the parser of the packet's pipe.
fn parser(
    program: &mut Program,
    (pipes, port): (&Pipes, &Expr),
    of_pipes: &[ParserId],
    names: &[String],
) -> ParserId {
    let mut states = Arena::new();
    let first = states.push(state(FIRST_STATE, Block::default(), Transition::Goto(Target::Reject)));
    let mut entries = Vec::new();
    let mut params = Vec::new();
    for (id, pipe) in of_pipes.iter().zip(names) {
        let empty = Parser {
            name: program.parsers[*id].name.clone(),
            params: Vec::new(),
            locals: Block::default(),
            states: std::iter::once(state("start", Block::default(), Transition::Goto(Target::Accept)))
                .collect(),
            start: Id::new(0),
            loc: Loc::NONE,
        };
        let of_pipe = std::mem::replace(&mut program.parsers[*id], empty);
        let offset = states.len() + 1;
        let start = Transition::Goto(Target::State(Id::new(offset + of_pipe.start.index())));
        entries.push(states.push(state(pipe, of_pipe.locals, start)));
        for mut of in of_pipe.states.into_values() {
            of.name = format!("{pipe}.{}", of.name);
            move_targets(&mut of.transition, offset);
            states.push(of);
        }
        params.push(of_pipe.params);
    }
    let kind = ExprKind::Slice { operand: Box::new(port.clone()), high: 8, low: 7 };
    let case = |of: usize| SelectCase {
        keysets: vec![Keyset::Value(Bits::new(2, of as u128))],
        target: Target::State(entries[pipes.of_chip[of]]),
        loc: Loc::NONE,
    };
    let (keys, cases) = (vec![Expr { kind, ty: Type::bit(2) }], (0..PIPES).map(case).collect());
    states[first].transition = Transition::Select { keys, cases, loc: Loc::NONE };
    let (name, params) =
        (joined_name(of_pipes.iter().map(|id| &program.parsers[*id].name)), all_params(params));
    let locals = Block::default();
    program.parsers.push(Parser { name, params, locals, states, start: first, loc: Loc::NONE })
}

fn state(name: &str, body: Block, transition: Transition) -> ParserState {
    ParserState { name: name.to_owned(), body, transition, loc: Loc::NONE }
}

/// Adds an offset to the states to which a transition leads.
fn move_targets(transition: &mut Transition, offset: usize) {
    let moved = |target: &mut Target| {
        if let Target::State(id) = target {
            *id = Id::new(id.index() + offset);
        }
    };
    match transition {
        Transition::Goto(target) => moved(target),
        Transition::Select { cases, .. } => cases.iter_mut().for_each(|case| moved(&mut case.target)),
    }
}

/// Builds a control that runs the control of the packet's pipe. Not all pipes need to have one.
fn control(
    program: &mut Program,
    (pipes, port): (&Pipes, &Expr),
    of_pipes: &[Option<ControlId>],
) -> ControlId {
    let mut take = |id: &Option<ControlId>| {
        id.map(|id| {
            let control = &mut program.controls[id];
            (std::mem::take(&mut control.body), std::mem::take(&mut control.params))
        })
        .unwrap_or_default()
    };
    let (bodies, params): (Vec<Block>, Vec<Vec<Param>>) = of_pipes.iter().map(&mut take).unzip();
    let body = pipes.choose(port, bodies);
    let names = of_pipes.iter().flatten().map(|id| &program.controls[*id].name);
    let (name, params) = (joined_name(names), all_params(params));
    program.controls.push(Control { name, params, body, loc: Loc::NONE })
}

fn joined_name<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.dedup();
    names.join("+")
}

/// Returns the parameters of a joined block: the program's own parameters of all pipes together,
/// and those of the chip.
fn all_params(of_pipes: Vec<Vec<Param>>) -> Vec<Param> {
    let mut all: Vec<Param> = Vec::new();
    for (pipe, params) in of_pipes.into_iter().enumerate() {
        for (position, param) in params.into_iter().enumerate() {
            match all.get_mut(position) {
                None => all.push(param),
                Some(known) if position < OWN_PARAMS => add_storage(known, param, pipe),
                Some(_) => {}
            }
        }
    }
    all
}

/// Adds the storage of a pipe's parameter. Its paths begin with the pipe, because several pipes may
/// have the same names.
fn add_storage(to: &mut Param, from: Param, pipe: usize) {
    let (to, from) = (&mut to.storage, from.storage);
    let new: Vec<(VarId, String)> =
        from.vars.into_iter().zip(from.paths).filter(|(var, _)| !to.vars.contains(var)).collect();
    for (var, path) in new {
        to.vars.push(var);
        let dot = if path.is_empty() { "" } else { "." };
        to.paths.push(format!("pipe{pipe}{dot}{path}"));
    }
    let headers: Vec<_> = from.headers.into_iter().filter(|header| !to.headers.contains(header)).collect();
    to.headers.extend(headers);
    let stacks: Vec<_> = from.stacks.into_iter().filter(|stack| !to.stacks.contains(stack)).collect();
    to.stacks.extend(stacks);
}
