//! Extern objects, and the primitives that call v1model's externs.

use num_bigint::BigInt;
use weir_ir::program::{
    Arg, ArgValue, ConstArg, Direction, ExternCall, ExternId, ExternInstance, Leaf, VarId,
};
use weir_ir::{Bits, Enumeration, Expr, ExprKind, MAX_WIDTH, Stmt, StmtKind, Type};
use weir_json::{Kind, Node};

use crate::calculation::input;
use crate::input::{Result, flag, list, name, optional, read_typed};
use crate::number::{Number, constant, unsigned};
use crate::primitive::Primitive;
use crate::reader::{Reader, at_node, unsupported};
use crate::storage::STANDARD;

/// The document's member that lists counters.
pub(crate) const COUNTERS: &str = "counter_arrays";
/// The document's member that lists meters.
pub(crate) const METERS: &str = "meter_arrays";
/// The document's member that lists registers.
pub(crate) const REGISTERS: &str = "register_arrays";
/// The document's member that lists action profiles.
pub(crate) const PROFILES: &str = "action_profiles";

/// v1model's enumerations with their members.
const ENUMERATIONS: [(&str, &[&str]); 4] = [
    ("CounterType", &["packets", "bytes", "packets_and_bytes"]),
    ("MeterType", &["packets", "bytes"]),
    (
        "HashAlgorithm",
        &["crc32", "crc32_custom", "crc16", "crc16_custom", "random", "identity", "csum16", "xor16"],
    ),
    ("CloneType", &["I2E", "E2E"]),
];

/// The number of bits of a selector's hash that are used. It is the maximum, because the document
/// does not give a number.
const SELECTOR_BITS: u128 = 64;

impl<'d> Reader<'d> {
    /// Reads all extern objects except action profiles, which belong to pipelines.
    pub(crate) fn read_objects(&mut self) -> Result<()> {
        for node in list(self.root, COUNTERS)? {
            let unit = self.const_member("CounterType", "packets_and_bytes");
            let (kind, args) = if flag(node, "is_direct", false)? {
                ("direct_counter", vec![unit])
            } else {
                ("counter", vec![size(node.require("size")?)?, unit])
            };
            self.add_object(COUNTERS, kind, node, Vec::new(), args)?;
        }
        for node in list(self.root, METERS)? {
            let ty = node.require("type")?;
            let unit = ty.text("the type of a meter")?;
            if !["packets", "bytes"].contains(&unit) {
                return Err(ty.expected("\"packets\" or \"bytes\""));
            }
            let unit = self.const_member("MeterType", unit);
            if flag(node, "is_direct", false)? {
                let target = node.require("result_target")?;
                let var = self.field_of(target)?;
                let ty = self.program.vars[var].ty;
                let name = name(node, "a meter's name")?.to_owned();
                self.meter_results.insert(name, var);
                self.add_object(METERS, "direct_meter", node, vec![ty], vec![unit])?;
            } else {
                let args = vec![size(node.require("size")?)?, unit];
                self.add_object(METERS, "meter", node, Vec::new(), args)?;
            }
        }
        for node in list(self.root, REGISTERS)? {
            let width =
                node.require("bitwidth")?.integer("the width of a cell in bits", 1, u64::from(MAX_WIDTH))?;
            let args = vec![size(node.require("size")?)?];
            self.add_object(REGISTERS, "register", node, vec![Type::bit(width as u32)], args)?;
        }
        if let Some(instance) = list(self.root, "extern_instances")?.first() {
            return Err(unsupported(*instance, "v1model has no extern objects of other types"));
        }
        Ok(())
    }

    /// Adds v1model's enumerations.
    pub(crate) fn add_enumerations(&mut self) {
        for (name, members) in ENUMERATIONS {
            let members = members.iter().map(|member| (*member).to_owned()).collect();
            self.program.enums.push(Enumeration { name: name.to_owned(), members });
        }
    }

    fn add_object(
        &mut self,
        list: &'static str,
        kind: &str,
        node: Node<'_>,
        type_args: Vec<Type>,
        args: Vec<ConstArg>,
    ) -> Result<ExternId> {
        let name = name(node, "an object's name")?.to_owned();
        if self.program.externs.values().any(|known| known.name == name) {
            return Err(node.error(format!("there are two objects \"{name}\"")));
        }
        let loc = self.loc(node);
        let object = self.program.externs.push(ExternInstance {
            name: name.clone(),
            kind: kind.to_owned(),
            type_args,
            declared: Vec::new(),
            factory: None,
            args,
            methods: Vec::new(),
            annotations: Vec::new(),
            loc,
        });
        self.objects.insert((list, name), object);
        Ok(object)
    }

    /// Adds the action profiles of a pipeline. Several pipelines may list the same one.
    pub(crate) fn read_profiles(&mut self, pipeline: Node<'d>) -> Result<()> {
        for node in list(pipeline, PROFILES)? {
            let profile = name(node, "an action profile's name")?.to_owned();
            if self.objects.contains_key(&(PROFILES, profile)) {
                continue;
            }
            let entries = size(node.require("max_size")?)?;
            match optional(node, "selector") {
                None => self.add_object(PROFILES, "action_profile", node, Vec::new(), vec![entries])?,
                Some(selector) => {
                    let algorithm = self.algorithm(selector.require("algo")?)?;
                    let Expr { kind: ExprKind::Const(ordinal), ty } = algorithm else {
                        return Err(selector.error("the algorithm is not a constant"));
                    };
                    let width = ConstArg::Bits(Type::bit(32), Bits::new(32, SELECTOR_BITS));
                    let args = vec![ConstArg::Bits(ty, ordinal), entries, width];
                    self.add_object(PROFILES, "action_selector", node, Vec::new(), args)?
                }
            };
        }
        Ok(())
    }

    fn const_member(&self, enumeration: &str, member: &str) -> ConstArg {
        let (ty, ordinal) = self.member(enumeration, member).expect("v1model has the member");
        ConstArg::Bits(ty, Bits::new(32, ordinal))
    }

    fn member_value(&self, enumeration: &str, member: &str) -> Expr {
        let (ty, ordinal) = self.member(enumeration, member).expect("v1model has the member");
        Expr { kind: ExprKind::Const(Bits::new(32, ordinal)), ty }
    }

    /// Adds the call for a primitive, if it calls an extern.
    pub(crate) fn extern_call(&mut self, call: Primitive<'_, 'd>, out: &mut Vec<Stmt>) -> Result<bool> {
        match call.op {
            "count" => {
                let [counter, index] = call.args()?;
                let object = self.object(COUNTERS, read_typed(counter)?.value)?;
                self.call(call, "counter.count", Some(object), vec![self.argument("index", index)?], out);
            }
            "execute_meter" => {
                let [meter, index, result] = call.args()?;
                let object = self.object(METERS, read_typed(meter)?.value)?;
                let index = self.argument("index", index)?;
                self.call_with_result(
                    call,
                    "meter.execute_meter",
                    Some(object),
                    (result, 1),
                    vec![index],
                    out,
                )?;
            }
            "register_read" => {
                let [result, register, index] = call.args()?;
                let object = self.object(REGISTERS, read_typed(register)?.value)?;
                let index = self.argument("index", index)?;
                self.register_read(call, object, result, index, out)?;
            }
            "register_write" => {
                let [register, index, value] = call.args()?;
                let object = self.object(REGISTERS, read_typed(register)?.value)?;
                let width = self.program.externs[object].type_args[0].width();
                let number = self.number(value)?;
                let value = input("value", at_node(value, crate::number::low_bits(&number, width))?);
                self.call(
                    call,
                    "register.write",
                    Some(object),
                    vec![self.argument("index", index)?, value],
                    out,
                );
            }
            "modify_field_rng_uniform" => {
                let [result, low, high] = call.args()?;
                let bounds = self.bounds(result, [low, high])?;
                self.call_with_result(call, "random", None, (result, 0), bounds, out)?;
            }
            "modify_field_with_hash_based_offset" => {
                let [result, base, calculation, max] = call.args()?;
                let calculated = self.calculation(read_typed(calculation)?.value)?;
                if calculated.with_payload {
                    return Err(unsupported(calculation, "a hash over the payload"));
                }
                let (base, max) = (self.argument("base", base)?, self.argument("max", max)?);
                let args = vec![calculated.algorithm, base, calculated.data, max, calculated.name];
                self.call_with_result(call, "hash", None, (result, 0), args, out)?;
            }
            "generate_digest" => {
                let [receiver, list] = call.args()?;
                self.digest(call, receiver, list, out)?;
            }
            "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress" => {
                let kind = if call.op.starts_with("clone_ingress") { "I2E" } else { "E2E" };
                let kind = input("type", self.member_value("CloneType", kind));
                let [session, list] = match call.args {
                    [session] => [*session, *session],
                    _ => call.args()?,
                };
                let mut args = vec![kind, self.argument("session", session)?];
                let callee = if call.args.len() == 1 {
                    "clone"
                } else {
                    args.push(self.list_number(list)?);
                    "clone_preserving_field_list"
                };
                self.call(call, callee, None, args, out);
            }
            "resubmit" | "recirculate" => {
                let [list] = call.args()?;
                let callee = format!("{}_preserving_field_list", call.op);
                self.call(call, &callee, None, vec![self.list_number(list)?], out);
            }
            "truncate" => {
                let [length] = call.args()?;
                self.call(call, "truncate", None, vec![self.argument("length", length)?], out);
            }
            "assert" | "assume" => {
                let [check] = call.args()?;
                self.call(call, call.op, None, vec![input("check", self.condition(check)?)], out);
            }
            "log_msg" => self.log_msg(call, out)?,
            "mark_to_drop" | "drop" => {
                let (names, vars) = self.dropped_fields(call)?.into_iter().unzip();
                let value = ArgValue::Vars { vars, names };
                let arg = Arg { name: STANDARD.to_owned(), direction: Direction::InOut, value };
                self.call(call, "mark_to_drop", None, vec![arg], out);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the fields of the metadata that a call marks to be dropped. It is v1model's standard
    /// metadata, or a copy of it.
    fn dropped_fields(&self, call: Primitive<'_, '_>) -> Result<Vec<(String, VarId)>> {
        let header = match call.args {
            [] => return Ok(self.standard_metadata()),
            [header] => read_typed(*header)?.value,
            _ => read_typed(call.args::<1>()?[0])?.value,
        };
        let instance = self.instance(header)?;
        if header.text("a header's name")? == STANDARD {
            return Ok(self.standard_metadata());
        }
        if instance.header.is_some() || instance.fields.iter().all(|(name, _)| name != "egress_spec") {
            return Err(unsupported(header, "a header without \"egress_spec\" is marked to be dropped"));
        }
        Ok(instance.fields.clone())
    }

    /// Adds a call of an extern to a block.
    fn call(
        &self,
        primitive: Primitive<'_, '_>,
        callee: &str,
        instance: Option<ExternId>,
        args: Vec<Arg>,
        out: &mut Vec<Stmt>,
    ) {
        let (type_args, declared, result) = (Vec::new(), Vec::new(), Vec::new());
        let call = ExternCall { callee: callee.to_owned(), instance, type_args, declared, args, result };
        out.push(Stmt { kind: StmtKind::Extern(call), loc: primitive.loc });
    }

    /// Adds a call that writes its argument `result`, which is at this position among the
    /// arguments.
    fn call_with_result(
        &mut self,
        call: Primitive<'_, '_>,
        callee: &str,
        instance: Option<ExternId>,
        (target, position): (Node<'_>, usize),
        mut args: Vec<Arg>,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let (var, put) = self.result(self.read_place(target)?, call.loc);
        args.insert(position, output_argument(var));
        self.call(call, callee, instance, args, out);
        out.extend(put);
        Ok(())
    }

    /// Reads a register. The cell and the field may have different widths, but the operands of the
    /// call must have the same width.
    fn register_read(
        &mut self,
        call: Primitive<'_, '_>,
        object: ExternId,
        target: Node<'_>,
        index: Arg,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let place = self.read_place(target)?;
        let (cell, ty) = (self.program.externs[object].type_args[0], self.place_type(&place));
        if ty == cell {
            return self.call_with_result(call, "register.read", Some(object), (target, 0), vec![index], out);
        }
        let var = self.temporary(cell);
        self.call(call, "register.read", Some(object), vec![output_argument(var), index], out);
        let value = crate::number::cast(self.read(var), ty);
        out.push(Stmt { kind: StmtKind::Assign(place, value), loc: call.loc });
        Ok(())
    }

    /// Reads an input argument of an extern.
    pub(crate) fn argument(&self, name: &str, node: Node<'_>) -> Result<Arg> {
        let number = self.number(node)?;
        Ok(input(name, at_node(node, unsigned(&number))?))
    }

    /// Reads the bounds of a random number, both in the width of the result.
    fn bounds(&self, result: Node<'_>, bounds: [Node<'_>; 2]) -> Result<Vec<Arg>> {
        let mut width = self.place_type(&self.read_place(result)?).width();
        for bound in bounds {
            width = width.max(at_node(bound, unsigned(&self.number(bound)?))?.ty.width());
        }
        let arg = |name: &str, node: Node<'_>| {
            let number = self.number(node)?;
            Ok(input(name, at_node(node, crate::number::low_bits(&number, width))?))
        };
        Ok(vec![arg("lo", bounds[0])?, arg("hi", bounds[1])?])
    }

    /// Returns the argument with the number of a field list, which is a constant.
    fn list_number(&self, node: Node<'_>) -> Result<Arg> {
        match self.number(node)? {
            Number::Const(number) if (BigInt::from(0)..=BigInt::from(255)).contains(&number) => {
                Ok(input("index", constant(Type::bit(8), &number)))
            }
            _ => Err(node.error("expected the number of a field list, a constant from 0 to 255")),
        }
    }

    fn log_msg(&self, call: Primitive<'_, '_>, out: &mut Vec<Stmt>) -> Result<()> {
        let (text, values) = match call.args {
            [text] => (*text, None),
            _ => {
                let [text, values] = call.args()?;
                (text, Some(values))
            }
        };
        let text = read_typed(text)?.value.text("a message")?.to_owned();
        let value = ArgValue::Text(text);
        let mut args = vec![Arg { name: "msg".to_owned(), direction: Direction::In, value }];
        if let Some(values) = values {
            let values = values.require("value")?;
            let mut leaves = Vec::new();
            // Without values p4c writes an empty object.
            if !matches!(values.value().kind, Kind::Object(_)) {
                for value in values.items()? {
                    leaves
                        .push(Leaf::Value(at_node(value, crate::number::exact_value(&self.number(value)?))?));
                }
            }
            let value = ArgValue::Leaves(leaves);
            args.push(Arg { name: "data".to_owned(), direction: Direction::In, value });
        }
        self.call(call, "log_msg", None, args, out);
        Ok(())
    }
}

/// Makes the output argument `result`, which writes a variable.
pub(crate) fn output_argument(var: VarId) -> Arg {
    let value = ArgValue::Vars { vars: vec![var], names: Vec::new() };
    Arg { name: "result".to_owned(), direction: Direction::Out, value }
}

/// Reads a number of cells as an argument of a constructor.
fn size(node: Node<'_>) -> Result<ConstArg> {
    let size = node.integer("a size", 0, u64::from(u32::MAX))?;
    Ok(ConstArg::Bits(Type::bit(32), Bits::new(32, u128::from(size))))
}
