//! `Digest`: messages to the control plane. A message has the name of the object.

use weir_ir::DataType;
use weir_ir::declared::data_types;

use super::{Call, CallSite, Extern};
use crate::arch::externs::Object;
use crate::arch::families::send;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::ResolvedCall;

/// With the calls of an architecture, and the blocks that may make them.
pub(in crate::arch) struct Digest(pub &'static [Call]);

impl<A> Extern<A> for Digest {
    fn calls(&self) -> &'static [Call] {
        self.0
    }

    fn types(&self) -> &'static [&'static str] {
        &["Digest"]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let object = &site.program.externs[site.object()?];
        let mut types = data_types(&object.declared, &object.type_args);
        let data = if types.len() == 1 { types.remove(0) } else { DataType::Tuple(types) };
        send(site, &object.name, (0, &data), None)
    }
}
