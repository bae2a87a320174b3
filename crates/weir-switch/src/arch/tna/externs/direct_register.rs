//! `DirectRegister`: a cell for each table entry. The actions of the table call its methods.
//! An object that no table names has a single cell.

use weir_exec::FrameValue;
use weir_ir::{ExternId, Table, TableId};

use super::super::tables::REGISTER;
use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::{initial_words, portable::owner};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::register::RegisterArray;
use crate::path::{ExternContext, ResolvedCall};

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
        Ok(state(object, fields, initial))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let object = site.object()?;
        let is_read = site.call.callee.ends_with(".read");
        let values = if is_read { site.frame.result.clone() } else { site.values(0)? };
        let fields = match &site.objects[object.index()] {
            ExternState::DirectRegister { fields, .. } => fields,
            ExternState::Register(register) => &register.fields,
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
        let cells = Cells::of(site, REGISTER)?;
        Ok(ResolvedCall::new(move |env, words| {
            if let Some((cells, index)) = cells.find(env, Some(0)) {
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

/// Creates the state of an object that has a cell for each entry of the table that names it.
pub(super) fn state(
    object: &Object<'_>,
    fields: Vec<(String, u32)>,
    initial: Option<Vec<u64>>,
) -> ExternState {
    let is_attached = |table: &Table| table.attached.iter().any(|(_, of)| *of == object.id);
    if !object.program.tables.values().any(is_attached) {
        return ExternState::register(1, fields, initial, true);
    }
    ExternState::DirectRegister { fields, initial }
}

/// The place of an object's cells.
#[derive(Clone, Copy)]
pub(super) enum Cells {
    /// The entries of a table have them.
    OfEntries(TableId),
    /// The object has them.
    OfObject(ExternId),
}

impl Cells {
    /// Returns the place of the cells that a call uses. Tables name objects with a cell for each
    /// entry in this property.
    pub(super) fn of(site: &Site<'_>, property: &str) -> Result<Self, LoadError> {
        let object = site.object()?;
        Ok(match &site.objects[object.index()] {
            ExternState::DirectRegister { .. } => Self::OfEntries(owner(site, property)?),
            _ => Self::OfObject(object),
        })
    }

    /// Returns the register that has the cell of the entry that was found last, or the cell at an
    /// index, and the cell's index in it.
    pub(super) fn find<'b>(
        self,
        env: &mut ExternContext<'_, 'b>,
        index: Option<u64>,
    ) -> Option<(&'b RegisterArray, u64)> {
        match self {
            Self::OfEntries(table) => {
                env.context.thread.register_lock.acquire();
                let slot = env.last_found(table)?;
                env.context.control.tables.get(table).register(slot)
            }
            Self::OfObject(object) => {
                let (register, index) = (env.register(object)?, index?);
                (index < register.size() as u64).then_some((register, index))
            }
        }
    }
}
