//! The parser: its states, their statements and their transitions.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use weir_ir::program::{
    Block, Keyset, Param, Parser, ParserState, SelectCase, Transition, ValueSet, ValueSetField,
};
use weir_ir::{Arena, Bits, Expr, ExprKind, Loc, MAX_WIDTH, ParserId, ParserStateId, Place, Stmt, StmtKind};
use weir_ir::{Type, ValueSetId, program};
use weir_json::Node;

use crate::input::{Result, declare, hex, list, name, number, optional, read_exactly, read_typed, unknown};
use crate::number::{Number, cast, exact_value, low_bits, mux};
use crate::reader::{Reader, at_node, unsupported};

/// The parser's states by name.
type States = BTreeMap<String, ParserStateId>;

impl<'d> Reader<'d> {
    /// Translates the program's only parser.
    pub(crate) fn read_parser(&mut self, params: Vec<Param>) -> Result<ParserId> {
        let parsers = list(self.root, "parsers")?;
        let [node] = parsers[..] else {
            return Err(self.root.error(format!("expected one parser, found {}", parsers.len())));
        };
        let all = list(node, "parse_states")?;
        let mut states = States::new();
        for (position, state) in all.iter().enumerate() {
            let name = name(*state, "a state's name")?;
            declare(&mut states, name.to_owned(), ParserStateId::new(position), *state, "states")?;
        }
        let start = target(node.require("init_state")?, &states)?;
        let mut arena = Arena::new();
        for state in all {
            let state = self.state(state, &states)?;
            arena.push(state);
        }
        let start = match start {
            program::Target::State(start) => start,
            // A parser without states accepts every packet at once.
            program::Target::Accept | program::Target::Reject => arena.push(ParserState {
                name: "$json.start".to_owned(),
                body: Block::default(),
                transition: Transition::Goto(program::Target::Accept),
                loc: Loc::NONE,
            }),
        };
        let loc = self.loc(node);
        let (name, locals) = (name(node, "the parser's name")?.to_owned(), Block::default());
        Ok(self.program.parsers.push(Parser { name, params, locals, states: arena, start, loc }))
    }

    /// Translates a state of the parser.
    fn state(&mut self, node: Node<'d>, states: &States) -> Result<ParserState> {
        let mut body = Vec::new();
        for op in list(node, "parser_ops")? {
            self.parser_op(op, &mut body)?;
        }
        let loc = self.loc(node);
        let mut keys = Vec::new();
        for key in list(node, "transition_key")? {
            keys.push(self.key(key, &mut body)?);
        }
        let (mut cases, mut default) = (Vec::new(), None);
        for transition in list(node, "transitions")? {
            let ty = transition.require("type")?;
            let target = target(transition.require("next_state")?, states)?;
            let keysets = match ty.text("the type of a transition")? {
                "default" => {
                    default = Some(target);
                    continue;
                }
                "hexstr" => keysets(transition, &keys)?,
                "parse_vset" => self.value_set_case(transition, &keys)?,
                other => {
                    return Err(unknown(
                        ty,
                        "type of transitions",
                        other,
                        ["default", "hexstr", "parse_vset"].into_iter(),
                    ));
                }
            };
            cases.push(SelectCase { keysets, target, loc });
        }
        let transition = match default {
            Some(target) if cases.is_empty() => Transition::Goto(target),
            _ => {
                let otherwise =
                    default.map(|target| SelectCase { keysets: vec![Keyset::Any; keys.len()], target, loc });
                cases.extend(otherwise);
                Transition::Select { keys, cases, loc }
            }
        };
        let name = name(node, "a state's name")?.to_owned();
        Ok(ParserState { name, body: Block(body), transition, loc })
    }

    fn parser_op(&mut self, node: Node<'d>, out: &mut Vec<Stmt>) -> Result<()> {
        let op = node.require("op")?;
        let parameters = node.require("parameters")?;
        let loc = self.loc(node);
        match op.text("a parser's operation")? {
            "extract" => {
                let [header] = read_exactly(parameters, "the header to extract")?;
                self.extract(header, None, loc, out)
            }
            "extract_VL" => {
                let [header, bits] = read_exactly(parameters, "the header to extract and a length in bits")?;
                let bits = self.bits(bits)?;
                self.extract(header, Some(bits), loc, out)
            }
            "set" => {
                let [to, from] = read_exactly(parameters, "a field and its value")?;
                if read_typed(from)?.ty == "lookahead" {
                    let place = self.read_place(to)?;
                    let value = self.lookahead(from, out)?;
                    let ty = self.place_type(&place);
                    if !matches!(ty, Type::Bits { .. }) {
                        return Err(to.error("a field of variable length cannot be set"));
                    }
                    out.push(Stmt { kind: StmtKind::Assign(place, cast(value, ty)), loc });
                    return Ok(());
                }
                self.assign(to, from, loc, out)
            }
            "verify" => {
                let [condition, error] = read_exactly(parameters, "a condition and an error")?;
                let condition = self.condition(condition)?;
                let error = self.error(error)?;
                out.push(Stmt { kind: StmtKind::Verify { condition, error }, loc });
                Ok(())
            }
            "shift" => {
                let [bytes] = read_exactly(parameters, "a number of bytes")?;
                let bytes = bytes.integer("a number of bytes", 0, u64::from(u32::MAX / 8))?;
                let bits = crate::number::constant(Type::bit(32), &BigInt::from(bytes * 8));
                out.push(Stmt { kind: StmtKind::Advance(bits), loc });
                Ok(())
            }
            "advance" => {
                let [bits] = read_exactly(parameters, "a number of bits")?;
                let bits = self.bits(bits)?;
                out.push(Stmt { kind: StmtKind::Advance(bits), loc });
                Ok(())
            }
            "primitive" => {
                let [primitive] = read_exactly(parameters, "a primitive")?;
                self.primitive(primitive, out)
            }
            other => {
                let operations = ["extract", "extract_VL", "set", "verify", "shift", "advance", "primitive"];
                Err(unknown(op, "parser operation", other, operations.into_iter()))
            }
        }
    }

    /// Reads a number of bits, such as an amount to extract or to skip.
    fn bits(&self, node: Node<'_>) -> Result<Expr> {
        let number = self.number(node)?;
        at_node(node, low_bits(&number, 32))
    }

    /// Reads bits of the packet into a new variable without consuming them.
    fn lookahead(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) -> Result<Expr> {
        let [offset, width] = read_exactly(read_typed(node)?.value, "an offset and a width in bits")?;
        let most = u64::from(MAX_WIDTH);
        let offset = offset.integer("an offset in bits", 0, most)? as u32;
        let width = width.integer("a width in bits", 1, most - u64::from(offset))? as u32;
        let var = self.temporary(Type::bit(offset + width));
        out.push(Stmt { kind: StmtKind::Lookahead(Place::Var(var)), loc: Loc::NONE });
        let value = self.read(var);
        if offset == 0 {
            return Ok(value);
        }
        let kind = ExprKind::Slice { operand: Box::new(value), high: width - 1, low: 0 };
        Ok(Expr { kind, ty: Type::bit(width) })
    }

    /// Translates a part of the key of a transition.
    fn key(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) -> Result<Expr> {
        if read_typed(node)?.ty == "lookahead" {
            return self.lookahead(node, out);
        }
        at_node(node, exact_value(&self.number(node)?))
    }

    /// Translates the error with this number to a constant.
    fn error(&self, node: Node<'_>) -> Result<Expr> {
        let count = self.program.errors.len();
        let constant =
            |ordinal: usize| Expr { kind: ExprKind::Const(Bits::new(32, ordinal as u128)), ty: Type::Error };
        match self.number(node)? {
            Number::Const(number) => match usize::try_from(&number).ok().filter(|number| *number < count) {
                Some(ordinal) => Ok(constant(ordinal)),
                None => Err(node.error(format!("there is no error with the number {number}"))),
            },
            number => (1..count).try_fold(constant(0), |otherwise, ordinal| {
                let is_it = Number::Const(BigInt::from(ordinal));
                let is_it = at_node(node, crate::number::compare(weir_ir::BinaryOp::Eq, &number, &is_it))?;
                Ok(mux(is_it, constant(ordinal), otherwise))
            }),
        }
    }

    fn value_set_case(&mut self, transition: Node<'_>, keys: &[Expr]) -> Result<Vec<Keyset>> {
        let value = transition.require("value")?;
        if let Some(mask) = optional(transition, "mask") {
            return Err(unsupported(mask, "the members of a value set have a mask"));
        }
        let set = self.value_set(value, keys)?;
        let rest = keys.iter().skip(1).map(|_| Keyset::Any);
        Ok([Keyset::Set(set)].into_iter().chain(rest).collect())
    }

    /// Returns the value set of this name, whose fields are the keys that it is compared with.
    fn value_set(&mut self, node: Node<'_>, keys: &[Expr]) -> Result<ValueSetId> {
        let wanted = node.text("a value set's name")?;
        let widths: Vec<u32> = keys.iter().map(|key| key.ty.width()).collect();
        if let Some(known) = self.value_sets.get(wanted) {
            let fields = &self.program.value_sets[*known].fields;
            if fields.iter().map(|field| field.width).ne(widths) {
                return Err(unsupported(node, "a value set is compared with keys of different widths"));
            }
            return Ok(*known);
        }
        let declared = list(self.root, "parse_vsets")?;
        let names: Vec<_> = declared.iter().filter_map(|node| name(*node, "").ok()).collect();
        let value_set_node = declared.iter().find(|node| name(**node, "").is_ok_and(|name| name == wanted));
        let value_set_node =
            *value_set_node.ok_or_else(|| unknown(node, "value set", wanted, names.into_iter()))?;
        let whole = value_set_node.require("compressed_bitwidth")?;
        let width = whole.integer("the width of a value set in bits", 1, u64::from(u32::MAX))?;
        let sum: u64 = widths.iter().map(|width| u64::from(*width)).sum();
        if width != sum {
            return Err(whole.error(format!("the value set has {width} bits, the keys have {sum}")));
        }
        let is_one = widths.len() == 1;
        let field = |(position, width): (usize, u32)| ValueSetField {
            name: if is_one { String::new() } else { format!("field_{position}") },
            width,
            declared: None,
            match_kind: "exact".to_owned(),
            annotations: Vec::new(),
        };
        let fields = widths.into_iter().enumerate().map(field).collect();
        let size = match optional(value_set_node, "max_size") {
            Some(size) => size.integer("a size", 0, u64::MAX)?,
            None => 0,
        };
        let loc = self.loc(value_set_node);
        let set = ValueSet { name: wanted.to_owned(), fields, size, annotations: Vec::new(), loc };
        let set = self.program.value_sets.push(set);
        self.value_sets.insert(wanted.to_owned(), set);
        Ok(set)
    }

    /// The errors, in the order of their numbers. The errors of `core.p4` are always included.
    pub(crate) fn read_errors(&mut self) -> Result<()> {
        let mut errors = BTreeMap::new();
        for node in list(self.root, "errors")? {
            let [name, value] = read_exactly(node, "an error: its name and its number")?;
            let value_node = value;
            let value = usize::try_from(&number(value)?).ok().filter(|value| *value < MAX_ERRORS);
            let value =
                value.ok_or_else(|| unsupported(value_node, "the errors do not have small numbers"))?;
            let name = name.text("an error's name")?.to_owned();
            declare(&mut errors, value, name, value_node, "errors with the number")?;
        }
        let first = errors.entry(0).or_insert_with(|| "NoError".to_owned());
        if first != "NoError" {
            return Err(unsupported(
                self.root.require("errors")?,
                "the error with the number 0 is not \"NoError\"",
            ));
        }
        let count = errors.keys().last().map_or(0, |last| last + 1);
        self.program.errors = (0..count)
            .map(|number| errors.remove(&number).unwrap_or_else(|| format!("$json.error{number}")))
            .collect();
        for core in weir_ir::CoreErrors::NAMES {
            if self.program.errors.iter().all(|known| known != core) {
                self.program.errors.push(core.to_owned());
            }
        }
        Ok(())
    }
}

/// The maximum number of errors.
const MAX_ERRORS: usize = 1 << 16;

/// Finds the state that a node names; `accept` for `null`.
fn target(node: Node<'_>, states: &States) -> Result<program::Target> {
    if node.is_null() {
        return Ok(program::Target::Accept);
    }
    let name = node.text("a state's name")?;
    let state = states.get(name).copied().map(program::Target::State);
    state.ok_or_else(|| unknown(node, "state", name, states.keys().map(String::as_str)))
}

/// Splits a value into parts, one for each key. Each part takes whole bytes, and the last part
/// takes the lowest bytes.
fn keysets(transition: Node<'_>, keys: &[Expr]) -> Result<Vec<Keyset>> {
    if keys.is_empty() {
        return Err(transition.error("a value is compared, but the state has no key"));
    }
    let value = hex(transition.require("value")?)?;
    let mask = optional(transition, "mask").map(hex).transpose()?;
    let mut position = 0u32;
    let mut keysets = Vec::new();
    for key in keys.iter().rev() {
        let width = key.ty.width();
        let part = |number: &BigInt| Bits::wrap_signed(width, &(number >> position));
        let value = part(&value);
        keysets.push(match mask.as_ref().map(part) {
            None => Keyset::Value(value),
            Some(mask) if mask.is_zero() => Keyset::Any,
            Some(mask) if mask == Bits::ones(width) => Keyset::Value(value),
            Some(mask) => Keyset::Mask(value, mask),
        });
        position += width.div_ceil(8) * 8;
    }
    keysets.reverse();
    Ok(keysets)
}
