//! Statements.

use weir_exec::{Environment, Event, Fault, FrameValue, LOOP_LIMIT};
use weir_ir::{
    ActionId, ArgValue, Bits, Block, Direction, ExternCall, HeaderRef, Layout, Leaf, Loc, Program, State,
    Stmt, StmtKind, TableId, VarId, wire,
};

use crate::Interpreter;

/// The reason why a block did not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// `break`: leaves the loop.
    Break,
    /// `continue`: goes to the loop's step.
    Continue,
    /// `return`: leaves the action, procedure or control body.
    Return,
    /// `exit`: leaves the block of the package.
    Exit,
    /// Parsing ends with an error.
    ParserError(u32),
    /// The executor stops because of a fault.
    Fault(Fault),
}

/// The state of one run of one block of the package.
pub(crate) struct Machine<'a> {
    pub(crate) interpreter: &'a Interpreter,
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    pub(crate) state: &'a mut State,
    pub(crate) env: &'a mut dyn Environment,
    pub(crate) tracing: bool,
    /// The packet that is parsed; empty in controls.
    pub(crate) packet: &'a [u8],
    /// The number of bits of the packet that were consumed.
    pub(crate) position: u64,
    /// The writer for emitted headers.
    out: wire::Writer<'a>,
    /// The number of iterations of all loops so far.
    turns: u32,
    /// The keys of a lookup. The memory is reused between lookups.
    pub(crate) keys: Vec<Bits>,
    /// The words of a call frame. The memory is reused between calls.
    words: Vec<u64>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        interpreter: &'a Interpreter,
        packet: &'a [u8],
        out: wire::Writer<'a>,
        state: &'a mut State,
        env: &'a mut dyn Environment,
    ) -> Self {
        let tracing = env.tracing();
        Self {
            interpreter,
            program: &interpreter.program,
            layout: interpreter.program.layout(),
            state,
            env,
            tracing,
            packet,
            position: 0,
            out,
            turns: 0,
            keys: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Runs a block.
    pub(crate) fn block(&mut self, block: &Block) -> Result<(), Stop> {
        block.0.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// Runs a statement.
    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Stop> {
        let loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Assign(place, expr) => {
                let value = self.eval(expr);
                if let Some(var) = self.place_var(place) {
                    self.write(var, &value, loc);
                }
            }
            StmtKind::SetValid(header) => {
                if let Some(header) = self.header(header) {
                    self.trace_changes(&[header], loc, |m| m.set_valid(header, true));
                }
            }
            StmtKind::SetInvalid(header) => {
                if let Some(header) = self.header(header) {
                    self.trace_changes(&[header], loc, |m| m.set_valid(header, false));
                }
            }
            StmtKind::InvalidateOthers(header) => {
                for other in self.program.siblings(*header) {
                    if self.is_valid(other) {
                        self.trace_changes(&[other], loc, |m| m.set_valid(other, false));
                    }
                }
            }
            StmtKind::Copy { to, from } => {
                if let Some(to) = self.header(to) {
                    let from = self.header(from);
                    self.trace_changes(&[to], loc, |m| m.copy(to, from));
                }
            }
            StmtKind::SetNextIndex(stack, value) => self.assign_next_index(*stack, value),
            StmtKind::PushFront(stack, count) => {
                self.trace_changes(&self.program.stacks[*stack].elements, loc, |m| {
                    m.push_front(*stack, *count);
                });
            }
            StmtKind::PopFront(stack, count) => {
                self.trace_changes(&self.program.stacks[*stack].elements, loc, |m| {
                    m.pop_front(*stack, *count);
                });
            }
            StmtKind::If { condition, then, otherwise } => {
                let taken = self.eval_branch(condition, loc);
                self.block(if taken { then } else { otherwise })?;
            }
            StmtKind::Switch { scrutinee, cases, default } => {
                let value = self.eval(scrutinee);
                let case = cases.iter().find(|(values, _)| values.contains(&value));
                if self.tracing {
                    self.env.event(Event::Switched(&value, case.is_some(), loc));
                }
                self.block(case.map_or(default, |(_, block)| block))?;
            }
            StmtKind::Loop { condition, body, step } => {
                let turn = self.interpreter.work.iteration_weight(self.program, body, step);
                while self.eval_branch(condition, loc) {
                    self.turns = self.turns.saturating_add(turn);
                    if self.turns > LOOP_LIMIT {
                        return Err(Stop::Fault(Fault::LoopLimit));
                    }
                    match self.block(body) {
                        Ok(()) | Err(Stop::Continue) => self.block(step)?,
                        Err(Stop::Break) => break,
                        Err(stop) => return Err(stop),
                    }
                }
            }
            StmtKind::Break => return Err(Stop::Break),
            StmtKind::Continue => return Err(Stop::Continue),
            StmtKind::Return => return Err(Stop::Return),
            StmtKind::Exit => return Err(Stop::Exit),
            StmtKind::Call(procedure) => self.run_body(&self.program.procedures[*procedure].body)?,
            StmtKind::CallAction(action) => {
                if self.tracing {
                    let args: Vec<Bits> =
                        self.program.actions[*action].params.iter().map(|p| self.read(p.var)).collect();
                    self.env.event(Event::Action(*action, &args));
                }
                self.action_body(&self.program.actions[*action].body)?;
            }
            StmtKind::Apply { table, hit, action_run } => self.apply(*table, *hit, *action_run, loc)?,
            StmtKind::Extract { to, varbit_bits } => {
                let end = self.extract(to, varbit_bits.as_ref(), loc);
                self.trace_error(end, loc)?;
            }
            StmtKind::Lookahead(place) => {
                let end = self.lookahead(place, loc);
                self.trace_error(end, loc)?;
            }
            StmtKind::Advance(bits) => {
                let end = self.advance(bits);
                self.trace_error(end, loc)?;
            }
            StmtKind::Verify { condition, error } => {
                if !self.eval_branch(condition, loc) {
                    let end = Err(Stop::ParserError(self.eval_number(error) as u32));
                    self.trace_error(end, loc)?;
                }
            }
            StmtKind::Emit(header) => self.emit(header, loc),
            StmtKind::Extern(call) => self.call(call, loc)?,
        }
        Ok(())
    }

    fn eval_branch(&mut self, condition: &weir_ir::Expr, loc: Loc) -> bool {
        let holds = self.eval_bool(condition);
        if self.tracing {
            self.env.event(Event::Branch(holds, loc));
        }
        holds
    }

    /// Reports a parser error to the trace.
    pub(crate) fn trace_error(&mut self, end: Result<(), Stop>, loc: Loc) -> Result<(), Stop> {
        if let (Err(Stop::ParserError(error)), true) = (end, self.tracing) {
            self.env.event(Event::ParserError(error, loc));
        }
        end
    }

    /// Runs the body of an action. The caller has already traced the start of the action.
    fn action_body(&mut self, body: &Block) -> Result<(), Stop> {
        let end = self.run_body(body);
        if self.tracing {
            self.env.event(Event::ActionEnded);
        }
        end
    }

    /// Runs the body of an action or procedure, which `Return` ends.
    fn run_body(&mut self, body: &Block) -> Result<(), Stop> {
        match self.block(body) {
            Err(Stop::Return) => Ok(()),
            end => end,
        }
    }

    /// Applies a table: looks up its keys and runs the action that it finds.
    fn apply(
        &mut self,
        table_id: TableId,
        hit: Option<VarId>,
        action_run: Option<VarId>,
        loc: Loc,
    ) -> Result<(), Stop> {
        let table = &self.program.tables[table_id];
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.extend(table.keys.iter().map(|key| self.eval(&key.expr)));
        let found = self.env.lookup(table_id, &keys);
        if self.tracing {
            self.env.event(Event::Applied { table: table_id, keys: &keys, found: &found, loc });
        }
        self.keys = keys;
        if let Some(hit) = hit {
            self.write(hit, &Bits::bool(found.hit), loc);
        }
        if let Some(action_run) = action_run {
            let position = table.actions.iter().position(|a| a.action == found.call.action);
            let position = position.map_or(table.actions.len(), |position| table.run_position(position));
            self.write(action_run, &Bits::new(32, position as u128), loc);
        }
        self.action(found.call.action, &found.call.args)
    }

    /// Runs an action with these arguments.
    fn action(&mut self, id: ActionId, args: &[Bits]) -> Result<(), Stop> {
        let action = &self.program.actions[id];
        for (param, arg) in action.params.iter().zip(args) {
            self.layout.set(self.state, param.var, arg);
        }
        if self.tracing {
            self.env.event(Event::Action(id, args));
        }
        self.action_body(&action.body)
    }

    /// Emits a header, if it is valid.
    fn emit(&mut self, reference: &HeaderRef, loc: Loc) {
        let Some(header) = self.header(reference).filter(|header| self.is_valid(*header)) else { return };
        for field in &self.program.headers[header].fields {
            let value = self.read(*field);
            self.out.push(&value);
        }
        if self.tracing {
            let values = self.fields(header);
            self.env.event(Event::Emitted(header, &values, loc));
        }
    }

    /// Calls an extern function or method.
    fn call(&mut self, call: &ExternCall, loc: Loc) -> Result<(), Stop> {
        let frame = self.interpreter.frame(call);
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.resize(frame.words, 0);
        for (arg, places) in call.args.iter().zip(&frame.args) {
            self.put_argument(&arg.value, places, &mut words);
        }
        if self.tracing {
            self.env.event(Event::Called(call, &frame.arguments(call, &words), loc));
        }
        self.env.call_frame(call, &mut words, self.interpreter, self.state).map_err(Stop::Fault)?;
        for (arg, places) in call.args.iter().zip(&frame.args) {
            if let (ArgValue::Vars { vars, .. }, true) = (&arg.value, arg.direction != Direction::In) {
                self.write_all(vars, places, &words, loc);
            }
        }
        self.write_all(&call.result, &frame.result, &words, loc);
        self.words = words;
        if self.tracing {
            self.env.event(Event::Returned);
        }
        Ok(())
    }

    /// Writes an argument's values to their places in the words of a call frame. The words must be
    /// 0 before.
    fn put_argument(&self, value: &ArgValue, places: &[FrameValue], words: &mut [u64]) {
        let mut places = places.iter();
        match value {
            ArgValue::Leaves(leaves) => {
                for leaf in leaves {
                    match leaf {
                        Leaf::Value(expr) => {
                            places.by_ref().take(1).for_each(|place| place.write(words, &self.eval(expr)));
                        }
                        Leaf::Header(header) => {
                            let valid = u64::from(self.is_valid(*header));
                            for (field, place) in self.program.headers[*header].fields.iter().zip(&mut places)
                            {
                                place.if_valid.iter().for_each(|at| words[*at] = valid);
                                place.write(words, &self.read(*field));
                            }
                        }
                    }
                }
            }
            ArgValue::Vars { vars, .. } => {
                vars.iter().zip(places).for_each(|(var, place)| place.write(words, &self.read(*var)));
            }
            ArgValue::Text(_) | ArgValue::Extern(_) => {}
        }
    }
}
