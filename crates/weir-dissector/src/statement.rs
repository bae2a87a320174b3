//! Statements and transitions.

use weir_ir::{
    ArgValue, Block, ExternCall, HeaderId, HeaderRef, Keyset, Loc, ParserState, Place, Stmt, StmtKind,
    Target, Transition, VarId,
};

use crate::code::{Code, MAX_NESTING, Unknown};
use crate::lua::{Lines, comment, constant, quoted};

/// The maximum number of keys of a select: a function in Lua has at most 200 local variables.
const MAX_KEYS: usize = 150;

impl Code<'_> {
    /// Writes the statements of a block; refuses one that is nested too deep.
    pub(crate) fn block(&mut self, block: &Block, lines: &mut Lines) {
        if self.depth >= MAX_NESTING {
            let loc = block.0.first().map_or(Loc::NONE, |stmt| stmt.loc);
            self.refuse(
                loc,
                format!("this code is nested more than {MAX_NESTING} levels deep, too deep for Lua"),
            );
            return;
        }
        self.depth += 1;
        block.0.iter().for_each(|stmt| self.stmt(stmt, lines));
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt, lines: &mut Lines) {
        let loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Assign(place, expr) => {
                let (value, reads) = self.value(expr, loc);
                self.write(place, &value, &reads, loc, lines);
            }
            StmtKind::Lookahead(place) => {
                let width = match place {
                    Place::Var(id) => self.program.vars[*id].ty.width(),
                    Place::Indexed(vars, _) => vars.first().map_or(0, |id| self.program.vars[*id].ty.width()),
                };
                self.write(place, &format!("lookahead(p, {width})"), &[], loc, lines);
            }
            StmtKind::SetValid(to) => {
                let (header, _) = self.header(to, loc);
                lines.add(format!("set_valid(p, {header})"));
            }
            StmtKind::SetInvalid(to) => {
                let (header, _) = self.header(to, loc);
                lines.add(format!("set_invalid(p, {header})"));
            }
            StmtKind::InvalidateOthers(id) => {
                for sibling in self.program.siblings(*id).collect::<Vec<_>>() {
                    lines.add(format!("set_invalid(p, {})", self.fixed(sibling)));
                }
            }
            StmtKind::Copy { to, from } => {
                let (target, written) = self.header(to, loc);
                let (source, read) = self.header(from, loc);
                written.iter().for_each(|to| read.iter().for_each(|from| self.copied(*to, *from)));
                lines.add(format!("copy(p, {target}, {source})"));
            }
            StmtKind::SetNextIndex(stack, expr) => {
                let (value, reads) = self.value(expr, loc);
                let next = self.program.stacks[*stack].next_index;
                self.needed.flow(next, reads);
                lines.add(format!("{} = {value}", self.var(next)));
            }
            StmtKind::PushFront(stack, count) => self.moved(*stack, &count.to_string(), lines),
            StmtKind::PopFront(stack, count) => self.moved(*stack, &format!("-{count}"), lines),
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.deciding(condition, loc);
                lines
                    .nested(format!("if {condition} == \"1\" then"), "else", |lines| self.block(then, lines));
                lines.nested("-- otherwise", "end", |lines| self.block(otherwise, lines));
            }
            StmtKind::Switch { scrutinee, cases, default } => {
                let scrutinee = self.deciding(scrutinee, loc);
                lines.nested("do", "end", |lines| {
                    lines.add(format!("local case = {scrutinee}"));
                    let mut word = "if";
                    for (values, body) in cases {
                        let tests: Vec<String> =
                            values.iter().map(|value| format!("case == {}", constant(value))).collect();
                        let test = if tests.is_empty() { "false".to_owned() } else { tests.join(" or ") };
                        lines.nested(format!("{word} {test} then"), "-- next case", |lines| {
                            self.block(body, lines);
                        });
                        word = "elseif";
                    }
                    let open = if word == "if" { "do" } else { "else" };
                    lines.nested(open, "end", |lines| self.block(default, lines));
                });
            }
            StmtKind::Loop { condition, body, step } => {
                let condition = self.deciding(condition, loc);
                self.loops += 1;
                self.around.push(self.loops);
                let label = format!("::continue_{}::", self.loops);
                lines.nested(format!("while {condition} == \"1\" do"), "end", |lines| {
                    lines.add("iterate(p)");
                    lines.nested("do", "end", |lines| self.block(body, lines));
                    lines.add(label);
                    self.block(step, lines);
                });
                self.around.pop();
            }
            StmtKind::Break => lines.add("do break end"),
            StmtKind::Continue => match self.around.last() {
                Some(number) => lines.add(format!("goto continue_{number}")),
                None => self.refuse(loc, "`continue` outside of a loop"),
            },
            StmtKind::Return => lines.add("do return end"),
            StmtKind::Call(id) => {
                if self.procedures.insert(*id) {
                    self.pending.push(*id);
                }
                lines.add(format!("procedures[{}](p)", quoted(&self.program.procedures[*id].name)));
            }
            StmtKind::Extract { to, varbit_bits } => {
                let varbit = match varbit_bits {
                    Some(expr) => format!(", {}", self.deciding(expr, loc)),
                    None => String::new(),
                };
                if let HeaderRef::Next(stack) = to {
                    lines.add(format!("extract_next(p, {}{varbit})", self.stack(*stack)));
                } else {
                    let (header, _) = self.header(to, loc);
                    lines.add(format!("extract(p, {header}{varbit})"));
                }
            }
            StmtKind::Advance(expr) => {
                let bits = self.deciding(expr, loc);
                lines.add(format!("advance(p, {bits})"));
            }
            StmtKind::Verify { condition, error } => {
                let (condition, error) = (self.deciding(condition, loc), self.deciding(error, loc));
                lines.add(format!("verify({condition}, {error})"));
            }
            StmtKind::Extern(call) => self.unknown(call, loc, lines),
            StmtKind::Exit | StmtKind::CallAction(_) | StmtKind::Apply { .. } | StmtKind::Emit(_) => {
                self.refuse(loc, "the parser runs a statement that only controls have");
            }
        }
    }

    /// Writes a place, and notes from which variables its value comes.
    fn write(&mut self, place: &Place, value: &str, reads: &[VarId], loc: Loc, lines: &mut Lines) {
        match place {
            Place::Var(id) => {
                self.needed.flow(*id, reads.iter().copied());
                lines.add(format!("{} = {value}", self.var(*id)));
            }
            Place::Indexed(vars, index) => {
                vars.iter().for_each(|id| self.needed.flow(*id, reads.iter().copied()));
                let index = self.deciding(index, loc);
                lines.add(format!("put(v, {}, {index}, {value})", self.names(vars)));
            }
        }
    }

    /// Writes a header in Lua. Returns its text, and all headers that it can stand for.
    fn header(&mut self, header_ref: &HeaderRef, loc: Loc) -> (String, Vec<HeaderId>) {
        match header_ref {
            HeaderRef::Header(id) => (self.fixed(*id), vec![*id]),
            HeaderRef::Element(stack, index) => {
                let index = self.deciding(index, loc);
                let elements = self.program.stacks[*stack].elements.clone();
                (format!("element({}, {index})", self.stack(*stack)), elements)
            }
            HeaderRef::Next(stack) => {
                self.refuse(loc, "the parser uses `next` of a stack outside of `extract`");
                (self.stack(*stack), Vec::new())
            }
        }
    }

    /// Writes a header that is not chosen by an index, and notes that the script uses it.
    fn fixed(&mut self, id: HeaderId) -> String {
        self.headers.insert(id);
        format!("headers[{}]", quoted(&self.program.headers[id].name))
    }

    /// Writes a header stack, and notes that the script uses all its elements.
    fn stack(&mut self, id: weir_ir::StackId) -> String {
        self.stacks.insert(id);
        let stack = &self.program.stacks[id];
        self.headers.extend(&stack.elements);
        // The counter chooses an element.
        self.needed.decide([stack.next_index]);
        format!("stacks[{}]", quoted(&stack.name))
    }

    /// Moves the elements of a stack up, or down if `by` is negative.
    fn moved(&mut self, id: weir_ir::StackId, by: &str, lines: &mut Lines) {
        for pair in self.program.stacks[id].elements.windows(2) {
            self.copied(pair[0], pair[1]);
            self.copied(pair[1], pair[0]);
        }
        lines.add(format!("move(p, {}, {by})", self.stack(id)));
    }

    /// Notes that one header is copied to another, with its validity and its fields.
    fn copied(&mut self, to: HeaderId, from: HeaderId) {
        let (to, from) = (&self.program.headers[to], &self.program.headers[from]);
        self.needed.flow(to.valid, [from.valid]);
        for (to, from) in to.fields.iter().zip(&from.fields) {
            self.needed.flow(*to, [*from]);
        }
    }

    /// Handles a call of an extern. The call is left out; if its results decide what the parser
    /// does, the program is refused.
    fn unknown(&mut self, call: &ExternCall, loc: Loc, lines: &mut Lines) {
        let mut writes = call.result.clone();
        for arg in &call.args {
            if let ArgValue::Vars { vars, .. } = &arg.value {
                writes.extend(vars);
            }
        }
        lines.add(format!("-- left out: {}, because only a switch can run it", comment(&call.callee)));
        self.unknown.push(Unknown { callee: call.callee.clone(), loc, writes });
    }

    /// Writes a state: its statements and its transition. Its function returns the next state, true
    /// for `accept` or false for `reject`.
    pub(crate) fn state(&mut self, state: &ParserState, name: impl Fn(Target) -> String, lines: &mut Lines) {
        self.block(&state.body, lines);
        match &state.transition {
            Transition::Goto(target) => lines.add(format!("return {}", name(*target))),
            Transition::Select { keys, loc, .. } if keys.len() > MAX_KEYS => {
                self.refuse(*loc, format!("this select has more than {MAX_KEYS} keys, too many for Lua"));
            }
            Transition::Select { keys, cases, loc } => {
                for (number, key) in keys.iter().enumerate() {
                    let key = self.deciding(key, *loc);
                    lines.add(format!("local key_{} = {key}", number + 1));
                }
                let signed: Vec<bool> = keys.iter().map(|key| key.ty.is_signed()).collect();
                for case in cases {
                    let tests: Vec<String> = case
                        .keysets
                        .iter()
                        .enumerate()
                        .filter_map(|(place, keyset)| self.keyset(place, keyset, signed[place]))
                        .collect();
                    let open = if tests.is_empty() {
                        "do".to_owned()
                    } else {
                        format!("if {} then", tests.join(" and "))
                    };
                    lines.nested(open, "end", |lines| lines.add(format!("return {}", name(case.target))));
                }
                lines.add("fail(\"NoMatch\")");
            }
        }
    }

    /// Writes the condition that a key matches a keyset; `None` if each value matches.
    fn keyset(&mut self, place: usize, keyset: &Keyset, signed: bool) -> Option<String> {
        let key = format!("key_{}", place + 1);
        Some(match keyset {
            Keyset::Any => return None,
            Keyset::Value(value) => format!("{key} == {}", constant(value)),
            Keyset::Mask(value, mask) => format!("matches({key}, {}, {})", constant(value), constant(mask)),
            Keyset::Range(low, high) => {
                format!("within({key}, {}, {}, {signed})", constant(low), constant(high))
            }
            Keyset::Set(id) => {
                self.sets.insert(*id);
                let set = &self.program.value_sets[*id];
                let keys: Vec<String> =
                    (0..set.fields.len()).map(|n| format!("key_{}", place + n + 1)).collect();
                format!("in_set(sets[{}], {{ {} }})", quoted(&set.name), keys.join(", "))
            }
        })
    }
}
