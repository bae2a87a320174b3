//! Finds the parser paths of the frames of a layout: the extracted headers and their positions.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::{
    ActionId, Block, Expr, HeaderId, HeaderRef, Loc, ParserId, ParserStateId, Place, ProcedureId, Program,
    StackId, Stmt, StmtKind, Target, Transition, VarId,
};

use super::bit::{Bit, Matches, Value, any_differs, evaluate, known_value};
use super::calls::Calls;
use super::{Frames, Reason};

/// The maximum number of statements that the analysis follows in a parser for one layout.
const LIMIT: usize = 20_000;

/// A path through the parser, up to its end or to an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ParserPath {
    /// The extracted headers, each with its position in the frame in bits.
    pub headers: Vec<(HeaderId, usize)>,
    /// The position of the payload, in bits.
    pub end: usize,
}

/// All paths through the parser.
#[derive(Debug, Default)]
pub(super) struct ParserPaths {
    pub paths: BTreeSet<ParserPath>,
    /// The variables that have bits that differ.
    pub differing: BTreeSet<VarId>,
    /// The headers that the parser makes valid without extracting them.
    pub added: BTreeSet<HeaderId>,
}

impl ParserPaths {
    /// Follows the parser.
    pub(super) fn through_parser(
        frames: &Frames<'_>,
        calls: &Calls<'_>,
        parser: ParserId,
    ) -> Result<Self, Reason> {
        let parser = &frames.program.parsers[parser];
        let mut walk = PathSearch { frames, calls, found: Self::default(), steps: 0 };
        let begun = walk.block(&parser.locals, Position::default())?;
        let mut pending: Vec<_> = begun.into_iter().filter_map(|end| walk.next(end, parser.start)).collect();
        while let Some((state, position)) = pending.pop() {
            let state = &parser.states[state];
            walk.step(state.loc)?;
            for (end, position) in walk.block(&state.body, position)? {
                if end == End::Stops {
                    walk.finish(position);
                    continue;
                }
                for (target, position) in walk.transition(&state.transition, position)? {
                    match target {
                        Target::State(next) => pending.push((next, position)),
                        Target::Accept | Target::Reject => walk.finish(position),
                    }
                }
            }
        }
        Ok(walk.found)
    }
}

/// The end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Goes,
    Returns,
    /// The parser stops with an error.
    Stops,
}

/// The current position on a path.
#[derive(Clone, Debug, Default)]
struct Position {
    /// The position in the frame, in bits.
    at: usize,
    values: BTreeMap<VarId, Value>,
    nexts: BTreeMap<StackId, usize>,
    headers: Vec<(HeaderId, usize)>,
}

struct PathSearch<'a> {
    frames: &'a Frames<'a>,
    calls: &'a Calls<'a>,
    found: ParserPaths,
    steps: usize,
}

impl<'a> PathSearch<'a> {
    fn program(&self) -> &'a Program {
        self.frames.program
    }

    /// Counts a step, and refuses a parser with too many steps.
    fn step(&mut self, loc: Loc) -> Result<(), Reason> {
        self.steps += 1;
        if self.steps > LIMIT {
            return Err(self.reason(loc, "the parser has too many paths to follow them all"));
        }
        Ok(())
    }

    fn reason(&self, loc: Loc, what: &str) -> Reason {
        Reason::new(self.program(), loc, what)
    }

    fn next(
        &mut self,
        (end, position): (End, Position),
        to: ParserStateId,
    ) -> Option<(ParserStateId, Position)> {
        if end == End::Stops {
            self.finish(position);
            return None;
        }
        Some((to, position))
    }

    /// Adds the path that ends at a position.
    fn finish(&mut self, position: Position) {
        let Position { at, values, headers, .. } = position;
        self.found
            .differing
            .extend(values.iter().filter(|(_, value)| any_differs(value)).map(|(var, _)| *var));
        self.found.paths.insert(ParserPath { headers, end: at });
    }

    fn value(&self, position: &Position, expr: &Expr) -> Value {
        evaluate(expr, self.frames.length(), &mut |var| self.var(position, var))
    }

    fn var(&self, position: &Position, var: VarId) -> Value {
        position.values.get(&var).cloned().unwrap_or_else(|| self.frames.initial(var))
    }

    fn block(&mut self, block: &Block, position: Position) -> Result<Vec<(End, Position)>, Reason> {
        let (mut going, mut ended) = (vec![position], Vec::new());
        for stmt in &block.0 {
            let mut next = Vec::new();
            for position in going {
                for (end, position) in self.stmt(stmt, position)? {
                    if end == End::Goes { next.push(position) } else { ended.push((end, position)) }
                }
            }
            going = next;
        }
        ended.extend(going.into_iter().map(|position| (End::Goes, position)));
        Ok(ended)
    }

    fn stmt(&mut self, stmt: &Stmt, mut position: Position) -> Result<Vec<(End, Position)>, Reason> {
        self.step(stmt.loc)?;
        let loc = stmt.loc;
        let mut end = End::Goes;
        match &stmt.kind {
            StmtKind::Assign(to, from) => {
                let value = self.value(&position, from);
                self.assign(&mut position, to, &value, loc)?;
            }
            StmtKind::SetValid(HeaderRef::Header(header)) => {
                self.found.added.insert(*header);
            }
            StmtKind::If { condition, then, otherwise } => {
                return match self.value(&position, condition)[0] {
                    Bit::Known(true) => self.block(then, position),
                    Bit::Known(false) => self.block(otherwise, position),
                    Bit::Differs => Err(self.decides(loc, condition, &position)),
                    Bit::Same => {
                        let mut ends = self.block(then, position.clone())?;
                        ends.extend(self.block(otherwise, position)?);
                        Ok(ends)
                    }
                };
            }
            StmtKind::Return => end = End::Returns,
            StmtKind::Call(id) => return self.call(*id, position),
            StmtKind::CallAction(id) => return self.action(*id, position),
            StmtKind::Extract { to, varbit_bits } => {
                let bits = varbit_bits.as_ref().map(|bits| self.value(&position, bits));
                end = self.extract(to, bits, &mut position, loc)?;
            }
            StmtKind::Lookahead(to) => {
                let width = match to {
                    Place::Var(id) => self.program().vars[*id].ty.width(),
                    Place::Indexed(vars, _) => {
                        vars.first().map_or(0, |id| self.program().vars[*id].ty.width())
                    }
                };
                let value = self.read(position.at, width as usize, loc)?;
                self.assign(&mut position, to, &value, loc)?;
            }
            StmtKind::Advance(bits) => {
                let bits = known_value(&self.value(&position, bits)).and_then(|bits| bits.to_u64());
                let bits =
                    bits.ok_or_else(|| self.reason(loc, "the parser skips bits that headers count"))?;
                self.read(position.at, bits as usize, loc)?;
                position.at += bits as usize;
            }
            StmtKind::Verify { condition, .. } => match self.value(&position, condition)[0] {
                Bit::Known(true) => {}
                Bit::Known(false) => end = End::Stops,
                Bit::Differs => return Err(self.decides(loc, condition, &position)),
                Bit::Same => return Ok(vec![(End::Goes, position.clone()), (End::Stops, position)]),
            },
            StmtKind::Extern(call) => {
                self.calls.effect(call, loc)?;
                for expr in Calls::read(self.program(), call) {
                    if any_differs(&self.value(&position, &expr)) {
                        return Err(self.decides(loc, &expr, &position));
                    }
                }
                for var in Calls::written(call) {
                    let width = self.program().vars[var].ty.width() as usize;
                    position.values.insert(var, vec![Bit::Same; width]);
                }
            }
            _ => return Err(self.reason(loc, "the parser does something that the analysis does not follow")),
        }
        Ok(vec![(end, position)])
    }

    /// Follows the paths through a procedure.
    fn call(&mut self, id: ProcedureId, position: Position) -> Result<Vec<(End, Position)>, Reason> {
        let body = &self.program().procedures[id].body;
        Ok(self.block(body, position)?.into_iter().map(continue_after_return).collect())
    }

    /// Follows the paths through an action.
    fn action(&mut self, id: ActionId, position: Position) -> Result<Vec<(End, Position)>, Reason> {
        let body = &self.program().actions[id].body;
        Ok(self.block(body, position)?.into_iter().map(continue_after_return).collect())
    }

    fn assign(&self, position: &mut Position, to: &Place, value: &Value, loc: Loc) -> Result<(), Reason> {
        let var = match to {
            Place::Var(var) => *var,
            Place::Indexed(vars, index) => {
                let index = known_value(&self.value(position, index)).and_then(|index| index.to_u64());
                let index = index.ok_or_else(|| self.reason(loc, "the parser writes to an unknown place"))?;
                let Some(var) = vars.get(index as usize) else { return Ok(()) };
                *var
            }
        };
        if let weir_ir::VarRole::Field(header) = self.program().vars[var].role
            && position.headers.iter().any(|(extracted, _)| *extracted == header)
        {
            return Err(self.reason(loc, "the parser changes a header of the packet"));
        }
        position.values.insert(var, value.clone());
        Ok(())
    }

    fn extract(
        &mut self,
        to: &HeaderRef,
        varbit: Option<Value>,
        position: &mut Position,
        loc: Loc,
    ) -> Result<End, Reason> {
        let program = self.program();
        let header = match to {
            HeaderRef::Header(header) => *header,
            HeaderRef::Element(stack, index) => {
                let index = known_value(&self.value(position, index)).and_then(|index| index.to_u64());
                let index = index.ok_or_else(|| self.reason(loc, "the parser writes to an unknown place"))?;
                match program.stacks[*stack].elements.get(index as usize) {
                    Some(header) => *header,
                    None => return Ok(End::Stops),
                }
            }
            HeaderRef::Next(stack) => {
                let next = position.nexts.entry(*stack).or_default();
                let Some(header) = program.stacks[*stack].elements.get(*next) else { return Ok(End::Stops) };
                *next += 1;
                *header
            }
        };
        if position.headers.iter().any(|(known_value, _)| *known_value == header) {
            return Err(self.reason(loc, "the parser extracts a header twice"));
        }
        let begin = position.at;
        for field in &program.headers[header].fields {
            let ty = program.vars[*field].ty;
            let width = match (ty, &varbit) {
                (weir_ir::Type::Varbit { .. }, Some(bits)) => {
                    match known_value(bits).and_then(|bits| bits.to_u64()) {
                        Some(bits) => bits as usize,
                        None => {
                            return Err(self.reason(loc, "the parser extracts a header of variable length"));
                        }
                    }
                }
                _ => ty.width() as usize,
            };
            let mut value = self.read(position.at, width, loc)?;
            if width != ty.width() as usize {
                let bit = if any_differs(&value) { Bit::Differs } else { Bit::Same };
                value = vec![bit; ty.width() as usize];
            }
            position.at += width;
            position.values.insert(*field, value);
        }
        position.values.insert(program.headers[header].valid, vec![Bit::Known(true)]);
        position.headers.push((header, begin));
        Ok(End::Goes)
    }

    /// Reads bits of the frame. Only bits that all frames of the layout have can be read.
    fn read(&self, at: usize, width: usize, loc: Loc) -> Result<Value, Reason> {
        let layout = self.frames.layout;
        if at + width > layout.header_bytes() * 8 {
            let transport = if layout.udp { "UDP" } else { "TCP" };
            return Err(self.reason(loc, &format!("the parser reads what follows the {transport} header")));
        }
        Ok((at..at + width).map(|bit| self.frames.bit(bit)).collect())
    }

    fn transition(
        &self,
        transition: &Transition,
        position: Position,
    ) -> Result<Vec<(Target, Position)>, Reason> {
        let (keys, cases, loc) = match transition {
            Transition::Goto(target) => return Ok(vec![(*target, position)]),
            Transition::Select { keys, cases, loc } => (keys, cases, *loc),
        };
        let values: Vec<Value> = keys.iter().map(|key| self.value(&position, key)).collect();
        let mut taken = Vec::new();
        for case in cases {
            let parts = case.keysets.iter().zip(&values).zip(keys);
            let parts =
                parts.map(|((keyset, value), key)| Matches::compare(keyset, value, key.ty.is_signed()));
            match Matches::all(parts) {
                Matches::Yes => {
                    taken.push((case.target, position));
                    return Ok(taken);
                }
                Matches::Maybe => taken.push((case.target, position.clone())),
                Matches::Differs => {
                    let key = keys.iter().zip(&values).find(|(_, value)| any_differs(value));
                    return Err(key.map_or_else(
                        || self.reason(loc, "the parser decides by bits that differ"),
                        |(key, _)| self.decides(loc, key, &position),
                    ));
                }
                Matches::No => {}
            }
        }
        taken.push((Target::Reject, position));
        Ok(taken)
    }

    /// Makes the reason for a parser with a decision that depends on bits that differ.
    fn decides(&self, loc: Loc, expr: &Expr, position: &Position) -> Reason {
        let mut culprit = None;
        evaluate(expr, self.frames.length(), &mut |var| {
            let value = self.var(position, var);
            culprit = culprit.or(any_differs(&value).then_some(var));
            value
        });
        Reason::new(self.program(), loc, format!("the parser decides by {}", self.frames.describe(culprit)))
    }
}

fn continue_after_return((end, position): (End, Position)) -> (End, Position) {
    (if end == End::Returns { End::Goes } else { end }, position)
}
