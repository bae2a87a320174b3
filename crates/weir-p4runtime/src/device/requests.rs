//! Reads and writes of controllers.

use tonic::Status;

use super::programs::no_program;
use super::{Device, WritePermit, locked};
use crate::entities::{self, ReadLimits};
use crate::proto::v1;
use crate::sessions::RoleName;

impl Device {
    /// Makes the changes of a request.
    ///
    /// # Errors
    /// `FAILED_PRECONDITION` before there is a program; those of [`entities::write`].
    pub fn write(&self, request: &v1::WriteRequest, permit: &WritePermit<'_>) -> Result<(), Status> {
        let may_write = |id| permit.config.as_ref().is_none_or(|config| config.may_write(id));
        self.with_switch(|switch, now| {
            let mut programs = locked(&self.programs);
            let (pipeline, switch) = programs.controlled(switch).ok_or_else(no_program)?;
            entities::write(pipeline, switch, now, request, &may_write)
        })?
    }

    /// Reads the requested entities, all at one point in time, and passes them to `sink` in parts.
    ///
    /// # Errors
    /// `FAILED_PRECONDITION` before there is a program; those of [`entities::read`].
    pub fn read(
        &self,
        request: &v1::ReadRequest,
        limits: ReadLimits,
        sink: &mut dyn FnMut(v1::ReadResponse) -> bool,
    ) -> Result<(), Status> {
        let role = RoleName::new(&request.role, 0);
        let config = self.sessions().arbitration().config(&role).cloned();
        let may_read = |id| config.as_ref().is_none_or(|config| config.may_write(id));
        self.with_switch(|switch, now| {
            let mut programs = locked(&self.programs);
            let (pipeline, switch) = programs.controlled(switch).ok_or_else(no_program)?;
            entities::read(limits, pipeline, switch, now, &request.entities, &may_read, sink)
        })?
    }
}
