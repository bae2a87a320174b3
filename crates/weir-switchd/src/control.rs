//! Lends the switch to the P4Runtime server.

use std::sync::Arc;

use weir_device::{Device, Nanos, Packet, Port};
use weir_p4runtime::{SwitchOwner, Texts, Unavailable};
use weir_switch::Switch;

use crate::plane::Plane;

/// A switch between interfaces, as the P4Runtime server uses it.
pub struct Owner(pub Arc<Plane>);

impl SwitchOwner for Owner {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable> {
        self.0.try_with_switch(act).ok_or(Unavailable)
    }

    fn receive(&self, port: Port, frame: &[u8]) -> Result<(), Unavailable> {
        let packet = Packet::new(0, frame.to_vec());
        // The first worker sends the resulting packets.
        self.0.try_with_switch(|switch, now| switch.receive(now, port, packet)).ok_or(Unavailable)
    }

    fn shows_program(&self) -> bool {
        true
    }

    fn cpu_port(&self) -> Option<Port> {
        self.0.cpu_port
    }

    fn warn(&self, problem: &str) {
        tracing::warn!(switch = self.0.name, "{problem}");
    }

    fn log(&self, line: &str) {
        tracing::info!(switch = self.0.name, "{line}");
    }

    fn prepare(&self, switch: &mut Switch) {
        // Otherwise, frames would wait for machine code, up to a second for large programs.
        switch.compile_ahead();
    }

    fn texts(&self) -> Arc<Texts> {
        self.0.translations().texts
    }
}
