//! Writes statements and expressions as text. Traces also use this form.

use std::fmt::Write;

use crate::bits::Bits;
use crate::loc::Loc;
use crate::program::{
    Arg, ArgValue, BinaryOp, Block, Direction, Expr, ExprKind, ExternCall, HeaderRef, Keyset, Leaf, Place,
    Program, Stmt, StmtKind, UnaryOp, VarId,
};
use crate::types::Type;
use crate::types::declared::{DataType, DeclaredTypeId};

use super::super::spelling::{name, text};
use super::Printer;

/// Formats a type, such as `bit<9>` or `HashAlgorithm`.
pub fn ty(program: &Program, ty: Type) -> String {
    match ty {
        Type::Bool => "bool".into(),
        Type::Bits { width, signed: false } => format!("bit<{width}>"),
        Type::Bits { width, signed: true } => format!("int<{width}>"),
        Type::Varbit { max } => format!("varbit<{max}>"),
        Type::Error => "error".into(),
        Type::Enum(id) => program.enums.get(id).map_or_else(|| "`?`".into(), |e| name(&e.name)),
    }
}

/// Formats a constant of a type, such as `true`, `9w511`, `8s-1`, `error::NoMatch`,
/// `HashAlgorithm::crc16`.
pub fn constant(program: &Program, of: Type, value: &Bits) -> String {
    let ordinal = value.to_u64().unwrap_or(u64::MAX) as usize;
    let member = |members: Option<&Vec<String>>| {
        members.and_then(|m| m.get(ordinal)).map_or_else(|| format!("`?{value}`"), |member| name(member))
    };
    match of {
        Type::Bool => value.is_true().to_string(),
        Type::Bits { signed: true, .. } => format!("{}s{}", value.width(), value.to_signed()),
        Type::Bits { signed: false, .. } => untyped_constant(value),
        Type::Varbit { .. } => format!("{}({})", ty(program, of), untyped_constant(value)),
        Type::Error => format!("error::{}", member(Some(&program.errors))),
        Type::Enum(id) => {
            format!("{}::{}", ty(program, of), member(program.enums.get(id).map(|e| &e.members)))
        }
    }
}

/// Returns a constant such as `8w255`. Large values are hexadecimal with all digits, so that
/// addresses are easy to read.
pub(super) fn untyped_constant(value: &Bits) -> String {
    match value.to_u64() {
        Some(small) if small < 10_000 => format!("{value:?}"),
        _ => {
            let digits = value.width().div_ceil(4) as usize;
            format!("{}w0x{:0>digits$}", value.width(), format!("{:x}", value.to_biguint()))
        }
    }
}

/// Formats an expression, such as `hdr.ipv4.ttl - 8w1`.
pub fn expr(program: &Program, expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Const(value) => constant(program, expr.ty, value),
        ExprKind::Var(id) => var(program, *id),
        ExprKind::Indexed { vars, index } => indexed_text(program, vars, index),
        ExprKind::Unary(op, operand) => {
            let symbol = match op {
                UnaryOp::Not => "!",
                UnaryOp::BitNot => "~",
                UnaryOp::Neg => "-",
            };
            format!("{symbol}{}", primary(program, operand))
        }
        ExprKind::Binary(op, a, b) => {
            format!("{} {} {}", primary(program, a), op.symbol(), primary(program, b))
        }
        ExprKind::Slice { operand, high, low } => format!("{}[{high}:{low}]", primary(program, operand)),
        ExprKind::Cast(operand) => format!("{}({})", ty(program, expr.ty), self::expr(program, operand)),
        ExprKind::Mux(condition, then, otherwise) => format!(
            "{} ? {} : {}",
            primary(program, condition),
            primary(program, then),
            primary(program, otherwise)
        ),
        ExprKind::PacketLength => "packet_length".into(),
    }
}

/// Formats an operand, in parentheses if it is an operation.
fn primary(program: &Program, operand: &Expr) -> String {
    let text = expr(program, operand);
    match operand.kind {
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Mux(..) => format!("({text})"),
        _ => text,
    }
}

/// Formats the name of a variable.
pub(super) fn var(program: &Program, id: VarId) -> String {
    program.vars.get(id).map_or_else(|| "`?`".into(), |var| name(&var.name))
}

/// Formats the names of variables, separated by commas.
fn vars(program: &Program, ids: &[VarId]) -> String {
    list(ids, |id| var(program, *id))
}

fn indexed_text(program: &Program, ids: &[VarId], index: &Expr) -> String {
    format!("[{}][{}]", vars(program, ids), expr(program, index))
}

/// Formats items with `show`, separated by commas.
pub(super) fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}

impl BinaryOp {
    /// Returns the operator's symbol in P4.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::SatAdd => "|+|",
            Self::SatSub => "|-|",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::And => "&&",
            Self::Or => "||",
            Self::Concat => "++",
        }
    }
}

/// Formats a place, such as `hdr.ipv4.ttl`.
pub fn place(program: &Program, place: &Place) -> String {
    match place {
        Place::Var(id) => var(program, *id),
        Place::Indexed(vars, index) => indexed_text(program, vars, index),
    }
}

/// Formats a header, such as `hdr.ipv4`, `hdr.mpls[i]`, `next hdr.mpls`.
pub fn header_ref(program: &Program, header: &HeaderRef) -> String {
    match header {
        HeaderRef::Header(id) => name(&program.headers[*id].name),
        HeaderRef::Element(stack, index) => {
            format!("{}[{}]", name(&program.stacks[*stack].name), expr(program, index))
        }
        HeaderRef::Next(stack) => format!("next {}", name(&program.stacks[*stack].name)),
    }
}

/// Returns the direction as P4 writes it.
pub(super) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "in",
        Direction::Out => "out",
        Direction::InOut => "inout",
    }
}

/// Formats a keyset.
pub(super) fn keyset(program: &Program, keyset: &Keyset) -> String {
    match keyset {
        Keyset::Any => "_".into(),
        Keyset::Value(value) => untyped_constant(value),
        Keyset::Mask(value, mask) => format!("{} &&& {}", untyped_constant(value), untyped_constant(mask)),
        Keyset::Range(low, high) => format!("{} .. {}", untyped_constant(low), untyped_constant(high)),
        Keyset::Set(set) => format!("set {}", name(&program.value_sets[*set].name)),
    }
}

fn extern_call(program: &Program, call: &ExternCall) -> String {
    let mut text = String::from("extern ");
    if !call.result.is_empty() {
        let _ = write!(text, "{} = ", vars(program, &call.result));
    }
    text += &name(&call.callee);
    if !call.type_args.is_empty() {
        let _ = write!(text, "<{}>", list(&call.type_args, |arg| ty(program, *arg)));
    }
    text += &declared_args(program, &call.declared);
    if let Some(instance) = call.instance {
        let _ = write!(text, " on {}", name(&program.externs[instance].name));
    }
    let _ = write!(text, "({})", list(&call.args, |arg| argument(program, arg)));
    text
}

/// Formats an argument of a call.
fn argument(program: &Program, arg: &Arg) -> String {
    let value = match &arg.value {
        ArgValue::Leaves(leaves) => match leaves.as_slice() {
            [Leaf::Value(value)] => expr(program, value),
            leaves => format!(
                "{{{}}}",
                list(leaves, |leaf| match leaf {
                    Leaf::Value(value) => expr(program, value),
                    Leaf::Header(id) => format!("header {}", name(&program.headers[*id].name)),
                })
            ),
        },
        ArgValue::Vars { vars: ids, names } if names.is_empty() => format!("&[{}]", vars(program, ids)),
        ArgValue::Vars { vars: ids, names } => {
            let pairs: Vec<_> = names.iter().zip(ids).collect();
            format!("&{{{}}}", list(&pairs, |(path, id)| format!("{}: {}", name(path), var(program, **id))))
        }
        ArgValue::Text(value) => text(value),
        ArgValue::Extern(id) => format!("extern {}", name(&program.externs[*id].name)),
    };
    format!("{} {} = {value}", direction(arg.direction), name(&arg.name))
}

/// Formats a statement without its source place; for a statement with blocks only the first line,
/// such as `if hdr.ipv4.ttl == 8w0`.
pub fn stmt(program: &Program, stmt: &StmtKind) -> String {
    let header = |id| header_ref(program, id);
    let value = |e| expr(program, e);
    let stack = |id| name(&program.stacks[id].name);
    match stmt {
        StmtKind::Assign(to, from) => format!("{} = {}", place(program, to), value(from)),
        StmtKind::SetValid(id) => format!("set_valid {}", header(id)),
        StmtKind::SetInvalid(id) => format!("set_invalid {}", header(id)),
        StmtKind::InvalidateOthers(id) => format!("invalidate_others {}", name(&program.headers[*id].name)),
        StmtKind::Copy { to, from } => format!("copy {} = {}", header(to), header(from)),
        StmtKind::SetNextIndex(id, index) => format!("next_index {} = {}", stack(*id), value(index)),
        StmtKind::PushFront(id, count) => format!("push_front {} {count}", stack(*id)),
        StmtKind::PopFront(id, count) => format!("pop_front {} {count}", stack(*id)),
        StmtKind::If { condition, .. } => format!("if {}", value(condition)),
        StmtKind::Switch { scrutinee, .. } => format!("switch {}", value(scrutinee)),
        StmtKind::Loop { condition, .. } => format!("loop {}", value(condition)),
        StmtKind::Break => "break".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return => "return".into(),
        StmtKind::Exit => "exit".into(),
        StmtKind::Call(id) => format!("call {}", name(&program.procedures[*id].name)),
        StmtKind::CallAction(id) => format!("call action {}", name(&program.actions[*id].name)),
        StmtKind::Apply { table, hit, action_run } => {
            let mut text = format!("apply {}", name(&program.tables[*table].name));
            for (word, id) in [("hit", hit), ("action_run", action_run)] {
                if let Some(id) = id {
                    let _ = write!(text, " {word} {}", var(program, *id));
                }
            }
            text
        }
        StmtKind::Extract { to, varbit_bits: None } => format!("extract {}", header(to)),
        StmtKind::Extract { to, varbit_bits: Some(bits) } => {
            format!("extract {} varbit {}", header(to), value(bits))
        }
        StmtKind::Lookahead(to) => format!("lookahead {}", place(program, to)),
        StmtKind::Advance(bits) => format!("advance {}", value(bits)),
        StmtKind::Verify { condition, error } => {
            format!("verify {} else {}", value(condition), value(error))
        }
        StmtKind::Emit(id) => format!("emit {}", header(id)),
        StmtKind::Extern(call) => extern_call(program, call),
    }
}

impl Printer<'_> {
    /// Writes the statements of a block, one on each line.
    pub(super) fn statements(&mut self, block: &Block) {
        for stmt in &block.0 {
            self.statement(stmt);
        }
    }

    /// Writes `head {`, the block's statements, and `}`.
    pub(super) fn block(&mut self, head: &str, block: &Block) {
        self.open(head);
        self.statements(block);
        self.close();
    }

    /// Prints a statement with its blocks.
    fn statement(&mut self, stmt: &Stmt) {
        let head = self::stmt(self.program, &stmt.kind);
        match &stmt.kind {
            StmtKind::If { .. } => self.if_chain(stmt),
            StmtKind::Switch { scrutinee, cases, default } => {
                self.open(&with_loc(head, stmt.loc));
                for (values, block) in cases {
                    let values = list(values, |value| constant(self.program, scrutinee.ty, value));
                    self.block(&values, block);
                }
                self.block("default", default);
                self.close();
            }
            StmtKind::Loop { body, step, .. } => {
                self.open(&with_loc(head, stmt.loc));
                self.statements(body);
                self.indent -= 1;
                self.line("} step {");
                self.indent += 1;
                self.statements(step);
                self.close();
            }
            _ => self.line(&with_loc(head + ";", stmt.loc)),
        }
    }

    /// Writes `if … { … } else if … { … } else { … }`.
    fn if_chain(&mut self, first: &Stmt) {
        let mut stmt = first;
        let mut before = "";
        while let StmtKind::If { then, otherwise, .. } = &stmt.kind {
            let head = with_loc(self::stmt(self.program, &stmt.kind), stmt.loc);
            self.open(&format!("{before}{head}"));
            self.statements(then);
            self.indent -= 1;
            before = "} else ";
            match otherwise.0.as_slice() {
                [] => return self.line("}"),
                [only] if matches!(only.kind, StmtKind::If { .. }) => stmt = only,
                _ => {
                    self.open("} else");
                    self.statements(otherwise);
                    return self.close();
                }
            }
        }
    }
}

/// Returns the text followed by ` @line:column`, if there is a place.
pub(super) fn with_loc(mut text: String, loc: Loc) -> String {
    if loc != Loc::NONE {
        text.push_str(" @");
        if loc.file != 0 {
            let _ = write!(text, "{}/", loc.file);
        }
        let _ = write!(text, "{}:{}", loc.line, loc.column);
    }
    text
}

pub(super) fn data_type(program: &Program, of: &DataType) -> String {
    match of {
        DataType::Scalar(scalar) => ty(program, *scalar),
        DataType::Named(id) => declared_name(program, *id),
        DataType::Tuple(members) => format!("tuple<{}>", list(members, |member| data_type(program, member))),
        DataType::Stack { element, size } => format!("stack<{}, {size}>", data_type(program, element)),
    }
}

pub(super) fn declared_name(program: &Program, id: DeclaredTypeId) -> String {
    program.declared.get(id).map_or_else(|| "`?`".into(), |declared| name(&declared.name))
}

/// Returns the text ` as <…>`, if there are declared type arguments.
pub(super) fn declared_args(program: &Program, args: &[DataType]) -> String {
    if args.is_empty() {
        return String::new();
    }
    format!(" as <{}>", list(args, |arg| data_type(program, arg)))
}
