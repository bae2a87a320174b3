//! What bodies touch and how long they are: decides where variables live and what becomes a function of its own.

use std::collections::BTreeSet;
use std::rc::Rc;

use weir_exec::{Condition, ExternSemantics, Pipeline, Source, Stage};
use weir_ir::{
    ActionId, ArgValue, Block, Direction, Expr, ExprKind, HeaderId, HeaderRef, Leaf, Place, ProcedureId,
    Program, StmtKind, TableId, Transition, VarId, VarRole,
};

/// A body that statements run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Body {
    Procedure(ProcedureId),
    Action(ActionId),
}

/// What a body and all that it calls contain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Every variable read or written.
    pub vars: BTreeSet<VarId>,
    /// Variables written one by one: by assignments, look-aheads and externs, and action data.
    pub written: BTreeSet<VarId>,
    /// Every variable that may be changed, one by one or with its header.
    pub changed: BTreeSet<VarId>,
    /// Headers that may become valid or another header's copy without being extracted.
    pub remade: BTreeSet<HeaderId>,
    /// Whether there are loops.
    pub loops: bool,
    /// Calls of externs that may change any variable.
    pub externs: usize,
    /// Calls of externs that the environment makes, those among them.
    pub asked: usize,
    /// Whether the position in the packet matters.
    pub parses: bool,
    /// Whether every header that is extracted or emitted takes whole bytes whatever it holds.
    pub whole_extracts: bool,
    /// The same of headers that are emitted; a varbit spoils it, since its length may be any.
    pub whole_emits: bool,
    /// Roughly how much code it makes, with the bodies that go inline.
    pub size: usize,
}

impl Facts {
    /// Of nothing.
    pub(crate) fn none() -> Self {
        Self { whole_extracts: true, whole_emits: true, ..Self::default() }
    }

    /// Adds what code that comes beside contains.
    pub(crate) fn add(&mut self, other: &Self) {
        self.vars.extend(&other.vars);
        self.written.extend(&other.written);
        self.changed.extend(&other.changed);
        self.remade.extend(&other.remade);
        self.loops |= other.loops;
        self.externs += other.externs;
        self.asked += other.asked;
        self.parses |= other.parses;
        self.whole_extracts &= other.whole_extracts;
        self.whole_emits &= other.whole_emits;
        self.size += other.size;
    }
}

/// The facts of every body that can be called.
pub(crate) struct Analysis<'p> {
    program: &'p Program,
    /// What externs mean.
    pipeline: Option<&'p Pipeline>,
    procedures: Vec<Option<Rc<Facts>>>,
    actions: Vec<Option<Rc<Facts>>>,
    /// How many places call each body.
    procedure_calls: Vec<usize>,
    action_calls: Vec<usize>,
    limits: Limits,
}

/// Up to which size bodies go inline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bodies that are called from several places.
    pub shared: usize,
    /// Bodies with a single caller.
    pub single: usize,
}

impl<'p> Analysis<'p> {
    pub(crate) fn new(program: &'p Program, pipeline: Option<&'p Pipeline>, limits: Limits) -> Self {
        let mut analysis = Self {
            program,
            pipeline,
            procedures: vec![None; program.procedures.len()],
            actions: vec![None; program.actions.len()],
            procedure_calls: vec![0; program.procedures.len()],
            action_calls: vec![0; program.actions.len()],
            limits,
        };
        let bodies = program.controls.values().map(|control| &control.body);
        let bodies = bodies.chain(program.procedures.values().map(|procedure| &procedure.body));
        let bodies = bodies.chain(program.actions.values().map(|action| &action.body));
        let parsers = program.parsers.values();
        let states =
            parsers.flat_map(|p| [&p.locals].into_iter().chain(p.states.values().map(|state| &state.body)));
        for body in bodies.chain(states) {
            analysis.count_calls(body);
        }
        analysis
    }

    fn count_calls(&mut self, block: &Block) {
        for stmt in &block.0 {
            match &stmt.kind {
                StmtKind::Call(id) => self.procedure_calls[id.index()] += 1,
                StmtKind::CallAction(id) => self.action_calls[id.index()] += 1,
                StmtKind::Apply { table, .. } => {
                    for action in &self.program.tables[*table].actions {
                        self.action_calls[action.action.index()] += 1;
                    }
                }
                kind => inner_blocks(kind, &mut |block| self.count_calls(block)),
            }
        }
    }

    /// The facts of a body that can be called.
    pub(crate) fn body(&mut self, body: Body) -> Rc<Facts> {
        let known = match body {
            Body::Procedure(id) => &self.procedures[id.index()],
            Body::Action(id) => &self.actions[id.index()],
        };
        if let Some(known) = known {
            return Rc::clone(known);
        }
        let facts = Rc::new(self.block(block_of(self.program, body)));
        match body {
            Body::Procedure(id) => self.procedures[id.index()] = Some(Rc::clone(&facts)),
            Body::Action(id) => self.actions[id.index()] = Some(Rc::clone(&facts)),
        }
        facts
    }

    /// Whether the body is copied to where it is called.
    pub(crate) fn inline(&mut self, body: Body) -> bool {
        let calls = match body {
            Body::Procedure(id) => self.procedure_calls[id.index()],
            Body::Action(id) => self.action_calls[id.index()],
        };
        let limit = if calls <= 1 { self.limits.single } else { self.limits.shared };
        let facts = self.body(body);
        // The places of headers that a function extracts would not be known in a pipeline.
        facts.size <= limit || facts.parses && self.pipeline.is_some()
    }

    /// The facts of a parser.
    pub(crate) fn parser(&mut self, id: weir_ir::ParserId) -> Facts {
        let program = self.program;
        let parser = &program.parsers[id];
        let mut facts = self.block(&parser.locals);
        for state in parser.states.values() {
            self.add_block(&mut facts, &state.body);
            if let Transition::Select { keys, .. } = &state.transition {
                keys.iter().for_each(|key| add_expr(&mut facts, key));
            }
        }
        facts.parses = true;
        facts
    }

    /// The facts of what a pipeline's caller sets.
    pub(crate) fn inputs(&self, inputs: &[VarId]) -> Facts {
        let mut facts = Facts { vars: inputs.iter().copied().collect(), ..Facts::none() };
        add_results(self.program, &mut facts, inputs);
        facts
    }

    /// The facts of a pipeline's stage.
    pub(crate) fn stage(&mut self, stage: &Stage) -> Facts {
        let program = self.program;
        let mut facts = match stage {
            Stage::Parse { parser, .. } => self.parser(*parser),
            Stage::Control(control) | Stage::Deparse(control) => self.block(&program.controls[*control].body),
            _ => Facts::none(),
        };
        match *stage {
            Stage::Parse { error, .. } => {
                facts.vars.extend(error);
                add_results(program, &mut facts, error.as_slice());
            }
            Stage::Set(var, source) => {
                facts.vars.insert(var);
                add_results(program, &mut facts, &[var]);
                if let Source::Var(from) = source {
                    facts.vars.insert(from);
                }
            }
            Stage::Output(var, _) => {
                facts.vars.insert(var);
            }
            Stage::LeaveIf {
                condition: Condition::Is(var, _) | Condition::IsNot(var, _) | Condition::AtLeast(var, _),
                ..
            } => {
                facts.vars.insert(var);
            }
            Stage::Control(_) | Stage::Deparse(_) | Stage::LeaveIfDeferred { .. } => {}
        }
        facts
    }

    /// The facts of a block.
    pub(crate) fn block(&mut self, block: &Block) -> Facts {
        let mut facts = Facts::none();
        self.add_block(&mut facts, block);
        facts
    }

    fn add_block(&mut self, facts: &mut Facts, block: &Block) {
        for stmt in &block.0 {
            facts.size += 1;
            self.add_stmt(facts, &stmt.kind);
        }
    }

    fn add_stmt(&mut self, facts: &mut Facts, kind: &StmtKind) {
        let program = self.program;
        match kind {
            StmtKind::Assign(place, value) => {
                add_written(facts, place);
                add_expr(facts, value);
            }
            StmtKind::SetValid(header) => {
                self.add_header(facts, header);
                self.add_changed(facts, header);
                facts.remade.extend(headers_of(program, header));
            }
            StmtKind::SetInvalid(header) => {
                self.add_header(facts, header);
                self.add_changed(facts, header);
            }
            StmtKind::Emit(header) => {
                self.add_header(facts, header);
                facts.whole_emits &= self.is_whole(header) && !self.has_varbit(header);
            }
            StmtKind::Copy { to, from } => {
                facts.remade.extend(headers_of(program, to));
                self.add_header(facts, to);
                self.add_changed(facts, to);
                self.add_header(facts, from);
            }
            StmtKind::SetNextIndex(stack, value) => {
                facts.vars.insert(program.stacks[*stack].next_index);
                facts.changed.insert(program.stacks[*stack].next_index);
                add_expr(facts, value);
            }
            StmtKind::PushFront(stack, _) | StmtKind::PopFront(stack, _) => {
                facts.vars.insert(program.stacks[*stack].next_index);
                facts.changed.insert(program.stacks[*stack].next_index);
                for element in &program.stacks[*stack].elements {
                    add_fields(program, facts, *element);
                    facts.changed.extend(all_of(program, *element));
                    facts.remade.insert(*element);
                }
            }
            StmtKind::If { condition, .. } => add_expr(facts, condition),
            StmtKind::Loop { condition, .. } => {
                facts.loops = true;
                add_expr(facts, condition);
            }
            StmtKind::Switch { scrutinee, .. } => add_expr(facts, scrutinee),
            StmtKind::Break | StmtKind::Continue | StmtKind::Return | StmtKind::Exit => {}
            StmtKind::Call(id) => self.add_call(facts, Body::Procedure(*id)),
            StmtKind::CallAction(id) => self.add_call(facts, Body::Action(*id)),
            StmtKind::Apply { table, hit, action_run } => {
                facts.vars.extend([hit, action_run].into_iter().flatten());
                facts.changed.extend([hit, action_run].into_iter().flatten());
                self.add_table(facts, *table);
            }
            StmtKind::Extract { to, varbit_bits } => {
                facts.parses = true;
                self.add_header(facts, to);
                self.add_changed(facts, to);
                facts.whole_extracts &= self.has_varbit(to) || self.is_whole(to);
                varbit_bits.iter().for_each(|bits| add_expr(facts, bits));
            }
            StmtKind::Lookahead(place) => {
                facts.parses = true;
                add_written(facts, place);
            }
            StmtKind::Advance(bits) => {
                facts.parses = true;
                add_expr(facts, bits);
            }
            StmtKind::Verify { condition, error } => {
                facts.parses = true;
                add_expr(facts, condition);
                add_expr(facts, error);
            }
            StmtKind::Extern(call) => {
                let meaning =
                    self.pipeline.map_or(&ExternSemantics::Call, |pipeline| pipeline.semantics(call));
                facts.asked +=
                    usize::from(matches!(meaning, ExternSemantics::Call | ExternSemantics::Words(_)));
                facts.externs += usize::from(*meaning == ExternSemantics::Call);
                if let ExternSemantics::Set(values) = meaning {
                    facts.vars.extend(values.iter().map(|(var, _)| var));
                    values.iter().for_each(|(var, _)| add_results(program, facts, &[*var]));
                }
                if let ExternSemantics::VerifyChecksum { error, .. } = meaning {
                    facts.vars.insert(*error);
                    add_results(program, facts, &[*error]);
                }
                for arg in &call.args {
                    match &arg.value {
                        ArgValue::Leaves(leaves) => {
                            for leaf in leaves {
                                match leaf {
                                    Leaf::Value(value) => add_expr(facts, value),
                                    Leaf::Header(id) => add_fields(program, facts, *id),
                                }
                            }
                        }
                        ArgValue::Vars { vars, .. } => {
                            facts.vars.extend(vars);
                            if arg.direction != Direction::In {
                                add_results(program, facts, vars);
                            }
                        }
                        ArgValue::Text(_) | ArgValue::Extern(_) => {}
                    }
                }
                facts.vars.extend(&call.result);
                add_results(program, facts, &call.result);
            }
        }
        inner_blocks(kind, &mut |block| self.add_block(facts, block));
    }

    fn add_table(&mut self, facts: &mut Facts, table: TableId) {
        let program = self.program;
        let table = &program.tables[table];
        table.keys.iter().for_each(|key| add_expr(facts, &key.expr));
        for action in &table.actions {
            let params = program.actions[action.action].params.iter().map(|param| param.var);
            facts.vars.extend(params.clone());
            facts.written.extend(params.clone());
            facts.changed.extend(params);
            self.add_call(facts, Body::Action(action.action));
        }
    }

    fn add_call(&mut self, facts: &mut Facts, body: Body) {
        let inner = self.body(body);
        let before = facts.size;
        facts.add(&inner);
        facts.size = before + if self.inline(body) { inner.size } else { 2 };
    }

    fn add_header(&mut self, facts: &mut Facts, header: &HeaderRef) {
        let program = self.program;
        match header {
            HeaderRef::Header(id) => add_fields(program, facts, *id),
            HeaderRef::Element(stack, index) => {
                add_expr(facts, index);
                program.stacks[*stack].elements.iter().for_each(|id| add_fields(program, facts, *id));
            }
            HeaderRef::Next(stack) => {
                facts.vars.insert(program.stacks[*stack].next_index);
                program.stacks[*stack].elements.iter().for_each(|id| add_fields(program, facts, *id));
            }
        }
    }

    /// A header that is changed as a whole.
    fn add_changed(&self, facts: &mut Facts, header: &HeaderRef) {
        let program = self.program;
        headers_of(program, header).iter().for_each(|id| facts.changed.extend(all_of(program, *id)));
        if let HeaderRef::Next(stack) = header {
            facts.changed.insert(program.stacks[*stack].next_index);
        }
    }

    fn is_whole(&self, header: &HeaderRef) -> bool {
        self.program.header_types[type_of(self.program, header)].fixed_width().is_multiple_of(8)
    }

    fn has_varbit(&self, header: &HeaderRef) -> bool {
        let fields = &self.program.header_types[type_of(self.program, header)].fields;
        fields.iter().any(|field| matches!(field.ty, weir_ir::Type::Varbit { .. }))
    }
}

/// What a body that can be called does.
pub(crate) fn block_of(program: &Program, body: Body) -> &Block {
    match body {
        Body::Procedure(id) => &program.procedures[id].body,
        Body::Action(id) => &program.actions[id].body,
    }
}

/// The headers that a reference may name.
fn headers_of<'p>(program: &'p Program, header: &'p HeaderRef) -> &'p [HeaderId] {
    match header {
        HeaderRef::Header(id) => std::slice::from_ref(id),
        HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => &program.stacks[*stack].elements,
    }
}

/// The header type that a reference has.
pub(crate) fn type_of(program: &Program, header: &HeaderRef) -> weir_ir::Id<weir_ir::HeaderType> {
    let id = match header {
        HeaderRef::Header(id) => *id,
        HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => program.stacks[*stack].elements[0],
    };
    program.headers[id].ty
}

fn inner_blocks(kind: &StmtKind, visit: &mut dyn FnMut(&Block)) {
    match kind {
        StmtKind::If { then, otherwise, .. } => {
            visit(then);
            visit(otherwise);
        }
        StmtKind::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, block)| visit(block));
            visit(default);
        }
        StmtKind::Loop { body, step, .. } => {
            visit(body);
            visit(step);
        }
        _ => {}
    }
}

/// A header's variables.
fn all_of(program: &Program, header: HeaderId) -> impl Iterator<Item = VarId> {
    let header = &program.headers[header];
    header.fields.iter().copied().chain([header.valid])
}

fn add_fields(program: &Program, facts: &mut Facts, header: HeaderId) {
    let header = &program.headers[header];
    facts.size += header.fields.len();
    facts.vars.insert(header.valid);
    facts.vars.extend(&header.fields);
}

fn add_written(facts: &mut Facts, place: &Place) {
    let vars = match place {
        Place::Var(var) => std::slice::from_ref(var),
        Place::Indexed(vars, _) => vars,
    };
    facts.written.extend(vars);
    facts.changed.extend(vars);
    add_place(facts, place);
}

fn add_results(program: &Program, facts: &mut Facts, vars: &[VarId]) {
    facts.written.extend(vars);
    facts.changed.extend(vars);
    for var in vars {
        if let VarRole::Validity(header) = program.vars[*var].role {
            facts.remade.insert(header);
        }
    }
}

fn add_place(facts: &mut Facts, place: &Place) {
    match place {
        Place::Var(var) => {
            facts.vars.insert(*var);
        }
        Place::Indexed(vars, index) => {
            facts.size += vars.len();
            facts.vars.extend(vars);
            add_expr(facts, index);
        }
    }
}

fn add_expr(facts: &mut Facts, expr: &Expr) {
    match &expr.kind {
        ExprKind::Const(_) => {}
        ExprKind::Var(var) => {
            facts.vars.insert(*var);
        }
        ExprKind::Indexed { vars, index } => {
            facts.size += vars.len();
            facts.vars.extend(vars);
            add_expr(facts, index);
        }
        ExprKind::Unary(_, operand) | ExprKind::Slice { operand, .. } | ExprKind::Cast(operand) => {
            add_expr(facts, operand);
        }
        ExprKind::Binary(_, left, right) => {
            facts.size += 1;
            add_expr(facts, left);
            add_expr(facts, right);
        }
        ExprKind::Mux(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| add_expr(facts, part));
        }
        ExprKind::PacketLength => facts.parses = true,
    }
}
