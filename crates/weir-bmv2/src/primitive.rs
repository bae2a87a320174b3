//! Primitives: the operations that actions, and parsers through `primitive`, run one after the
//! other.

use weir_ir::program::HeaderRef;
use weir_ir::{Loc, Place, Stmt, StmtKind, Type};
use weir_json::Node;

use crate::input::{Result, read_typed, unknown};
use crate::number::{cast, low_bits};
use crate::reader::{Reader, at_node, unsupported};

/// The names of all supported primitives, except jumps.
const PRIMITIVES: [&str; 41] = [
    "add",
    "add_header",
    "add_to_field",
    "assert",
    "assign",
    "assign_VL",
    "assign_header",
    "assign_header_stack",
    "assign_union",
    "assign_union_stack",
    "assume",
    "bit_and",
    "bit_or",
    "bit_xor",
    "clone_egress_pkt_to_egress",
    "clone_ingress_pkt_to_egress",
    "copy_header",
    "count",
    "drop",
    "execute_meter",
    "exit",
    "generate_digest",
    "log_msg",
    "mark_to_drop",
    "modify_field",
    "modify_field_rng_uniform",
    "modify_field_with_hash_based_offset",
    "no_op",
    "pop",
    "push",
    "recirculate",
    "register_read",
    "register_write",
    "remove_header",
    "resubmit",
    "shift_left",
    "shift_right",
    "subtract",
    "subtract_from_field",
    "truncate",
    "verify_checksum",
];

/// A primitive with its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Primitive<'a, 'd> {
    pub op: &'d str,
    pub node: Node<'d>,
    pub args: &'a [Node<'d>],
    pub loc: Loc,
}

impl<'d> Primitive<'_, 'd> {
    /// Returns the arguments if there are exactly `N`.
    pub(crate) fn args<const N: usize>(&self) -> Result<[Node<'d>; N]> {
        self.args.try_into().map_err(|_| {
            let count = self.args.len();
            self.node.error(format!("\"{}\" takes {N} parameters, found {count}", self.op))
        })
    }
}

impl<'d> Reader<'d> {
    /// Adds the statements of a primitive.
    pub(crate) fn primitive(&mut self, node: Node<'d>, out: &mut Vec<Stmt>) -> Result<()> {
        let op_node = node.require("op")?;
        let op = op_node.text("a primitive's name")?;
        let args: Vec<_> = node.require("parameters")?.items()?.collect();
        let loc = self.loc(node);
        let call = Primitive { op, node, args: &args, loc };
        match op {
            "assign" | "modify_field" => {
                let [to, from] = call.args()?;
                self.assign(to, from, loc, out)
            }
            "assign_VL" => {
                let [to, from] = call.args()?;
                self.assign_varbit(to, from, loc, out)
            }
            "assign_header" | "copy_header" => {
                let [to, from] = call.args()?;
                if self.is_metadata(to)? {
                    self.copy_metadata([to, from], loc, out)
                } else {
                    self.copy_header([to, from], loc, out)
                }
            }
            "assign_union" => self.copy_union(call.args()?, loc, out),
            "assign_header_stack" | "assign_union_stack" => self.copy_stack(call.args()?, loc, out),
            "push" | "pop" => self.shift_stack(call.args()?, op == "push", loc, out),
            "add_header" | "add_header_fast" => {
                let [header] = call.args()?;
                let header = self.header_value(header)?;
                self.set_valid(header, loc, out);
                Ok(())
            }
            "remove_header" => {
                let [header] = call.args()?;
                let header: HeaderRef = self.header_value(header)?;
                out.push(Stmt { kind: StmtKind::SetInvalid(header), loc });
                Ok(())
            }
            "no_op" => Ok(()),
            "exit" => {
                out.push(Stmt { kind: StmtKind::Exit, loc });
                Ok(())
            }
            "add" | "subtract" | "bit_and" | "bit_or" | "bit_xor" | "shift_left" | "shift_right" => {
                let [to, left, right] = call.args()?;
                self.compute(op, to, [left, right], loc, out)
            }
            "add_to_field" | "subtract_from_field" => {
                let [to, by] = call.args()?;
                self.compute(op, to, [to, by], loc, out)
            }
            _ => match self.extern_call(call, out)? {
                true => Ok(()),
                false => Err(unknown(op_node, "primitive", op, PRIMITIVES.into_iter())),
            },
        }
    }

    /// Assigns a number to a place, truncated to the place's width.
    pub(crate) fn assign(
        &mut self,
        to: Node<'_>,
        from: Node<'_>,
        loc: Loc,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let place = self.read_place(to)?;
        let number = self.number(from)?;
        self.assign_number(place, &number, from, loc, out)
    }

    fn assign_number(
        &mut self,
        place: Place,
        number: &crate::number::Number,
        node: Node<'_>,
        loc: Loc,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let ty = self.place_type(&place);
        if !matches!(ty, Type::Bits { .. }) {
            return Err(unsupported(node, "a number is assigned to a field of variable length"));
        }
        let value = cast(at_node(node, low_bits(number, ty.width()))?, ty);
        out.push(Stmt { kind: StmtKind::Assign(place, value), loc });
        Ok(())
    }

    /// Converts the older primitives, each of which computes a value and assigns it.
    fn compute(
        &mut self,
        op: &str,
        to: Node<'_>,
        [left, right]: [Node<'_>; 2],
        loc: Loc,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        use weir_ir::BinaryOp::{Add, BitAnd, BitOr, BitXor, Shl, Shr, Sub};
        let operator = match op {
            "add" | "add_to_field" => Add,
            "subtract" | "subtract_from_field" => Sub,
            "bit_and" => BitAnd,
            "bit_or" => BitOr,
            "bit_xor" => BitXor,
            "shift_left" => Shl,
            _ => Shr,
        };
        let (one, other) = (Box::new(self.number(left)?), Box::new(self.number(right)?));
        let place = self.read_place(to)?;
        self.assign_number(place, &crate::number::Number::Binary(operator, one, other), left, loc, out)
    }

    fn assign_varbit(&mut self, to: Node<'_>, from: Node<'_>, loc: Loc, out: &mut Vec<Stmt>) -> Result<()> {
        let var = |reader: &Self, node: Node<'_>| {
            let value = read_typed(node)?;
            if value.ty == "field" {
                reader.field_of(value.value)
            } else {
                Err(value.not_here("a field of variable length"))
            }
        };
        let (to_var, from_var) = (var(self, to)?, var(self, from)?);
        let value = self.read(from_var);
        if self.program.vars[to_var].ty != value.ty {
            return Err(unsupported(
                from,
                "the two fields of variable length have different largest lengths",
            ));
        }
        out.push(Stmt { kind: StmtKind::Assign(Place::Var(to_var), value), loc });
        Ok(())
    }

    fn is_metadata(&self, node: Node<'_>) -> Result<bool> {
        let value = read_typed(node)?;
        Ok(value.ty == "header" && self.instance(value.value)?.header.is_none())
    }

    fn copy_metadata(&self, nodes: [Node<'_>; 2], loc: Loc, out: &mut Vec<Stmt>) -> Result<()> {
        let (to, from) =
            (self.instance(read_typed(nodes[0])?.value)?, self.instance(read_typed(nodes[1])?.value)?);
        let types = |instance: &crate::storage::Instance| {
            instance.fields.iter().map(|(_, var)| self.program.vars[*var].ty).collect::<Vec<_>>()
        };
        if types(to) != types(from) {
            return Err(nodes[1].error("the two have different fields"));
        }
        for ((_, to), (_, from)) in to.fields.iter().zip(&from.fields) {
            out.push(Stmt { kind: StmtKind::Assign(Place::Var(*to), self.read(*from)), loc });
        }
        Ok(())
    }
}
