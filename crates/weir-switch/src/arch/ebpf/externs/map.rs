//! `array_table` and `hash_table`: the kind and size of the map that holds a table.

use super::super::tables::MAPS;
use super::{Extern, Hidden};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;

pub(super) struct Map;

impl Extern<Hidden> for Map {
    fn types(&self) -> &'static [&'static str] {
        MAPS
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        match object.size(0)?.to_u64() {
            Some(0) => Err(object.malformed("a map has room for at least one entry")),
            _ => Ok(ExternState::Stateless),
        }
    }
}
