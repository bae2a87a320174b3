//! Statements in any body. Rules that depend on the block that runs them are in `calls`.

use rustc_hash::FxHashSet;

use crate::program::{
    ArgValue, Block, Direction, ExternCall, HeaderId, HeaderRef, Leaf, Place, Stmt, StmtKind, VarId, VarRole,
};
use crate::text;
use crate::types::{HeaderType, Type};

use super::Validator;

/// The context of a statement within its body.
#[derive(Clone, Copy, Default)]
pub(super) struct StmtContext {
    /// Whether there is a loop for `break` and `continue`.
    pub(super) in_loop: bool,
    /// Whether `return` is allowed.
    pub(super) may_return: bool,
}

impl Validator<'_> {
    /// Checks a block.
    pub(super) fn block(&mut self, block: &Block, context: StmtContext) {
        block.0.iter().for_each(|stmt| self.stmt(stmt, context));
    }

    /// Checks a statement.
    fn stmt(&mut self, stmt: &Stmt, context: StmtContext) {
        self.loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.expr(value);
                if let Some(ty) = self.place(place) {
                    self.has_type(value, ty, "the assigned value");
                }
            }
            StmtKind::SetValid(header) | StmtKind::SetInvalid(header) | StmtKind::Emit(header) => {
                self.header_ref(header);
            }
            StmtKind::InvalidateOthers(id) => {
                let header = &self.program.headers[*id];
                self.check(header.union.is_some(), |_| format!("`{}` is in no union", header.name));
            }
            StmtKind::Copy { to, from } => {
                let to_type = self.header_ref(to);
                let from_type = self.header_ref(from);
                self.check(to_type == from_type, |program| {
                    format!(
                        "`{}` and `{}` have different header types",
                        text::header_ref(program, to),
                        text::header_ref(program, from)
                    )
                });
            }
            StmtKind::SetNextIndex(_, index) => {
                self.expr(index);
                self.has_type(index, Type::bit(32), "the counter's value");
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.has_type(condition, Type::Bool, "the condition");
                self.block(then, context);
                self.block(otherwise, context);
            }
            StmtKind::Switch { scrutinee, cases, default } => {
                self.expr(scrutinee);
                self.check(!matches!(scrutinee.ty, Type::Varbit { .. }), |_| {
                    "a switch is on a varbit".into()
                });
                let mut seen = FxHashSet::default();
                for value in cases.iter().flat_map(|(values, _)| values) {
                    self.check_constant(value, scrutinee.ty, "the case");
                    self.check(seen.insert(value), |program| {
                        format!("there are two cases {}", text::constant(program, scrutinee.ty, value))
                    });
                }
                for (values, block) in cases {
                    self.check(!values.is_empty(), |_| "a case has no values".into());
                    self.block(block, context);
                }
                self.block(default, context);
            }
            StmtKind::Loop { condition, body, step } => {
                self.expr(condition);
                self.has_type(condition, Type::Bool, "the condition");
                self.block(body, StmtContext { in_loop: true, ..context });
                self.block(step, StmtContext { in_loop: false, ..context });
            }
            StmtKind::Break | StmtKind::Continue => {
                self.check(context.in_loop, |program| {
                    format!("`{}` outside a loop", text::stmt(program, &stmt.kind))
                });
            }
            StmtKind::Return => {
                self.check(context.may_return, |_| "`return` directly in a parser".into());
            }
            StmtKind::Apply { table: _, hit, action_run } => {
                for (var, ty) in [(hit, Type::Bool), (action_run, Type::bit(32))] {
                    if let Some(var) = var {
                        self.plain_result(*var, ty);
                    }
                }
            }
            StmtKind::Extract { to, varbit_bits } => {
                let ty = if let HeaderRef::Next(stack) = to {
                    self.program.headers[self.program.stacks[*stack].elements[0]].ty
                } else {
                    self.header_ref(to)
                };
                let layout = &self.program.header_types[ty];
                let has_varbit = layout.varbits() > 0;
                self.check(layout.varbits() <= 1, |_| {
                    format!("extract of `{}`, which has more than one varbit field", layout.name)
                });
                self.check(has_varbit == varbit_bits.is_some(), |_| {
                    if has_varbit {
                        format!("extract of `{}` does not say how long its varbit field is", layout.name)
                    } else {
                        format!(
                            "extract says the length of a varbit field that `{}` does not have",
                            layout.name
                        )
                    }
                });
                if let Some(bits) = varbit_bits {
                    self.expr(bits);
                    self.has_type(bits, Type::bit(32), "the varbit's length");
                }
            }
            StmtKind::Lookahead(place) => {
                if let Some(ty) = self.place(place) {
                    self.check(matches!(ty, Type::Bits { .. } | Type::Bool), |program| {
                        format!(
                            "lookahead reads {}, which has no fixed form on the wire",
                            text::ty(program, ty)
                        )
                    });
                }
            }
            StmtKind::Advance(bits) => {
                self.expr(bits);
                self.has_type(bits, Type::bit(32), "the number of bits");
            }
            StmtKind::Verify { condition, error } => {
                self.expr(condition);
                self.has_type(condition, Type::Bool, "the condition");
                self.expr(error);
                self.has_type(error, Type::Error, "the error");
            }
            StmtKind::Extern(call) => self.extern_call(call),
            StmtKind::PushFront(..)
            | StmtKind::PopFront(..)
            | StmtKind::Exit
            | StmtKind::Call(_)
            | StmtKind::CallAction(_) => {}
        }
    }

    /// Checks that a place may be written, and returns its type.
    fn place(&mut self, place: &Place) -> Option<Type> {
        match place {
            Place::Var(id) => {
                self.assignable(*id);
                Some(self.program.vars[*id].ty)
            }
            Place::Indexed(vars, index) => {
                vars.iter().for_each(|id| self.assignable(*id));
                self.candidates(vars, index)
            }
        }
    }

    /// Checks that the role of a variable allows assignments.
    fn assignable(&mut self, id: VarId) {
        let var = &self.program.vars[id];
        match var.role {
            VarRole::Plain | VarRole::Field(_) => {}
            VarRole::Validity(_) => self.fail(format!("the validity bit `{}` is assigned", var.name)),
            VarRole::NextIndex(_) => self.fail(format!("the stack counter `{}` is assigned", var.name)),
        }
    }

    fn plain_result(&mut self, id: VarId, ty: Type) {
        let var = &self.program.vars[id];
        self.check(var.ty == ty && var.role == VarRole::Plain, |program| {
            format!("`{}` takes a result of apply but is not a plain {}", var.name, text::ty(program, ty))
        });
    }

    /// Checks a reference to a header, and returns the header's type.
    fn header_ref(&mut self, header: &HeaderRef) -> crate::Id<HeaderType> {
        let id: HeaderId = match header {
            HeaderRef::Header(id) => *id,
            HeaderRef::Element(stack, index) => {
                self.expr(index);
                self.has_type(index, Type::bit(32), "the index");
                self.program.stacks[*stack].elements[0]
            }
            HeaderRef::Next(stack) => {
                self.fail(format!("`next` of `{}` outside extract", self.program.stacks[*stack].name));
                self.program.stacks[*stack].elements[0]
            }
        };
        self.program.headers[id].ty
    }

    fn extern_call(&mut self, call: &ExternCall) {
        call.type_args.iter().for_each(|ty| self.width(*ty));
        self.unique(call.args.iter().map(|arg| arg.name.as_str()), "arguments");
        for arg in &call.args {
            let reads = arg.direction == Direction::In;
            let as_it_is = match &arg.value {
                ArgValue::Leaves(leaves) => {
                    for leaf in leaves {
                        if let Leaf::Value(value) = leaf {
                            self.expr(value);
                        }
                    }
                    reads
                }
                ArgValue::Vars { vars, names } => {
                    self.check(names.is_empty() || names.len() == vars.len(), |_| {
                        format!(
                            "the argument `{}` has {} variables but {} paths",
                            arg.name,
                            vars.len(),
                            names.len()
                        )
                    });
                    vars.iter().for_each(|id| self.not_a_counter(*id));
                    !reads
                }
                ArgValue::Text(_) | ArgValue::Extern(_) => reads,
            };
            self.check(as_it_is, |_| {
                format!("the argument `{}` of `{}` is given against its direction", arg.name, call.callee)
            });
        }
        call.result.iter().for_each(|id| self.not_a_counter(*id));
    }

    fn not_a_counter(&mut self, id: VarId) {
        let var = &self.program.vars[id];
        self.check(!matches!(var.role, VarRole::NextIndex(_)), |_| {
            format!("the stack counter `{}` is written by an extern", var.name)
        });
    }
}
