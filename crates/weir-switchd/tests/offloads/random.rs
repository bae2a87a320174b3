//! Random programs and random frames.

use weir_device::Port;
use weir_ports::{Checksum, Gso, Metadata};
use weir_switchd::GsoChoice;

use super::packets::{Shape, packet};
use super::programs::{PARTS, SUM, fill_template};
use super::{PORTS, Rig};

/// The number of programs in a run.
const PROGRAMS: u64 = 12;
/// The number of frames through each program.
const FRAMES: usize = 30;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn program(&mut self) -> String {
        let mut parts = vec![("ITEMS", "register<bit<16>>(1) seen;")];
        for _ in 0..1 + self.below(4) {
            // Most programs do not notice offloads.
            let choices = if self.below(3) == 0 { PARTS } else { &PARTS[..15] };
            parts.push(choices[self.below(choices.len() as u64) as usize]);
        }
        let (verify, update) = (format!("verify_checksum({SUM});"), format!("update_checksum({SUM});"));
        if self.below(2) == 0 {
            parts.push(("VERIFY", &verify));
        }
        if self.below(4) > 0 {
            parts.push(("COMPUTE", &update));
        }
        fill_template(&parts)
    }

    fn frame(&mut self) -> (Port, Vec<u8>, Metadata) {
        let flags = [0x18, 0x11, 0x98, 0xd9, 0x02][self.below(5) as usize];
        let shape = Shape {
            v6: self.below(2) == 0,
            udp: self.below(3) == 0,
            tags: self.below(3) as usize,
            flags,
            options: self.below(11) as usize * 4,
            payload: [0, 1, 500, 1448, 4000, 9000][self.below(6) as usize] + self.below(9) as usize,
            seed: self.below(1 << 30),
        };
        let (mut bytes, mut metadata) = packet(shape);
        let size = 300 + self.below(1200) as u16;
        let is_gso = shape.payload > usize::from(size) || self.below(4) == 0;
        metadata.gso = metadata.gso.filter(|_| is_gso).map(|gso| Gso { size, ..gso });
        if shape.tags == 2 && self.below(2) == 0 {
            bytes[12..14].copy_from_slice(&[0x88, 0xa8]);
        }
        if self.below(8) == 0 {
            // The changed field may be invalid, or valid with another value.
            let at = 12 + self.below(60.min(bytes.len() as u64 - 12)) as usize;
            bytes[at] ^= 1 << self.below(8);
        }
        match self.below(12) {
            0 => metadata.checksum = Checksum::Valid,
            1 => metadata = Metadata::default(),
            _ => {}
        }
        if !matches!(metadata.checksum, Checksum::Partial { .. }) {
            metadata.gso = None;
        }
        (PORTS[self.below(2) as usize], bytes, metadata)
    }
}

/// The frames on a wire do not depend on `--gso`.
#[test]
#[allow(clippy::disallowed_methods, reason = "somebody may want to try more programs")]
fn offloads_change_nothing_on_the_wire() {
    let more = std::env::var("WEIR_OFFLOAD_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let (mut packets_off, mut packets_auto) = (0, 0);
    for seed in 0..more.unwrap_or(PROGRAMS) {
        let mut random = Random(seed);
        let program = random.program();
        let frames: Vec<_> = (0..FRAMES).map(|_| random.frame()).collect();
        // Most programs run in the interpreter, because generating machine code takes a long time.
        let executor = (seed % 8 > 0).then_some("interp");
        let run = |choice| {
            let mut rig = Rig::new(&program, executor, choice);
            rig.send(&frames);
            (rig.frames_on_wire(), rig.packets())
        };
        let ((off, packets), (auto, whole)) = (run(GsoChoice::Off), run(GsoChoice::Auto));
        for (port, (off, auto)) in off.iter().zip(&auto).enumerate() {
            let differs = off.iter().zip(auto).position(|(off, auto)| off != auto);
            if let Some(at) = differs {
                panic!(
                    "program {seed}, port {}, frame {at}:\n{:02x?}\nwithout offloads:\n{:02x?}\n{program}",
                    port + 1,
                    &auto[at][..auto[at].len().min(100)],
                    &off[at][..off[at].len().min(100)]
                );
            }
            assert_eq!(off.len(), auto.len(), "program {seed}, port {}:\n{program}", port + 1);
        }
        packets_off += packets;
        packets_auto += whole;
    }
    assert!(packets_auto < packets_off * 2 / 3, "{packets_auto} packets of {packets_off}: few pass whole");
}
