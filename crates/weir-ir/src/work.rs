//! Computes an upper bound, in steps, for the work that code does for one packet, without running
//! the code.
//!
//! A step is a statement, an operator, or a field of a header that is read, written or copied. A
//! value wider than 64 bits takes one step for every 64 bits, and the square of this number in
//! multiplications and divisions. A lookup or an extern call takes [`STEPS_PER_CALL`] additional
//! steps. If there are several branches, the longest counts, and a call counts with everything that
//! it runs. Making the other members of a union invalid counts as one statement for each member.
//! The body of a loop counts once: executors count its iterations, see [`Work::iteration_weight`].

use std::sync::OnceLock;

use crate::program::{
    ActionId, ArgValue, BinaryOp, Block, Expr, ExprKind, ExternCall, HeaderId, HeaderRef, Leaf, ParserState,
    Place, ProcedureId, Program, StackId, StmtKind, TableId, Transition,
};
use crate::types::Type;

/// The steps of a lookup or an extern call, in addition to its keys or arguments.
const STEPS_PER_CALL: u64 = 16;

/// The number of steps of a loop's body that count as an iteration, see [`Work::iteration_weight`].
const STEPS_PER_ITERATION: u64 = 64;

/// The work of a program's code. The steps of callable parts are cached.
#[derive(Clone, Debug)]
pub struct Work {
    procedures: Vec<OnceLock<u64>>,
    actions: Vec<OnceLock<u64>>,
    /// The steps of making all members of each union invalid, one statement for each.
    unions: Vec<u64>,
}

impl Work {
    /// Creates a counter for a program, with an empty cache.
    pub fn new(program: &Program) -> Self {
        let invalidated = |id: &HeaderId| invalidation_steps(program, *id);
        let members = program.unions.values().map(|union| union.members.iter().map(invalidated));
        Self {
            procedures: vec![OnceLock::new(); program.procedures.len()],
            actions: vec![OnceLock::new(); program.actions.len()],
            unions: members.map(|steps| steps.fold(0, u64::saturating_add)).collect(),
        }
    }

    /// Returns the largest number of steps of one path through a control's body, or through a state
    /// of a parser.
    pub fn longest_path(&self, program: &Program) -> u64 {
        let count = Count { program, work: self };
        let controls = program.controls.values().map(|control| count.block(&control.body));
        let parsers = program.parsers.values().flat_map(|parser| {
            parser.states.values().map(|state| count.state(state)).chain([count.block(&parser.locals)])
        });
        controls.chain(parsers).max().unwrap_or(0)
    }

    /// Returns the number of iterations for which one iteration of a loop with this body and step
    /// counts: one, and one more for every 64 steps.
    pub fn iteration_weight(&self, program: &Program, body: &Block, step: &Block) -> u32 {
        let count = Count { program, work: self };
        iterations(count.block(body).saturating_add(count.block(step)))
    }

    /// Returns the number of states for which one state of a parser counts: one, and one more for
    /// every 64 steps.
    pub fn state_weight(&self, program: &Program, state: &ParserState) -> u32 {
        iterations(Count { program, work: self }.state(state))
    }
}

/// Converts steps to iterations: one, and one more for every 64 steps.
fn iterations(steps: u64) -> u32 {
    u32::try_from(steps / STEPS_PER_ITERATION).unwrap_or(u32::MAX).saturating_add(1)
}

fn words(ty: Type) -> u64 {
    u64::from(ty.state_words())
}

fn field_words(program: &Program, header: HeaderId) -> u64 {
    let fields = &program.header_types[program.headers[header].ty].fields;
    fields.iter().map(|field| words(field.ty)).fold(0, u64::saturating_add)
}

/// Returns the number of steps of a statement that makes a header invalid.
fn invalidation_steps(program: &Program, header: HeaderId) -> u64 {
    field_words(program, header).saturating_add(1)
}

/// A count of the steps of the parts of one program.
#[derive(Clone, Copy)]
struct Count<'p> {
    program: &'p Program,
    work: &'p Work,
}

impl Count<'_> {
    /// Returns the steps of a block.
    fn block(self, block: &Block) -> u64 {
        block.0.iter().fold(0, |sum, stmt| sum.saturating_add(1).saturating_add(self.stmt(&stmt.kind)))
    }

    /// Returns the steps of a parser's state.
    fn state(self, state: &ParserState) -> u64 {
        let select = match &state.transition {
            Transition::Goto(_) => 0,
            Transition::Select { keys, cases, .. } => {
                let compared = (keys.len() as u64).saturating_mul(cases.len() as u64);
                keys.iter().map(|key| self.expr(key)).fold(compared, u64::saturating_add)
            }
        };
        self.block(&state.body).saturating_add(select)
    }

    /// Returns the steps of a statement.
    fn stmt(self, stmt: &StmtKind) -> u64 {
        match stmt {
            StmtKind::Assign(place, value) => {
                words(value.ty).saturating_add(self.place(place)).saturating_add(self.expr(value))
            }
            StmtKind::SetValid(header) | StmtKind::SetInvalid(header) | StmtKind::Emit(header) => {
                self.header(header)
            }
            StmtKind::InvalidateOthers(id) => {
                let union = self.program.headers[*id].union;
                let members = union.map_or(0, |union| self.work.unions[union.index()]);
                // The block already counts the statement itself.
                members.saturating_sub(invalidation_steps(self.program, *id)).saturating_sub(1)
            }
            StmtKind::Copy { to, from } => self.header(to).saturating_add(self.header(from)),
            StmtKind::SetNextIndex(_, value) | StmtKind::Advance(value) => self.expr(value),
            StmtKind::PushFront(stack, _) | StmtKind::PopFront(stack, _) => self.stack(*stack),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition).saturating_add(self.block(then).max(self.block(otherwise)))
            }
            StmtKind::Switch { scrutinee, cases, default } => {
                let longest = cases.iter().map(|(_, block)| self.block(block)).max().unwrap_or(0);
                self.expr(scrutinee).saturating_add(longest.max(self.block(default)))
            }
            StmtKind::Loop { condition, body, step } => [self.block(body), self.block(step)]
                .into_iter()
                .fold(self.expr(condition), u64::saturating_add),
            StmtKind::Break | StmtKind::Continue | StmtKind::Return | StmtKind::Exit => 0,
            StmtKind::Call(id) => self.procedure(*id),
            StmtKind::CallAction(id) => self.action(*id),
            StmtKind::Apply { table, .. } => self.table(*table),
            StmtKind::Extract { to, varbit_bits } => {
                self.header(to).saturating_add(varbit_bits.as_ref().map_or(0, |bits| self.expr(bits)))
            }
            StmtKind::Lookahead(place) => self.place(place),
            StmtKind::Verify { condition, error } => self.expr(condition).saturating_add(self.expr(error)),
            StmtKind::Extern(call) => self.extern_call(call),
        }
    }

    /// Returns the steps of reading or writing a place.
    fn place(self, place: &Place) -> u64 {
        match place {
            Place::Var(var) => words(self.program.vars[*var].ty),
            Place::Indexed(vars, index) => {
                let width = vars.first().map_or(0, |var| words(self.program.vars[*var].ty));
                width.saturating_add(self.expr(index))
            }
        }
    }

    /// Returns the steps of an expression.
    fn expr(self, expr: &Expr) -> u64 {
        let width = words(expr.ty);
        match &expr.kind {
            // The operation that reads a value counts its words.
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::PacketLength => 0,
            ExprKind::Indexed { index, .. } => width.saturating_add(self.expr(index)),
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) | ExprKind::Slice { operand, .. } => {
                width.max(words(operand.ty)).saturating_add(self.expr(operand))
            }
            ExprKind::Binary(op, left, right) => {
                let width = width.max(words(left.ty));
                let own_steps = match op {
                    BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => width.saturating_mul(width),
                    _ => width,
                };
                own_steps.saturating_add(self.expr(left)).saturating_add(self.expr(right))
            }
            ExprKind::Mux(condition, then, otherwise) => [condition, then, otherwise]
                .iter()
                .map(|part| self.expr(part))
                .fold(width, u64::saturating_add),
        }
    }

    /// Returns the steps of copying a header.
    fn header(self, header: &HeaderRef) -> u64 {
        let (id, index) = match header {
            HeaderRef::Header(id) => (Some(id), 0),
            HeaderRef::Element(stack, index) => {
                (self.program.stacks[*stack].elements.first(), self.expr(index))
            }
            HeaderRef::Next(stack) => (self.program.stacks[*stack].elements.first(), 0),
        };
        id.map_or(index, |id| index.saturating_add(field_words(self.program, *id)))
    }

    /// Returns the steps of copying a stack.
    fn stack(self, stack: StackId) -> u64 {
        let elements = &self.program.stacks[stack].elements;
        elements.iter().map(|id| self.header(&HeaderRef::Header(*id))).fold(0, u64::saturating_add)
    }

    /// Returns the steps of applying a table.
    fn table(self, id: TableId) -> u64 {
        let table = &self.program.tables[id];
        let keys = table.keys.iter().map(|key| words(key.expr.ty).saturating_add(self.expr(&key.expr)));
        let action = table.actions.iter().map(|listed| self.action(listed.action)).max().unwrap_or(0);
        keys.fold(action.saturating_add(STEPS_PER_CALL), u64::saturating_add)
    }

    fn extern_call(self, call: &ExternCall) -> u64 {
        let var = |sum: u64, var| sum.saturating_add(words(self.program.vars[var].ty));
        call.args.iter().fold(STEPS_PER_CALL, |sum, arg| match &arg.value {
            ArgValue::Leaves(leaves) => leaves.iter().fold(sum, |sum, leaf| {
                sum.saturating_add(match leaf {
                    Leaf::Value(value) => words(value.ty).saturating_add(self.expr(value)),
                    Leaf::Header(id) => self.header(&HeaderRef::Header(*id)),
                })
            }),
            ArgValue::Vars { vars, .. } => vars.iter().copied().fold(sum, var),
            ArgValue::Text(_) | ArgValue::Extern(_) => sum,
        })
    }

    /// Returns the steps of a procedure, computed once.
    fn procedure(self, id: ProcedureId) -> u64 {
        let body = &self.program.procedures[id].body;
        *self.work.procedures[id.index()].get_or_init(|| self.block(body))
    }

    /// Returns the steps of an action, computed once.
    fn action(self, id: ActionId) -> u64 {
        let body = &self.program.actions[id].body;
        *self.work.actions[id.index()].get_or_init(|| self.block(body))
    }
}

#[cfg(test)]
mod tests {
    use super::{Work, iterations};
    use crate::text;

    #[test]
    fn long_iterations_count_several_times() {
        assert_eq!([0, 63, 64, 1 << 20].map(iterations), [1, 1, 2, 16_385]);
        assert_eq!(iterations(u64::MAX), u32::MAX);
    }

    #[test]
    fn other_members_count_as_statements() {
        let steps = |code: &str| {
            let program = text::parse(&format!(
                "header_type a_t {{ x: bit<8> }} header_type b_t {{ x: bit<8> y: bit<80> }}
                 header a: a_t header b: b_t header c: a_t union {{ a, b, c }}
                 procedure p {{ {code} }} control C {{ call p; }}"
            ))
            .expect("it is IR");
            Work::new(&program).longest_path(&program)
        };
        assert_eq!(steps("invalidate_others a;"), steps("set_invalid b; set_invalid c;"));
        assert_eq!(steps("invalidate_others b;"), steps("set_invalid a; set_invalid c;"));
    }
}
