//! `DirectCounter` and `DirectMeter`: a count or a meter for each table entry. The actions of
//! the table call their methods.

use weir_ir::{ExternInstance, TableId};

use super::{Call, CallSite, Extern, Length};
use crate::arch::externs::Object;
use crate::arch::families::{Colours, Out, meters_bytes, unit};
use crate::error::LoadError;
use crate::externs::meter::Colour;
use crate::externs::{ExternState, UseAt};
use crate::path::{ResolvedCall, write_value};

/// The counter. Tables name it in this property.
pub(in crate::arch) struct DirectCounter(pub &'static str);

impl<A> Extern<A> for DirectCounter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("DirectCounter.count")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["DirectCounter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::DirectCounter { unit: unit(object)?, use_at: UseAt::Call })
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let (table, length) = (owner(site, self.0)?, Length::of(site));
        Ok(ResolvedCall::new(move |env, words| {
            let length = length.read(env.length, words);
            if let Some(slot) = env.last_found(table) {
                env.context.control.tables.get(table).count(slot, length);
            }
            Ok(())
        }))
    }
}

/// The meter.
pub(in crate::arch) struct DirectMeter {
    /// The property in which tables name it.
    pub property: &'static str,
    pub colours: Colours,
    /// The numbers of the colours in results, if the program chooses them for each object.
    pub results: fn(&ExternInstance) -> Option<Colours>,
}

impl<A> Extern<A> for DirectMeter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("DirectMeter.execute"), Call::in_all_blocks("DirectMeter.dpdk_execute")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["DirectMeter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::DirectMeter { bytes: meters_bytes(object)?, use_at: UseAt::Call })
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let (table, result) = (owner(site, self.property)?, Out::Result.value(site)?);
        let colours = self.colours;
        let results = (self.results)(&site.program.externs[site.object()?]).unwrap_or(colours);
        let (before, length) = (site.named("color"), Length::of(site));
        Ok(ResolvedCall::new(move |env, words| {
            let length = length.read(env.length, words);
            let (before, now) = (colours.read(before, words), env.context.now);
            let metered = env
                .last_found(table)
                .and_then(|slot| env.context.control.tables.get(table).meter(slot, now, length, before));
            if let Some(result) = result {
                let colour = metered.unwrap_or(Colour::Green);
                write_value(words, result, u128::from(results.number(colour)));
            }
            Ok(())
        }))
    }
}

/// Returns the table that names the object in this property.
pub(in crate::arch) fn owner<A>(site: &CallSite<'_, A>, property: &str) -> Result<TableId, LoadError> {
    let object = site.object()?;
    let attached = |table: &weir_ir::Table| table.attached.iter().any(|(_, attached)| *attached == object);
    let found = site.program.tables.iter().find(|(_, table)| attached(table));
    found.map(|(id, _)| id).ok_or_else(|| {
        let instance = &site.program.externs[object];
        let name = instance.name.rsplit('.').next().unwrap_or(&instance.name);
        let problem = format!("the {} `{}` belongs to no table", instance.kind, instance.name);
        let help = format!("write `{property} = {name};` in the table whose actions call it");
        LoadError { help: Some(help), ..LoadError::malformed(site.program, site.loc, problem) }
    })
}
