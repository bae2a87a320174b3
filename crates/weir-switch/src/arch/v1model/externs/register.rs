//! `register`: an array of values that packets read and write.

use weir_exec::FrameValue;
use weir_ir::{Arg, ArgValue, ExternCall, Leaf, Program, Type, VarId};

use super::{Call, Extern, Site, V1Model};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::register::RegisterArray;
use crate::path::{ResolvedCall, number};

pub(super) struct Register;

impl Extern<V1Model> for Register {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("register.read"), Call::in_all_blocks("register.write")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["register"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        match object.instance.type_args.first() {
            Some(Type::Varbit { .. }) | None => Err(object.malformed("its cells must have a fixed width")),
            Some(ty) => {
                let fields = cell_fields(object).unwrap_or_else(|| vec![(String::new(), ty.width())]);
                let size = object.cells(0, RegisterArray::cell_bytes(&fields))?;
                Ok(ExternState::register(size, fields, needs_lock(object)))
            }
        }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        refuse_varbits(site)?;
        let object = site.object()?;
        if site.call.callee == "register.read" {
            let (cell, index) = (cell(site, 0)?, site.value(1)?);
            return Ok(ResolvedCall::new(move |env, words| {
                if let (Some(register), Some(at)) = (env.register(object), cell) {
                    // An index of more than 64 bits is past the end.
                    register.read_words(number(words, index).unwrap_or(u64::MAX), &mut words[at..]);
                }
                Ok(())
            }));
        }
        let (index, cell) = (site.value(0)?, cell(site, 1)?);
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

/// Whether packets hold the register lock while they use the register. They do if the program both
/// reads and writes it: programs for BMv2 rely on this being one step, at least within an action.
/// In a program with `@atomic` code, they also do if the program only writes the register.
fn needs_lock(object: &Object<'_>) -> bool {
    let is_written = object.is_called("register.write");
    is_written && (object.program.atomic || object.is_called("register.read"))
}

fn refuse_varbits(site: &Site<'_>) -> Result<(), LoadError> {
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

/// The position in a call's frame where the words of a cell begin, if the argument has the same
/// fields as the register's cells. The validity of a header comes before its fields, in the frame
/// as in a cell.
fn cell(site: &Site<'_>, position: usize) -> Result<Option<usize>, LoadError> {
    let ExternState::Register(register) = &site.objects[site.object()?.index()] else { return Ok(None) };
    let mut fields = Vec::new();
    let mut valid = None;
    for value in site.values(position)? {
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

/// The fields of a register's cells with their widths, from the calls that read and write it;
/// `None` if there is no call.
fn cell_fields(object: &Object<'_>) -> Option<Vec<(String, u32)>> {
    let program = object.program;
    let read = |call: &ExternCall| match (call.callee.as_str(), &call.args.first()?.value) {
        ("register.read", ArgValue::Vars { vars, names }) => {
            let width = |var: &VarId| program.vars[*var].ty.width();
            let names = names.iter().cloned().chain(std::iter::repeat(String::new()));
            Some(names.zip(vars.iter().map(width)).collect())
        }
        _ => None,
    };
    let written = |call: &ExternCall| match (call.callee.as_str(), &call.args.get(1)?.value) {
        ("register.write", ArgValue::Leaves(leaves)) => Some(written_fields(program, leaves)),
        _ => None,
    };
    let calls = || object.calls.iter().copied();
    calls().find_map(read).or_else(|| calls().find_map(written))
}

/// The fields of a value that is written to a register. They have no names, because only calls that
/// read have names. A header's validity is the first of its fields.
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

    /// The registers for which packets hold the register lock, in a program whose ingress has these
    /// statements.
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
            .with("core.p4", include_str!("../../../../../../p4include/core.p4"))
            .with("v1model.p4", include_str!("../../../../../../p4include/v1model.p4"));
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
