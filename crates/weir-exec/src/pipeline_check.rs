//! Checks the rules for pipelines on which executors rely.

use weir_ir::visit::{Visitor, walk_extern_call};
use weir_ir::{
    ArgValue, Enumeration, ExternCall, ExternId, HeaderId, Id, Leaf, Program, Type, VarId, VarRole,
};

use crate::call_frame::CallFrame;
use crate::emits::emits;
use crate::extern_semantics::{ExternSemantics, NewValue, SumStep, has_data, has_result};
use crate::pipeline_error::{Part, PipelineError};
use crate::pipeline_spec::{Condition, PipelineSpec, Source, Stage};

type CheckResult = Result<(), PipelineError>;

/// Checks all rules of [`PipelineError`].
pub(crate) fn check(program: &Program, spec: &PipelineSpec) -> CheckResult {
    let check = PipelineCheck { program, spec };
    for (kind, count) in [("input", spec.inputs.len()), ("output", spec.outputs)] {
        if count > PipelineSpec::MAX_VALUES {
            return Err(PipelineError::TooManyValues { kind, count });
        }
    }
    for (position, var) in spec.inputs.iter().enumerate() {
        var.map_or(Ok(()), |var| check.writable(Part::Input(position), var))?;
    }
    for (position, var) in spec.kept.iter().enumerate() {
        check.keepable(Part::Kept(position), *var)?;
    }
    for (position, var) in spec.read_by_caller.iter().enumerate() {
        check.var(Part::ReadByCaller(position), *var)?;
    }
    for (position, stage) in spec.stages.iter().enumerate() {
        check.check_order(position)?;
        check.stage(Part::Stage(position), stage)?;
    }
    for (position, (call, semantics)) in spec.extern_semantics.iter().enumerate() {
        let part = Part::Extern(position);
        check.check_handles(part, call)?;
        check.semantics(part, call, semantics)?;
    }
    let mut listed = vec![false; program.tables.len()];
    for (position, table) in spec.cacheable_tables.iter().enumerate() {
        let part = Part::Table(position);
        let listed = listed.get_mut(table.index());
        if std::mem::replace(listed.ok_or(PipelineError::Unknown { part, kind: "a table" })?, true) {
            return Err(PipelineError::ListedTwice { part });
        }
    }
    Ok(())
}

struct PipelineCheck<'a> {
    program: &'a Program,
    spec: &'a PipelineSpec,
}

impl PipelineCheck<'_> {
    /// Returns a variable; refuses one that the program does not have.
    fn var(&self, part: Part, var: VarId) -> Result<&weir_ir::Var, PipelineError> {
        self.program.vars.get(var).ok_or(PipelineError::Unknown { part, kind: "a variable" })
    }

    /// Checks that a pipeline can read a variable: it has at most 64 bits.
    fn readable(&self, part: Part, var: VarId) -> CheckResult {
        let var = self.var(part, var)?;
        let readable = !matches!(var.ty, Type::Varbit { .. }) && var.ty.width() <= 64;
        if readable { Ok(()) } else { Err(PipelineError::Unreadable { part, variable: var.name.clone() }) }
    }

    /// Checks that a pipeline can write a variable: a plain number of at most 64 bits, or a bool.
    fn writable(&self, part: Part, var: VarId) -> CheckResult {
        let var = self.var(part, var)?;
        let writable = matches!(var.ty, Type::Bits { width: ..=64, .. } | Type::Bool);
        if writable && var.role == VarRole::Plain {
            return Ok(());
        }
        Err(PipelineError::Unwritable { part, variable: var.name.clone() })
    }

    /// Checks that a variable can be kept: it is plain and not a varbit.
    fn keepable(&self, part: Part, var: VarId) -> CheckResult {
        let var = self.var(part, var)?;
        if var.role == VarRole::Plain && !matches!(var.ty, Type::Varbit { .. }) {
            return Ok(());
        }
        Err(PipelineError::Unkeepable { part, variable: var.name.clone() })
    }

    /// Checks the order: the parser comes before the controls, the deparser comes last or before a
    /// restart, which only follows a deparser, and there is at most one of each between restarts.
    fn check_order(&self, position: usize) -> CheckResult {
        let stages = &self.spec.stages;
        let before = stages[..position].iter().rev().take_while(|stage| **stage != Stage::Restart);
        let in_order = match stages[position] {
            Stage::Parse { .. } => {
                !before.into_iter().any(|stage| matches!(stage, Stage::Parse { .. } | Stage::Control(_)))
            }
            Stage::Deparse(_) => stages.get(position + 1).is_none_or(|next| *next == Stage::Restart),
            Stage::Restart => matches!(stages[..position].last(), Some(Stage::Deparse(_))),
            _ => true,
        };
        if in_order { Ok(()) } else { Err(PipelineError::Order { part: Part::Stage(position) }) }
    }

    /// Checks the blocks and variables of a stage.
    fn stage(&self, part: Part, stage: &Stage) -> CheckResult {
        match *stage {
            Stage::Parse { parser, error } => {
                if self.program.parsers.get(parser).is_none() {
                    return Err(PipelineError::Unknown { part, kind: "a parser" });
                }
                match error {
                    Some(error) => self.check_error_var(part, error),
                    None => Ok(()),
                }
            }
            Stage::Control(control) | Stage::Deparse(control) => {
                let Some(named) = self.program.controls.get(control) else {
                    return Err(PipelineError::Unknown { part, kind: "a control" });
                };
                if matches!(stage, Stage::Control(_)) && emits(self.program, control) {
                    return Err(PipelineError::Emits { part, control: named.name.clone() });
                }
                Ok(())
            }
            Stage::Set(var, source) => {
                if let (Source::Const(value), Type::Enum(id)) = (source, self.var(part, var)?.ty) {
                    return self.check_member(part, var, id, value);
                }
                self.writable(part, var)?;
                match source {
                    Source::Const(_) | Source::Length => Ok(()),
                    Source::Var(from) => self.readable(part, from),
                    Source::Input(position) => {
                        check_position(part, "input", position, self.spec.inputs.len())
                    }
                }
            }
            Stage::Output(var, position) => {
                self.readable(part, var)?;
                check_position(part, "output", position, self.spec.outputs)
            }
            Stage::LeaveIf { condition, .. } => {
                self.readable(part, condition.var())?;
                match condition {
                    Condition::NotIn(_, set) => check_position(part, "set", set, self.spec.sets.len()),
                    Condition::Is(..) | Condition::IsNot(..) | Condition::AtLeast(..) => Ok(()),
                }
            }
            Stage::LeaveIfDeferred { .. } | Stage::Restart => Ok(()),
        }
    }

    fn check_member(&self, part: Part, var: VarId, enumeration: Id<Enumeration>, value: u64) -> CheckResult {
        let named = self.var(part, var)?;
        if named.role != VarRole::Plain {
            return Err(PipelineError::Unwritable { part, variable: named.name.clone() });
        }
        if value < self.program.enums[enumeration].members.len() as u64 {
            return Ok(());
        }
        Err(PipelineError::TooLarge { part, variable: named.name.clone(), value })
    }

    /// Checks that a parser's error is stored in a number or in a variable of type `error`.
    fn check_error_var(&self, part: Part, var: VarId) -> CheckResult {
        let named = self.var(part, var)?;
        if named.ty == Type::Error && named.role == VarRole::Plain {
            return Ok(());
        }
        self.writable(part, var)
    }

    /// Checks that the variables, headers and objects of a call are those of the program.
    fn check_handles(&self, part: Part, call: &ExternCall) -> CheckResult {
        let mut handles = Handles { program: self.program, unknown: None };
        walk_extern_call(&mut handles, call);
        match handles.unknown {
            Some(kind) => Err(PipelineError::Unknown { part, kind }),
            None => Ok(()),
        }
    }

    fn semantics(&self, part: Part, call: &ExternCall, semantics: &ExternSemantics) -> CheckResult {
        let rule = |holds, problem| {
            let callee = call.callee.clone();
            if holds { Ok(()) } else { Err(PipelineError::Semantics { part, callee, problem }) }
        };
        const CONDITION: &str = "the condition is not one boolean";
        const DATA: &str = "the data is not a list of values of fixed widths";
        const RESULT: &str = "the result is not one variable of 16 bits";
        match semantics {
            ExternSemantics::Set(values) => values.iter().try_for_each(|(var, value)| {
                self.writable(part, *var)?;
                let named = self.var(part, *var)?;
                match *value {
                    NewValue::Const(value) if value.checked_shr(named.ty.width()).unwrap_or(0) != 0 => {
                        let variable = named.name.clone();
                        Err(PipelineError::TooLarge { part, variable, value })
                    }
                    NewValue::Const(_) => Ok(()),
                    NewValue::Arg(arg) => rule(
                        self.width_of(call, arg).is_some_and(|width| width <= 64),
                        "the new value is not one value of at most 64 bits",
                    ),
                }
            }),
            ExternSemantics::VerifyChecksum { condition, data, given, error } => {
                rule(self.width_of(call, *condition) == Some(1), CONDITION)?;
                rule(has_data(self.program, call, *data), DATA)?;
                rule(
                    self.width_of(call, *given) == Some(16),
                    "the given checksum is not one value of 16 bits",
                )?;
                self.writable(part, *error)
            }
            ExternSemantics::UpdateChecksum { condition, data, field } => {
                rule(self.width_of(call, *condition) == Some(1), CONDITION)?;
                rule(has_data(self.program, call, *data), DATA)?;
                rule(self.is_checksum_field(call, *field), "the field is not one variable of 16 bits")
            }
            ExternSemantics::Checksum { data } => {
                rule(has_data(self.program, call, *data), DATA)?;
                rule(has_result(self.program, call, 16), RESULT)
            }
            ExternSemantics::Sum { sum, step } => {
                self.writable(part, *sum)?;
                rule(self.var(part, *sum)?.ty.width() == 16, "the sum is not a variable of 16 bits")?;
                match step {
                    SumStep::Clear => Ok(()),
                    SumStep::Add(data) => rule(has_data(self.program, call, *data), DATA),
                    SumStep::Set(value) => rule(
                        self.width_of(call, *value) == Some(16),
                        "the new sum is not one value of 16 bits",
                    ),
                    SumStep::Get { .. } => rule(has_result(self.program, call, 16), RESULT),
                    SumStep::IsWrong => {
                        rule(has_result(self.program, call, 1), "the result is not one variable of one bit")
                    }
                }
            }
            ExternSemantics::Words(_) => rule(
                CallFrame::for_call(self.program, call).is_some(),
                "a value is a varbit, or the call writes validity bits or stack counters",
            ),
            ExternSemantics::Call => Ok(()),
        }
    }

    /// Returns the width of an argument that is one value of fixed width.
    fn width_of(&self, call: &ExternCall, arg: usize) -> Option<u32> {
        let ty = match &call.args.get(arg)?.value {
            ArgValue::Leaves(leaves) => match leaves.as_slice() {
                [Leaf::Value(value)] => value.ty,
                _ => return None,
            },
            ArgValue::Vars { vars, .. } => match vars.as_slice() {
                [var] => self.program.vars.get(*var)?.ty,
                _ => return None,
            },
            ArgValue::Text(_) | ArgValue::Extern(_) => return None,
        };
        (!matches!(ty, Type::Varbit { .. })).then_some(ty.width())
    }

    /// Returns whether an argument is one variable of 16 bits that may be written by itself.
    fn is_checksum_field(&self, call: &ExternCall, arg: usize) -> bool {
        let Some(ArgValue::Vars { vars, .. }) = call.args.get(arg).map(|arg| &arg.value) else {
            return false;
        };
        self.width_of(call, arg) == Some(16) && vars.iter().all(|var| self.may_be_written(*var))
    }

    /// Returns whether a variable is plain or a field of a header.
    fn may_be_written(&self, var: VarId) -> bool {
        let var = self.program.vars.get(var);
        var.is_some_and(|var| matches!(var.role, VarRole::Plain | VarRole::Field(_)))
    }
}

fn check_position(part: Part, kind: &'static str, position: usize, count: usize) -> CheckResult {
    if position < count { Ok(()) } else { Err(PipelineError::NoSuchValue { part, kind, position, count }) }
}

/// Finds handles that the program does not have.
struct Handles<'a> {
    program: &'a Program,
    unknown: Option<&'static str>,
}

impl Visitor for Handles<'_> {
    fn var(&mut self, id: &VarId) {
        if self.program.vars.get(*id).is_none() {
            self.unknown = Some("a variable");
        }
    }

    fn header(&mut self, id: &HeaderId) {
        if self.program.headers.get(*id).is_none() {
            self.unknown = Some("a header");
        }
    }

    fn extern_instance(&mut self, id: &ExternId) {
        if self.program.externs.get(*id).is_none() {
            self.unknown = Some("an extern object");
        }
    }
}
