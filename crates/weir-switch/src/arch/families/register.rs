//! Arrays of values that packets read and write.

use weir_exec::FrameValue;
use weir_ir::{Arg, ArgValue, Bits, ConstArg, ExternCall, Leaf, Program, Type, VarId};

use super::{Call, CallSite, Extern, Object, Out};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::register::RegisterArray;
use crate::path::{ResolvedCall, number};

/// A type of registers. Its methods take the index, except that `read` may have an argument for the
/// cell before it. `write` takes the cell after the index.
pub(in crate::arch) struct Register {
    pub types: &'static [&'static str],
    /// The methods `read` and `write`.
    pub calls: &'static [Call; 2],
    /// The place to which `read` writes the cell.
    pub cell: Out,
}

impl<A> Extern<A> for Register {
    fn calls(&self) -> &'static [Call] {
        self.calls
    }

    fn types(&self) -> &'static [&'static str] {
        self.types
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        match object.instance.type_args.first() {
            Some(Type::Varbit { .. }) | None => Err(object.malformed("its cells must have a fixed width")),
            Some(ty) => {
                let fields = self.cell_fields(object).unwrap_or_else(|| vec![(String::new(), ty.width())]);
                let size = object.cells(0, RegisterArray::cell_bytes(&fields))?;
                let initial = initial_words(object, 1, &fields)?;
                Ok(ExternState::register(size, fields, initial, self.needs_lock(object)))
            }
        }
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        refuse_varbits(site)?;
        let object = site.object()?;
        if site.call.callee == self.calls[0].name {
            let index = match self.cell {
                Out::Argument(position) => site.value(position + 1)?,
                Out::Result => site.value(0)?,
            };
            let cell = cell(site, self.cell.values(site)?)?;
            return Ok(ResolvedCall::new(move |env, words| {
                if let (Some(register), Some(at)) = (env.register(object), cell) {
                    // An index of more than 64 bits is past the end.
                    register.read_words(number(words, index).unwrap_or(u64::MAX), &mut words[at..]);
                }
                Ok(())
            })
            .only_reading());
        }
        let (index, cell) = (site.value(0)?, cell(site, site.values(1)?)?);
        Ok(ResolvedCall::new(move |env, words| {
            if let (Some(index), Some(register), Some(at)) =
                (number(words, index), env.register(object), cell)
            {
                register.write_words(index, &words[at..]);
            }
            Ok(())
        }))
    }
}

impl Register {
    /// Returns whether packets hold the register lock while they use the register. Packets hold the
    /// lock if the program both reads and writes the register: programs for BMv2 rely on this being
    /// one step, at least within an action. In a program with `@atomic` code, packets also hold the
    /// lock if the program only writes the register.
    fn needs_lock(&self, object: &Object<'_>) -> bool {
        let [read, write] = self.calls;
        object.is_called(write.name) && (object.program.atomic || object.is_called(read.name))
    }

    /// Returns the fields of a register's cells with their widths, from the calls that read and
    /// write it; `None` if there is no call.
    fn cell_fields(&self, object: &Object<'_>) -> Option<Vec<(String, u32)>> {
        let program = object.program;
        let [read, write] = self.calls;
        let of_read = |call: &ExternCall| {
            let (vars, names) = match self.cell {
                Out::Result => (&call.result, &[][..]),
                Out::Argument(position) => match &call.args.get(position)?.value {
                    ArgValue::Vars { vars, names } => (vars, &names[..]),
                    _ => return None,
                },
            };
            let width = |var: &VarId| program.vars[*var].ty.width();
            let numbered = matches!(self.cell, Out::Result) && vars.len() > 1;
            let unnamed = |number: usize| if numbered { number.to_string() } else { String::new() };
            let name = |number: usize| names.get(number).cloned().unwrap_or_else(|| unnamed(number));
            let fields = vars.iter().enumerate().map(|(number, var)| (name(number), width(var)));
            Some(fields.collect::<Vec<_>>()).filter(|fields| !fields.is_empty())
        };
        let of_written = |call: &ExternCall| match &call.args.get(1)?.value {
            ArgValue::Leaves(leaves) => Some(written_fields(program, leaves)),
            _ => None,
        };
        let calls = |method: &'static str| {
            object.calls.iter().copied().filter(move |call: &&ExternCall| call.callee == method)
        };
        calls(read.name).find_map(of_read).or_else(|| calls(write.name).find_map(of_written))
    }
}

/// Returns the words that all cells have at the start, from the constructor argument at this
/// position; `None` if the words are all 0.
pub(in crate::arch) fn initial_words(
    object: &Object<'_>,
    position: usize,
    fields: &[(String, u32)],
) -> Result<Option<Vec<u64>>, LoadError> {
    let Some(value) = object.instance.args.get(position) else { return Ok(None) };
    let mut values = Vec::new();
    flatten(value, &mut values);
    if !values.iter().map(Bits::width).eq(fields.iter().map(|(_, width)| *width)) {
        return Err(object.malformed("its initial value has other fields than its cells"));
    }
    let mut words = Vec::new();
    for value in &values {
        let start = words.len();
        words.resize(start + value.width().div_ceil(64) as usize, 0);
        value.write_words(&mut words[start..]);
    }
    Ok(words.iter().any(|word| *word != 0).then_some(words))
}

/// Collects the numbers of a constant argument, including those in lists.
fn flatten(value: &ConstArg, values: &mut Vec<Bits>) {
    match value {
        ConstArg::Bits(_, bits) => values.push(bits.clone()),
        ConstArg::List(members) => members.iter().for_each(|member| flatten(member, values)),
        ConstArg::Text(_) | ConstArg::Extern(_) => {}
    }
}

fn refuse_varbits<A>(site: &CallSite<'_, A>) -> Result<(), LoadError> {
    let varbit = |var: &VarId| matches!(site.program.vars[*var].ty, Type::Varbit { .. });
    let of_varbit = |arg: &Arg| match &arg.value {
        ArgValue::Leaves(leaves) => leaves.iter().any(|leaf| match leaf {
            Leaf::Header(id) => site.program.headers[*id].fields.iter().any(varbit),
            Leaf::Value(expr) => matches!(expr.ty, Type::Varbit { .. }),
        }),
        ArgValue::Vars { vars, .. } => vars.iter().any(varbit),
        ArgValue::Text(_) | ArgValue::Extern(_) => false,
    };
    if site.call.args.iter().any(of_varbit) {
        let help = "cells have a fixed width: use a bit<W> as wide as the varbit can become";
        return Err(
            site.unsupported("a register whose cells hold a varbit".to_owned(), Some(help.to_owned()))
        );
    }
    Ok(())
}

/// Returns the position in a call's frame where the words of a cell begin, if the argument at this
/// position has the fields of the register's cells.
pub(in crate::arch) fn written_cell<A>(
    site: &CallSite<'_, A>,
    position: usize,
) -> Result<Option<usize>, LoadError> {
    cell(site, site.values(position)?)
}

/// Returns the position in a call's frame where the words of a cell begin, if these values are the
/// fields of the register's cells. The validity of a header comes before its fields, in the frame
/// as in a cell.
fn cell<A>(site: &CallSite<'_, A>, values: Vec<FrameValue>) -> Result<Option<usize>, LoadError> {
    let ExternState::Register(register) = &site.objects[site.object()?.index()] else { return Ok(None) };
    let mut fields = Vec::new();
    let mut valid = None;
    for value in values {
        if value.if_valid != valid {
            valid = value.if_valid;
            let validity = |at| FrameValue { at, width: 1, if_valid: None, length_at: None };
            fields.extend(valid.map(validity));
        }
        fields.push(value);
    }
    let widths = register.fields.iter().map(|(_, width)| *width);
    let fits = fields.iter().map(|field| field.width).eq(widths);
    Ok(fields.first().map(|field| field.at).filter(|_| fits))
}

/// Returns the fields of a value that is written to a register. The fields have no names, because
/// only calls that read have names. A header's validity is the first of its fields.
fn written_fields(program: &Program, leaves: &[Leaf]) -> Vec<(String, u32)> {
    if let [Leaf::Value(expr)] = leaves {
        return vec![(String::new(), expr.ty.width())];
    }
    let width = |var: &VarId| program.vars[*var].ty.width();
    let widths = leaves.iter().flat_map(|leaf| match leaf {
        Leaf::Value(expr) => vec![expr.ty.width()],
        Leaf::Header(id) => {
            let header = &program.headers[*id];
            std::iter::once(&header.valid).chain(&header.fields).map(width).collect()
        }
    });
    widths.enumerate().map(|(index, width)| (index.to_string(), width)).collect()
}

#[cfg(test)]
mod tests {
    use weir_syntax::preprocess::MemoryLoader;

    use super::*;

    /// Returns the registers for which packets hold the register lock, in a program whose ingress
    /// has these statements.
    fn locked_registers(statements: &str) -> Vec<String> {
        let text = format!(
            "#include <v1model.p4>
             struct nothing {{}}
             parser P(packet_in p, out nothing h, inout nothing m, inout standard_metadata_t s) {{
                 state start {{ transition accept; }}
             }}
             control V(inout nothing h, inout nothing m) {{ apply {{}} }}
             control I(inout nothing h, inout nothing m, inout standard_metadata_t s) {{
                 register<bit<32>>(4) both;
                 register<bit<32>>(4) read;
                 register<bit<32>>(4) written;
                 counter(4, CounterType.packets) counted;
                 meter(4, MeterType.packets) metered;
                 bit<32> x;
                 apply {{
                     both.read(x, 1);
                     if (x > 7) {{ both.write(1, x + 1); }}
                     read.read(x, 2);
                     written.write(x, 3);
                     counted.count(x);
                     metered.execute_meter(3, x);
                     {statements}
                 }}
             }}
             control E(inout nothing h, inout nothing m, inout standard_metadata_t s) {{ apply {{}} }}
             control U(inout nothing h, inout nothing m) {{ apply {{}} }}
             control D(packet_out p, in nothing h) {{ apply {{}} }}
             V1Switch(P(), V(), I(), E(), U(), D()) main;"
        );
        let loader = MemoryLoader::new()
            .with("locks.p4", &text)
            .with("core.p4", include_str!("../../../../../p4include/core.p4"))
            .with("v1model.p4", include_str!("../../../../../p4include/v1model.p4"));
        let result = weir_compiler::compile("locks.p4", &loader, &[]);
        let Some(program) = result.program else {
            panic!("{}", result.diagnostics.render(&result.source_map, false))
        };
        let program = crate::arch::bind(program).expect("it is of v1model");
        let states =
            crate::arch::load(&program, &crate::arch::Settings::default()).expect("it is of v1model").externs;
        let objects = program.externs.values().zip(states).filter(|(_, state)| match state {
            ExternState::Register(register) => register.needs_lock,
            ExternState::Meter(meter) => meter.needs_lock,
            _ => false,
        });
        objects.map(|(object, _)| object.name.clone()).collect()
    }

    #[test]
    fn reads_then_writes_need_the_lock() {
        assert_eq!(locked_registers(""), ["I.both"]);
        assert_eq!(locked_registers("@atomic { s.egress_spec = 1; }"), ["I.both", "I.written", "I.metered"]);
    }
}
