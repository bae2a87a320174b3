//! Packet generators.

use weir_device::Port;

use super::undo::Undo;
use super::{Control, ControlError, Update};
use crate::generators::{GeneratorApp, GeneratorCounts, GeneratorPort};

impl Control<'_> {
    /// Returns the settings of an application of a pipe's packet generator, if it is set, and its
    /// counts.
    pub fn generator(&self, pipe: Port, app: u8) -> (Option<GeneratorApp>, GeneratorCounts) {
        let (config, counts) = self.state.generators.app(pipe, app);
        (config.cloned(), counts)
    }

    /// Returns the buffer of a pipe's packet generator, up to the last byte that was written.
    pub fn generator_buffer(&self, pipe: Port) -> &[u8] {
        self.state.generators.buffer(pipe)
    }

    /// Returns the part of a port in the generation of packets.
    pub fn generator_port(&self, port: Port) -> GeneratorPort {
        self.state.generators.port(port)
    }

    /// Applies an update of packet generators.
    pub(super) fn change_generators(&mut self, update: &Update) -> Result<Undo, ControlError> {
        let old = self.state.generators.clone();
        let (now, generators) = (self.now, &mut self.state.generators);
        let changed = match update {
            Update::SetGenerator { pipe, app, config } => {
                generators.set_app(now, (*pipe, *app), config.clone())
            }
            Update::SetGeneratorCounts { pipe, app, counts } => generators.set_counts((*pipe, *app), *counts),
            Update::WriteGeneratorBuffer { pipe, offset, bytes } => {
                generators.write_buffer(*pipe, *offset, bytes)
            }
            Update::SetGeneratorPort { port, settings } => generators.set_port(*port, *settings),
            Update::RearmGenerator { port } => generators.rearm(*port),
            _ => unreachable!("only updates of generators come here"),
        };
        changed.map_err(ControlError::Generator)?;
        Ok(Undo::Generators(Box::new(old)))
    }
}
