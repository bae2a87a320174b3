//! Handles the reads and writes of controllers.

use tonic::Status;
use weir_device::Port;

use super::programs::no_program;
use super::{Device, WritePermit, locked};
use crate::entities::{self, ReadLimits};
use crate::proto::v1;
use crate::sessions::RoleName;

/// The maximum number of ports for which a device warns about lost packets.
const MAX_WARNED: usize = 512;

impl Device {
    /// Makes the changes of a request.
    ///
    /// # Errors
    /// `FAILED_PRECONDITION` if there is no program yet, and the errors of [`entities::write`].
    pub fn write(&self, request: &v1::WriteRequest, permit: &WritePermit<'_>) -> Result<(), Status> {
        let may_write = |id| permit.config.as_ref().is_none_or(|config| config.may_write(id));
        let mut lost: Vec<(Port, String)> = Vec::new();
        let outcome = self.with_switch(|switch, now| {
            let mut programs = locked(&self.programs);
            let (pipeline, switch) = programs.controlled(switch).ok_or_else(no_program)?;
            let outcome = entities::write(pipeline, switch, now, request, &may_write);
            let packets = pipeline.take_lost_packets();
            lost.extend(packets.into_iter().map(|packets| (packets.port, packets.to_string())));
            let control = switch.control_at(now);
            let copies = entities::copiers(request).flat_map(|copier| control.lost_copies(copier));
            lost.extend(copies.map(|copies| (copies.port, copies.to_string())));
            outcome
        })?;
        self.warn_of(&lost);
        outcome
    }

    /// Warns about lost packets and copies, once for each port.
    fn warn_of(&self, lost: &[(Port, String)]) {
        for (port, text) in lost {
            let mut warned = locked(&self.warned_ports);
            if warned.len() < MAX_WARNED && warned.insert(*port) {
                drop(warned);
                self.owner.warn(text);
            }
        }
    }

    /// Reads the requested entities, all at one point in time, and passes them to `sink` in parts.
    ///
    /// # Errors
    /// `FAILED_PRECONDITION` if there is no program yet, and the errors of [`entities::read`].
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
