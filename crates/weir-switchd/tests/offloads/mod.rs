//! Tests programs with GSO frames and partial checksums: the same bits must leave the switch with
//! and without offloads.

mod counts;
mod nat;
#[path = "../../../weir-ports/tests/common/mod.rs"]
mod packets;
mod programs;
mod random;
mod rules;

use std::sync::Arc;

use weir_device::Port;
use weir_load::FileLoader;
use weir_ports::offload::{Malformed, for_interface};
use weir_ports::{Batch, Frame, Metadata, Offloads, Receive, memory};
use weir_switch::{Switch, SwitchConfig};
use weir_switchd::plane::{Engine, Outputs, Plane, SendingPort};
use weir_switchd::{Captures, GsoChoice};

const PORTS: [Port; 3] = [1, 2, 3];
const ALL: Offloads = Offloads { checksum: true, gso: true };

/// A switch with three ports, and the other ends of these ports.
struct Rig {
    plane: Arc<Plane>,
    engine: Engine,
    ends: Vec<Box<dyn Receive>>,
}

impl Rig {
    /// Runs a program between ports whose received frames have no offloads.
    fn new(text: &str, executor: Option<&str>, choice: GsoChoice) -> Self {
        Self::with_settings(text, executor, choice, Captures::default(), [ALL; 3])
    }

    fn with_settings(
        text: &str,
        executor: Option<&str>,
        choice: GsoChoice,
        captures: Captures,
        offloads: [Offloads; 3],
    ) -> Self {
        let plane = Plane::new(None, switch(text, executor), None, 0).unwrap();
        plane.gso.set(choice).unwrap();
        let (mut sending, mut ends) = (Vec::new(), Vec::new());
        for (port, offloads) in PORTS.into_iter().zip(offloads) {
            let ([near, far], _) = memory::connect(["near", "far"], 1 << 16, offloads).unwrap();
            sending.push(SendingPort::new(port, near.transmit));
            ends.push(far.receive);
        }
        let captures = Arc::new(captures);
        let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), sending);
        let mut engine =
            Engine::new(Arc::clone(&plane), captures, outputs).expect("the switch has not failed");
        PORTS.iter().for_each(|port| engine.set_mtu(*port, 1500));
        Self { plane, engine, ends }
    }

    /// Sends frames through the switch.
    fn send(&mut self, frames: &[(Port, Vec<u8>, Metadata)]) {
        for (port, bytes, metadata) in frames {
            self.engine.forward(self.plane.clock.now(), *port, &mut [Frame::copy_of(bytes, *metadata)]);
        }
        self.engine.catch_up();
    }

    /// Returns the frames that have left through a port, each with its metadata.
    fn departed_frames(&mut self, port: Port) -> Vec<(Vec<u8>, Metadata)> {
        let end = &mut self.ends[port as usize - 1];
        let mut left = Vec::new();
        loop {
            let mut batch = Batch::new(64);
            end.receive(&mut batch).unwrap();
            if batch.frames().is_empty() {
                return left;
            }
            left.extend(batch.frames().iter().map(|frame| (frame.bytes().to_vec(), frame.metadata)));
        }
    }

    /// Returns the frames that a wire would carry for the frames that have left, by port.
    fn frames_on_wire(&mut self) -> [Vec<Vec<u8>>; 3] {
        PORTS.map(|port| {
            let mut wire = Vec::new();
            for (bytes, metadata) in self.departed_frames(port) {
                for_interface(&Frame::copy_of(&bytes, metadata), Offloads::default(), |frame| {
                    wire.push(frame.bytes().to_vec());
                    Ok::<(), Malformed>(())
                })
                .unwrap();
            }
            wire
        })
    }

    /// Returns the number of packets that the program has seen.
    fn packets(&self) -> u64 {
        let packets = self.plane.try_with_switch(|switch, _| {
            switch.collect_reports();
            switch.stats().received
        });
        packets.expect("the switch has not failed")
    }
}

fn switch(text: &str, executor: Option<&str>) -> Switch {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let loader = FileLoader {
        root: ("program.p4".to_owned(), text.to_owned()),
        folders: vec![here.join("../../p4include")],
        is_confined: false,
    };
    let compiled = weir_load::compile("program.p4", &loader, &[]);
    let program = compiled.program.unwrap_or_else(|| {
        panic!(
            "{}\n{text}",
            compiled
                .diagnostics
                .sorted(&compiled.sources)
                .iter()
                .map(|d| d.render(&compiled.sources, false))
                .collect::<String>()
        )
    });
    let executor = weir_load::executors(program, executor).unwrap().traced;
    let config =
        SwitchConfig { pass_latency: 0, capacity: u64::MAX, ..SwitchConfig::default().with_ports(PORTS) };
    let mut switch = Switch::new(executor, config).unwrap();
    let replicas = PORTS.map(|port| weir_switch::control::Replica::new(port, port as u16)).to_vec();
    let update = weir_switch::control::Update::SetMulticastGroup { group: 1, replicas: Some(replicas) };
    switch.control().change(&update).unwrap();
    switch
}
