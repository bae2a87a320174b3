//! The facts of statements.

use weir_exec::ExternSemantics;
use weir_ir::{ArgValue, Block, Direction, HeaderRef, Leaf, StmtKind, TableId, Type};

use super::Analysis;
use super::body::{Body, all_of, headers_of, inner_blocks, type_of};
use super::facts::{Facts, add_elements, add_expr, add_fields, add_others, add_results, add_written};

impl Analysis<'_> {
    pub(super) fn add_block(&mut self, facts: &mut Facts, block: &Block) {
        for stmt in &block.0 {
            facts.size += 1;
            self.add_stmt(facts, &stmt.kind);
        }
    }

    fn add_stmt(&mut self, facts: &mut Facts, kind: &StmtKind) {
        let (program, arrays) = (self.program, self.arrays);
        match kind {
            StmtKind::Assign(place, value) => {
                add_written(&arrays, facts, place);
                add_expr(&arrays, facts, value);
            }
            StmtKind::SetValid(header) => {
                self.add_header(facts, header);
                self.add_changed(facts, header);
                facts.unextracted.extend(headers_of(program, header));
            }
            StmtKind::SetInvalid(header) => {
                self.add_header(facts, header);
                self.add_changed(facts, header);
            }
            StmtKind::InvalidateOthers(header) => add_others(&arrays, facts, *header),
            StmtKind::Emit(header) => {
                self.add_header(facts, header);
                facts.whole_emits &= self.is_whole(header) && !self.has_varbit(header);
            }
            StmtKind::Copy { to, from } => {
                facts.unextracted.extend(headers_of(program, to));
                self.add_header(facts, to);
                self.add_changed(facts, to);
                self.add_header(facts, from);
            }
            StmtKind::SetNextIndex(stack, value) => {
                facts.vars.insert(program.stacks[*stack].next_index);
                facts.changed.insert(program.stacks[*stack].next_index);
                add_expr(&arrays, facts, value);
            }
            StmtKind::PushFront(stack, _) | StmtKind::PopFront(stack, _) => {
                facts.vars.insert(program.stacks[*stack].next_index);
                facts.changed.insert(program.stacks[*stack].next_index);
                for element in &program.stacks[*stack].elements {
                    add_fields(program, facts, *element);
                    facts.changed.extend(all_of(program, *element));
                    facts.unextracted.insert(*element);
                }
            }
            StmtKind::If { condition, .. } => add_expr(&arrays, facts, condition),
            StmtKind::Loop { condition, .. } => {
                facts.loops = true;
                add_expr(&arrays, facts, condition);
            }
            StmtKind::Switch { scrutinee, .. } => add_expr(&arrays, facts, scrutinee),
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
                varbit_bits.iter().for_each(|bits| add_expr(&arrays, facts, bits));
            }
            StmtKind::Lookahead(place) => {
                facts.parses = true;
                add_written(&arrays, facts, place);
            }
            StmtKind::Advance(bits) => {
                facts.parses = true;
                add_expr(&arrays, facts, bits);
            }
            StmtKind::Verify { condition, error } => {
                facts.parses = true;
                add_expr(&arrays, facts, condition);
                add_expr(&arrays, facts, error);
            }
            StmtKind::Extern(call) => {
                let meaning =
                    self.pipeline.map_or(&ExternSemantics::Call, |pipeline| pipeline.semantics(call));
                facts.environment_calls +=
                    usize::from(matches!(meaning, ExternSemantics::Call | ExternSemantics::Words(_)));
                facts.opaque_calls += usize::from(*meaning == ExternSemantics::Call);
                if let ExternSemantics::Set(values) = meaning {
                    facts.vars.extend(values.iter().map(|(var, _)| var));
                    values.iter().for_each(|(var, _)| add_results(program, facts, &[*var]));
                }
                if let ExternSemantics::VerifyChecksum { error: var, .. }
                | ExternSemantics::Sum { sum: var, .. } = meaning
                {
                    facts.vars.insert(*var);
                    add_results(program, facts, &[*var]);
                }
                for arg in &call.args {
                    match &arg.value {
                        ArgValue::Leaves(leaves) => {
                            for leaf in leaves {
                                match leaf {
                                    Leaf::Value(value) => add_expr(&arrays, facts, value),
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
        if let StmtKind::Switch { cases, .. } = kind {
            let mut inner = Facts::empty();
            inner_blocks(kind, &mut |block| self.add_block(&mut inner, block));
            let held = inner.changed.iter().filter(|var| !inner.indexed.contains(*var)).count();
            inner.crossings = inner.crossings.saturating_add(held.saturating_mul(cases.len()));
            return facts.add(&inner);
        }
        inner_blocks(kind, &mut |block| self.add_block(facts, block));
    }

    fn add_table(&mut self, facts: &mut Facts, table: TableId) {
        let (program, arrays) = (self.program, self.arrays);
        let table = &program.tables[table];
        table.keys.iter().for_each(|key| add_expr(&arrays, facts, &key.expr));
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
        let (program, arrays) = (self.program, self.arrays);
        match header {
            HeaderRef::Header(id) => add_fields(program, facts, *id),
            HeaderRef::Element(stack, index) => {
                add_expr(&arrays, facts, index);
                add_elements(&arrays, facts, &program.stacks[*stack]);
            }
            HeaderRef::Next(stack) => {
                facts.vars.insert(program.stacks[*stack].next_index);
                add_elements(&arrays, facts, &program.stacks[*stack]);
            }
        }
    }

    /// Adds a header that changes as a whole.
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
        fields.iter().any(|field| matches!(field.ty, Type::Varbit { .. }))
    }
}
