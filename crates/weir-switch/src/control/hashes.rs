//! Hashes whose function and inputs controllers set.

use std::sync::Arc;

use weir_ir::{Bits, ExternId};

use super::undo::Undo;
use super::{Control, ControlError, HashSettings};
use crate::externs::ExternState;
use crate::externs::hash_object::HashObject;
use crate::externs::profile::choose_member;

impl Control<'_> {
    /// Returns the settings of a hash.
    pub fn hash(&self, hash: ExternId) -> Result<&HashSettings, ControlError> {
        self.hash_object(hash).map(|object| &object.settings)
    }

    /// Computes a hash of the values that the program passes.
    pub fn compute_hash(&self, hash: ExternId, values: &[Bits]) -> Result<Bits, ControlError> {
        let object = self.hash_object(hash)?;
        Ok(Bits::new(object.width, object.compute(values)))
    }

    /// Returns the member of a selector's group that packets with this hash get; `None` if there is
    /// no such group, or no member that can be chosen.
    pub fn member_for(&self, selector: ExternId, group: u32, hash: u64) -> Result<Option<u32>, ControlError> {
        let profile = self.known_profile(selector)?;
        let Some(members) = profile.groups.get(&group) else { return Ok(None) };
        let chosen = choose_member(members, profile.flow(hash), &self.state.settings.down_ports);
        Ok(chosen.map(|position| members[position].member))
    }

    pub(super) fn set_hash(&mut self, hash: ExternId, settings: &HashSettings) -> Result<Undo, ControlError> {
        let new = self.hash_object(hash)?.with_settings(settings.clone());
        let state = self.state.extern_mut(hash);
        Ok(Undo::Cells(hash, Box::new(std::mem::replace(state, ExternState::Hash(Arc::new(new))))))
    }

    fn hash_object(&self, id: ExternId) -> Result<&HashObject, ControlError> {
        match self.state.settings.externs.get(id.index()) {
            Some(ExternState::Hash(object)) => Ok(object),
            _ => Err(ControlError::NoSuchExtern { what: "hash", id }),
        }
    }
}
