//! `DirectRegister`: a cell for each table entry. The actions of the table call its methods.
//! An object that no table names has a single cell.

use weir_exec::FrameValue;
use weir_ir::Table;

use super::super::tables::REGISTER;
use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::{initial_words, portable::owner};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::ResolvedCall;

pub(super) struct DirectRegister;

impl Extern<Lengths> for DirectRegister {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("DirectRegister.read"), Call::in_all_blocks("DirectRegister.write")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["DirectRegister"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let widths = object.instance.type_args.iter().map(|ty| ty.width());
        let fields: Vec<_> = widths.enumerate().map(|(number, width)| (number.to_string(), width)).collect();
        let initial = initial_words(object, 0, &fields)?;
        let is_attached = |table: &Table| table.attached.iter().any(|(_, of)| *of == object.id);
        if !object.program.tables.values().any(is_attached) {
            return Ok(ExternState::register(1, fields, initial, true));
        }
        Ok(ExternState::DirectRegister { fields, initial })
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let object = site.object()?;
        let is_read = site.call.callee.ends_with(".read");
        let values = if is_read { site.frame.result.clone() } else { site.values(0)? };
        let (fields, table) = match &site.objects[object.index()] {
            ExternState::DirectRegister { fields, .. } => (fields, Some(owner(site, REGISTER)?)),
            ExternState::Register(register) => (&register.fields, None),
            _ => return Ok(ResolvedCall::no_effect()),
        };
        if values.is_empty() {
            return Ok(ResolvedCall::no_effect());
        }
        let is_plain = |value: &FrameValue| value.if_valid.is_none() && value.length_at.is_none();
        let fits = values.iter().map(|value| value.width).eq(fields.iter().map(|(_, width)| *width));
        if !fits || !values.iter().all(is_plain) {
            let kind = &site.program.externs[object].name;
            return Err(site.unsupported(format!("a cell of `{kind}` that consists of headers"), None));
        }
        let at = values[0].at;
        Ok(ResolvedCall::new(move |env, words| {
            let cell = match table {
                Some(table) => {
                    env.context.thread.register_lock.acquire();
                    let slot = env.last_found(table);
                    let view = env.context.control.tables.get(table);
                    slot.and_then(|slot| view.register(slot))
                }
                None => env.register(object).map(|register| (register, 0)),
            };
            if let Some((cells, index)) = cell {
                if is_read {
                    cells.read_words(index, &mut words[at..]);
                } else {
                    cells.write_words(index, &words[at..]);
                }
            }
            Ok(())
        }))
    }
}
