//! Expressions: numbers, conditions, and target places.

use num_bigint::BigInt;
use weir_ir::program::{HeaderId, HeaderRef, VarId};
use weir_ir::{BinaryOp, Bits, Expr, ExprKind, MAX_WIDTH, Place, Type, UnaryOp};
use weir_json::Node;

use crate::input::{Result, TypedValue, hex, number, read_exactly, read_typed, unknown};
use crate::number::{self, Number};
use crate::reader::{Reader, at_node, unsupported};

/// An operation in an expression: its operator and the node with its operands.
struct Operation<'d> {
    op: &'d str,
    node: Node<'d>,
}

impl<'d> Operation<'d> {
    fn from_value(value: TypedValue<'d>) -> Result<Self> {
        Ok(Self { op: value.value.require("op")?.text("an operator")?, node: value.value })
    }

    /// Returns a part of the operation, such as `left`.
    fn part(&self, key: &str) -> Result<Node<'d>> {
        self.node.require(key)
    }
}

/// Returns the comparison of numbers that an operator's symbol stands for.
fn comparison(op: &str) -> Option<BinaryOp> {
    Some(match op {
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        _ => return None,
    })
}

/// Operators with a number as result.
fn arithmetic(op: &str) -> Option<BinaryOp> {
    Some(match op {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Mod,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        _ => return None,
    })
}

/// The operators that an expression may have.
const OPERATORS: [&str; 34] = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "~",
    "<<",
    ">>",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "and",
    "or",
    "not",
    "valid",
    "valid_union",
    "d2b",
    "b2d",
    "data_to_bool",
    "bool_to_data",
    "two_comp_mod",
    "sat_cast",
    "usat_cast",
    "?",
    "access_field",
    "last_stack_index",
    "size_stack",
    "dereference_header_stack",
];

impl Reader<'_> {
    /// Reads an expression as a number.
    pub(crate) fn number(&self, node: Node<'_>) -> Result<Number> {
        let value = read_typed(node)?;
        match value.ty {
            "hexstr" => hex(value.value).map(Number::Const),
            "bool" => Ok(Number::Const(BigInt::from(u8::from(value.value.flag()?)))),
            "runtime_data" | "local" => {
                let most = self.data.len() as u64;
                let position = value.value.integer("the position of an action's parameter", 0, u64::MAX)?;
                match self.data.get(position as usize) {
                    Some(var) if position < most => Ok(Number::Value(self.read(*var))),
                    _ => Err(value.value.error(format!("the action has no parameter {position}"))),
                }
            }
            // p4c writes the validity of an element that is chosen at run time in this form.
            "field" if value.value.items()?.next().is_some_and(|header| header.get("op").is_some()) => {
                let [header, field] = read_exactly(value.value, "a header and the name of a field")?;
                match field.text("a field's name")? {
                    weir_ir::storage::VALID => {
                        Ok(Number::Bool(self.validity(&self.header_operation(header)?)))
                    }
                    _ => Err(value.not_here("the validity of a header")),
                }
            }
            "field" if self.is_always_valid(value.value)? => Ok(Number::Const(BigInt::from(1))),
            "field" => self.variable(self.field_of(value.value)?, node),
            "stack_field" | "union_stack_field" => {
                let (vars, index) = self.last_field(value)?;
                self.element(vars, index, node)
            }
            "expression" => self.operation(Operation::from_value(value)?),
            _ => Err(value.not_here("a number")),
        }
    }

    /// Returns the number that a variable of the program holds.
    fn variable(&self, var: VarId, node: Node<'_>) -> Result<Number> {
        match self.program.vars[var].ty {
            Type::Bool => Ok(Number::Bool(self.read(var))),
            Type::Bits { .. } => Ok(Number::Value(self.read(var))),
            _ => Err(unsupported(node, "a field of variable length is used as a number")),
        }
    }

    /// Returns a field of the element of a stack that an index selects.
    fn element(&self, vars: Vec<VarId>, index: Expr, node: Node<'_>) -> Result<Number> {
        let ty = self.program.vars[vars[0]].ty;
        let value = Expr { kind: ExprKind::Indexed { vars, index: Box::new(index) }, ty };
        match ty {
            Type::Bool => Ok(Number::Bool(value)),
            Type::Bits { .. } => Ok(Number::Value(value)),
            _ => Err(unsupported(node, "a field of variable length of a stack's element is used")),
        }
    }

    /// Translates an operation whose result is a number.
    fn operation(&self, operation: Operation<'_>) -> Result<Number> {
        let node = operation.node;
        let boxed = |key: &str| self.number(operation.part(key)?).map(Box::new);
        Ok(match operation.op {
            "~" => Number::Not(boxed("right")?),
            "-" if operation.part("left")?.is_null() => Number::Neg(boxed("right")?),
            "+" if operation.part("left")?.is_null() => *boxed("right")?,
            op if arithmetic(op).is_some() => {
                let op = arithmetic(op).expect("it was found");
                Number::Binary(op, boxed("left")?, boxed("right")?)
            }
            "?" => Number::Mux(self.condition(operation.part("cond")?)?, boxed("left")?, boxed("right")?),
            "b2d" | "bool_to_data" => Number::Bool(self.condition(operation.part("right")?)?),
            "two_comp_mod" => Number::Wrap(boxed("left")?, width(operation.part("right")?)?),
            "usat_cast" => Number::Clamp(boxed("left")?, Type::bit(width(operation.part("right")?)?)),
            "sat_cast" => Number::Clamp(boxed("left")?, Type::int(width(operation.part("right")?)?)),
            "last_stack_index" => {
                let next = self.next_index(operation.part("right")?)?;
                let one = number::constant(Type::bit(32), &BigInt::from(1));
                let kind = ExprKind::Binary(BinaryOp::Sub, Box::new(next), Box::new(one));
                Number::Value(Expr { kind, ty: Type::bit(32) })
            }
            "size_stack" => Number::Value(self.next_index(operation.part("right")?)?),
            "access_field" => match self.access_field(&operation)? {
                (vars, None) => self.variable(vars[0], node)?,
                (vars, Some(index)) => self.element(vars, index, node)?,
            },
            op if is_condition(op) => Number::Bool(self.condition_of(&operation)?),
            op => return Err(unknown(operation.part("op")?, "operator", op, OPERATORS.into_iter())),
        })
    }

    /// Reads an expression as a condition.
    pub(crate) fn condition(&self, node: Node<'_>) -> Result<Expr> {
        let value = read_typed(node)?;
        match value.ty {
            "bool" => Ok(truth_value(value.value.flag()?)),
            "expression" => {
                let operation = Operation::from_value(value)?;
                match operation.op {
                    "?" => {
                        let condition = self.condition(operation.part("cond")?)?;
                        let then = self.condition(operation.part("left")?)?;
                        Ok(number::mux(condition, then, self.condition(operation.part("right")?)?))
                    }
                    op if is_condition(op) => self.condition_of(&operation),
                    _ => at_node(node, number::is_not_zero(&self.operation(operation)?)),
                }
            }
            _ => at_node(node, number::is_not_zero(&self.number(node)?)),
        }
    }

    fn condition_of(&self, operation: &Operation<'_>) -> Result<Expr> {
        let node = operation.node;
        let binary = |op, left, right| Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            ty: Type::Bool,
        };
        let condition = |key: &str| self.condition(operation.part(key)?);
        match operation.op {
            "and" => Ok(binary(BinaryOp::And, condition("left")?, condition("right")?)),
            "or" => Ok(binary(BinaryOp::Or, condition("left")?, condition("right")?)),
            "not" => Ok(negate(condition("right")?)),
            "d2b" | "data_to_bool" => {
                at_node(node, number::is_not_zero(&self.number(operation.part("right")?)?))
            }
            "valid" => {
                let header = self.header_value(operation.part("right")?)?;
                Ok(self.validity(&header))
            }
            "valid_union" => {
                let union = self.union_members(operation.part("right")?)?;
                let valid = union.iter().map(|member| self.validity(member));
                Ok(valid
                    .reduce(|one, other| binary(BinaryOp::Or, one, other))
                    .unwrap_or_else(|| truth_value(false)))
            }
            op => {
                let (left, right) = (operation.part("left")?, operation.part("right")?);
                let op = comparison(op).expect("the other conditions are above");
                self.comparison(op, left, right)
            }
        }
    }

    /// Translates a comparison of two values: Booleans, headers, stacks or numbers.
    fn comparison(&self, op: BinaryOp, left: Node<'_>, right: Node<'_>) -> Result<Expr> {
        let negate_if_needed = |equal: Expr| if op == BinaryOp::Ne { negate(equal) } else { equal };
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if is_equality && let (Some(left), Some(right)) = (self.varbit(left)?, self.varbit(right)?) {
            let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(left), Box::new(right));
            return Ok(negate_if_needed(Expr { kind, ty: Type::Bool }));
        }
        if is_equality && self.is_condition_value(left)? && self.is_condition_value(right)? {
            let (left, right) = (self.condition(left)?, self.condition(right)?);
            let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(left), Box::new(right));
            return Ok(negate_if_needed(Expr { kind, ty: Type::Bool }));
        }
        let is_header = |node: Node<'_>| read_typed(node).map(|value| value.ty == "header");
        if is_equality && is_header(left)? && is_header(right)? {
            let (left_id, right_id) = (self.header_value(left)?, self.header_value(right)?);
            return match (left_id, right_id) {
                (HeaderRef::Header(one), HeaderRef::Header(other)) => {
                    Ok(negate_if_needed(self.equal_headers(one, other)))
                }
                _ => Err(unsupported(left, "elements of stacks that are chosen at run time are compared")),
            };
        }
        at_node(left, number::compare(op, &self.number(left)?, &self.number(right)?))
    }

    /// Returns whether a value is a Boolean rather than a number.
    fn is_condition_value(&self, node: Node<'_>) -> Result<bool> {
        let value = read_typed(node)?;
        Ok(match value.ty {
            "bool" => true,
            "expression" => is_condition(Operation::from_value(value)?.op),
            _ => false,
        })
    }

    /// Reads the value of a field of variable length; `None` if the node is not a field of variable
    /// length.
    fn varbit(&self, node: Node<'_>) -> Result<Option<Expr>> {
        let value = read_typed(node)?;
        if value.ty != "field" || self.is_always_valid(value.value)? {
            return Ok(None);
        }
        let value = self.read(self.field_of(value.value)?);
        Ok(Some(value).filter(|value| matches!(value.ty, Type::Varbit { .. })))
    }

    /// Returns a condition that holds if both headers are invalid, or if both are valid and all
    /// their fields are equal.
    fn equal_headers(&self, one: HeaderId, other: HeaderId) -> Expr {
        let binary = |op, left, right| Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            ty: Type::Bool,
        };
        let (one, other) = (&self.program.headers[one], &self.program.headers[other]);
        let valid = binary(BinaryOp::And, self.read(one.valid), self.read(other.valid));
        let same = one.fields.iter().zip(&other.fields).fold(valid, |all, (one, other)| {
            binary(BinaryOp::And, all, binary(BinaryOp::Eq, self.read(*one), self.read(*other)))
        });
        let neither = negate(binary(BinaryOp::Or, self.read(one.valid), self.read(other.valid)));
        binary(BinaryOp::Or, same, neither)
    }

    /// Reads the place that is the target of a write.
    pub(crate) fn read_place(&self, node: Node<'_>) -> Result<Place> {
        let value = read_typed(node)?;
        let place = match value.ty {
            "field" => Place::Var(self.field_of(value.value)?),
            "stack_field" | "union_stack_field" => {
                let (vars, index) = self.last_field(value)?;
                Place::Indexed(vars, index)
            }
            "expression" => {
                let operation = Operation::from_value(value)?;
                match operation.op {
                    "access_field" => match self.access_field(&operation)? {
                        (vars, None) => Place::Var(vars[0]),
                        (vars, Some(index)) => Place::Indexed(vars, index),
                    },
                    // p4c adds these operations to a target that is a field of type bool.
                    "b2d" | "d2b" => return self.read_place(operation.part("right")?),
                    _ => return Err(value.not_here("a field to write to")),
                }
            }
            _ => return Err(value.not_here("a field to write to")),
        };
        if self.place_type(&place) == Type::Bool {
            return Err(unsupported(node, "the validity of a header is assigned like a field"));
        }
        Ok(place)
    }

    /// Returns the variables of a field in all elements of a stack, and the index of the element.
    /// If the header is not an element of a stack, returns only the variable of its field.
    fn access_field(&self, operation: &Operation<'_>) -> Result<(Vec<VarId>, Option<Expr>)> {
        let position = operation.part("right")?;
        let at = number(position)?;
        let field = |id: HeaderId| {
            let fields = &self.program.headers[id].fields;
            let var = usize::try_from(&at).ok().and_then(|at| fields.get(at).copied());
            var.ok_or_else(|| position.error(format!("the header has no field {at}")))
        };
        match self.header_value(operation.part("left")?)? {
            HeaderRef::Header(id) => Ok((vec![field(id)?], None)),
            HeaderRef::Element(stack, index) => {
                let elements = &self.program.stacks[stack].elements;
                let vars = elements.iter().map(|id| field(*id)).collect::<Result<_>>()?;
                Ok((vars, Some(*index)))
            }
            HeaderRef::Next(_) => Err(operation.node.error("the next element of a stack is read")),
        }
    }

    /// Returns the variables of a field in a stack, and the index of the element that was filled
    /// last.
    fn last_field(&self, value: TypedValue<'_>) -> Result<(Vec<VarId>, Expr)> {
        let (stack, field) = if value.ty == "stack_field" {
            let [stack, field] = read_exactly(value.value, "a stack's name and a field's name")?;
            (self.stack_of(stack)?, field)
        } else {
            let [stack, member, field] =
                read_exactly(value.value, "the names of a stack, a member and a field")?;
            (self.member_stack(stack, member)?, field)
        };
        let name = field.text("a field's name")?;
        let elements = &self.program.stacks[stack].elements;
        let layout = &self.program.header_types[self.program.headers[elements[0]].ty].fields;
        let vars = if name == weir_ir::storage::VALID {
            elements.iter().map(|id| self.program.headers[*id].valid).collect()
        } else {
            let position = layout.iter().position(|known| known.name == name);
            let known = layout.iter().map(|known| known.name.as_str());
            let position = position.ok_or_else(|| unknown(field, "field", name, known))?;
            elements.iter().map(|id| self.program.headers[*id].fields[position]).collect()
        };
        Ok((vars, self.last_index(stack)))
    }

    /// Reads a number as the index of a stack's element.
    pub(crate) fn index(&self, node: Node<'_>) -> Result<Expr> {
        let number = self.number(node)?;
        let value = at_node(node, number::exact_value(&number))?;
        if value.ty.width() > 32 {
            return Err(unsupported(node, "an index of more than 32 bits"));
        }
        // A negative index becomes an index past the end.
        Ok(number::cast(value, Type::bit(32)))
    }
}

fn is_condition(op: &str) -> bool {
    comparison(op).is_some()
        || matches!(op, "and" | "or" | "not" | "valid" | "valid_union" | "d2b" | "data_to_bool")
}

/// Returns an expression that is true if the condition is false.
fn negate(condition: Expr) -> Expr {
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition)), ty: Type::Bool }
}

/// Returns the constant `true` or `false`.
pub(crate) fn truth_value(value: bool) -> Expr {
    Expr { kind: ExprKind::Const(Bits::bool(value)), ty: Type::Bool }
}

/// Reads the width of a cast.
fn width(node: Node<'_>) -> Result<u32> {
    let value = read_typed(node)?;
    let width = number(value.value)?;
    let valid_width = u32::try_from(&width).ok().filter(|width| (1..=MAX_WIDTH).contains(width));
    valid_width.ok_or_else(|| {
        value.value.error(format!("expected a width from 1 to {MAX_WIDTH} bits, found {width}"))
    })
}
