//! Calculations: the data and the algorithm of hashes and checksums.

use weir_ir::program::{Arg, ArgValue, Direction, ExternCall, Leaf};
use weir_ir::{Bits, Block, Expr, ExprKind, MAX_WIDTH, Stmt, StmtKind, Type};
use weir_json::Node;

use crate::expression::truth_value;
use crate::input::{Result, declare, flag, hex, list, name, optional, read_exactly, read_typed, unknown};
use crate::number::constant;
use crate::reader::{Reader, unsupported};

/// The input of a calculation.
pub(crate) struct Input {
    /// The argument `algo`.
    pub algorithm: Arg,
    /// The argument `data`.
    pub data: Arg,
    /// Whether the rest of the packet follows the data.
    pub with_payload: bool,
    /// The argument with the calculation's name in runtime commands.
    pub name: Arg,
}

/// The argument of a call that names its calculation.
const CALCULATION: &str = "calculation";

/// Makes the input argument of this name with one value.
pub(crate) fn input(name: &str, value: Expr) -> Arg {
    Arg { name: name.to_owned(), direction: Direction::In, value: ArgValue::Leaves(vec![Leaf::Value(value)]) }
}

impl<'d> Reader<'d> {
    /// Finds the calculations by their names.
    pub(crate) fn read_calculations(&mut self) -> Result<()> {
        for node in list(self.root, "calculations")? {
            let name = name(node, "a calculation's name")?;
            declare(&mut self.calculations, name.to_owned(), node, node, "calculations")?;
        }
        Ok(())
    }

    /// Reads the arguments for the calculation of this name.
    pub(crate) fn calculation(&self, node: Node<'_>) -> Result<Input> {
        let wanted = node.text("a calculation's name")?;
        let names = self.calculations.keys().map(String::as_str);
        let calculation_input = self.calculations.get(wanted);
        let calculation_input =
            *calculation_input.ok_or_else(|| unknown(node, "calculation", wanted, names))?;
        let algo = calculation_input.require("algo")?;
        let algorithm = input("algo", self.algorithm(algo)?);
        let (mut leaves, mut with_payload) = (Vec::new(), false);
        for part in calculation_input.require("input")?.items()? {
            let ty = part.require("type")?.text("the type of a value")?;
            if ty == "payload" {
                with_payload = true;
                continue;
            }
            let value = read_typed(part)?;
            if with_payload {
                return Err(unsupported(part, "data follows the payload"));
            }
            leaves.push(match value.ty {
                "field" => Leaf::Value(self.read(self.field_of(value.value)?)),
                "hexstr" => {
                    let width = part.require("bitwidth")?;
                    let width = width.integer("the width of a constant in bits", 1, u64::from(MAX_WIDTH))?;
                    Leaf::Value(constant(Type::bit(width as u32), &hex(value.value)?))
                }
                "header" => match self.instance(value.value)?.header {
                    Some(header) => Leaf::Header(header),
                    None => return Err(unsupported(part, "metadata is used as a header")),
                },
                _ => return Err(value.not_here("data of a calculation")),
            });
        }
        let data = Arg { name: "data".to_owned(), direction: Direction::In, value: ArgValue::Leaves(leaves) };
        let text = ArgValue::Text(wanted.to_owned());
        let name = Arg { name: CALCULATION.to_owned(), direction: Direction::In, value: text };
        Ok(Input { algorithm, data, with_payload, name })
    }

    /// Reads the name of a hash algorithm as a value of v1model's `HashAlgorithm`.
    pub(crate) fn algorithm(&self, node: Node<'_>) -> Result<Expr> {
        let name = node.text("a hash algorithm")?;
        let wanted = match name {
            "crc32Custom" => "crc32_custom",
            "crc16Custom" => "crc16_custom",
            name => name,
        };
        match self.member("HashAlgorithm", wanted) {
            Some((ty, ordinal)) => Ok(Expr { kind: ExprKind::Const(Bits::new(32, ordinal)), ty }),
            None => {
                let members = self.program.enums.values().filter(|members| members.name == "HashAlgorithm");
                let members = members.flat_map(|member| member.members.iter().map(String::as_str));
                Err(unknown(node, "hash algorithm", name, members))
            }
        }
    }

    /// Translates the checksums that are verified after parsing, and those that are updated before
    /// deparsing.
    pub(crate) fn checksums(&mut self) -> Result<(Block, Block)> {
        let (mut verified, mut updated) = (Vec::new(), Vec::new());
        for node in list(self.root, "checksums")? {
            let kind = node.require("type")?;
            if kind.text("the type of a checksum")? != "generic" {
                return Err(unsupported(kind, "a checksum whose type is not \"generic\""));
            }
            let loc = self.loc(node);
            let target = node.require("target")?;
            let var = self.field_of(target)?;
            if !matches!(self.program.vars[var].ty, Type::Bits { .. }) {
                return Err(target.error("a checksum is not a number"));
            }
            let condition = match optional(node, "if_cond") {
                Some(condition) => self.condition(condition)?,
                None => truth_value(true),
            };
            let [header, _] = read_exactly(target, "a field: the names of its header and of itself")?;
            let is_valid = self.instance(header)?.header.map(|id| self.read(self.program.headers[id].valid));
            let calculation = self.calculation(node.require("calculation")?)?;
            if flag(node, "verify", true)? {
                // BMv2 does not verify a checksum in an invalid header.
                let condition = match is_valid {
                    Some(valid) if valid != condition => Expr {
                        kind: ExprKind::Binary(
                            weir_ir::BinaryOp::And,
                            Box::new(valid),
                            Box::new(condition.clone()),
                        ),
                        ty: Type::Bool,
                    },
                    _ => condition.clone(),
                };
                let checksum = input("checksum", self.read(var));
                let calculation = self.calculation(node.require("calculation")?)?;
                verified.push(Stmt { kind: checksum_call("verify", condition, checksum, calculation), loc });
            }
            if flag(node, "update", true)? {
                let value = ArgValue::Vars { vars: vec![var], names: Vec::new() };
                let checksum = Arg { name: "checksum".to_owned(), direction: Direction::InOut, value };
                updated.push(Stmt { kind: checksum_call("update", condition, checksum, calculation), loc });
            }
        }
        Ok((Block(verified), Block(updated)))
    }
}

fn checksum_call(verb: &str, condition: Expr, checksum: Arg, sum: Input) -> StmtKind {
    let suffix = if sum.with_payload { "_with_payload" } else { "" };
    StmtKind::Extern(ExternCall {
        callee: format!("{verb}_checksum{suffix}"),
        instance: None,
        type_args: Vec::new(),
        declared: Vec::new(),
        args: vec![input("condition", condition), sum.data, checksum, sum.algorithm, sum.name],
        result: Vec::new(),
    })
}
