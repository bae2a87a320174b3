//! Tests of packet generators.

use super::*;

const TOFINO1: GeneratorFormat =
    GeneratorFormat { app_bits: 3, pattern_bytes: 4, has_context: false, gaps_begin_at_end: false };
const TOFINO2: GeneratorFormat =
    GeneratorFormat { app_bits: 4, pattern_bytes: 16, has_context: true, gaps_begin_at_end: true };

/// Returns an application with two batches of two packets of one byte each.
fn app(trigger: GeneratorTrigger) -> GeneratorApp {
    GeneratorApp {
        trigger,
        offset: 16,
        length: 1,
        source_port: 68,
        increments_source_port: false,
        batches: 2,
        packets_per_batch: 2,
        batch_gap: (1000, 0),
        packet_gap: (100, 0),
    }
}

/// Generators with this application in pipe 1 as number 5, whose packets are the byte 0xaa.
fn generators(format: GeneratorFormat, app: GeneratorApp) -> Generators {
    let mut generators = Generators::new(Some(format), 0);
    generators.write_buffer(1, 16, &[0xaa]).expect("it fits");
    generators.set_app(0, (1, 5), Some(app)).expect("it fits");
    generators.set_port(196, GeneratorPort { generates: true, matches_patterns: true }).expect("a port");
    generators
}

/// Returns the times, ports and bytes of the packets up to a time.
fn packets(generators: &mut Generators, until: Nanos) -> Vec<(Nanos, Port, Vec<u8>)> {
    let mut made = Vec::new();
    while let Some(time) = generators.next_time().filter(|time| *time <= until) {
        let packet = generators.take_due(time);
        made.extend(packet.map(|GeneratedPacket { time, port, bytes }| (time, port, bytes)));
    }
    made
}

#[test]
fn timers_make_batches() {
    let mut generators = generators(TOFINO1, app(GeneratorTrigger::Once(500)));
    let packet = |batch, packet| vec![1 << 3 | 5, 0, 0, batch, 0, packet, 0xaa];
    let expected = [
        (500, 196, packet(0, 0)),
        (600, 196, packet(0, 1)),
        (1500, 196, packet(1, 0)),
        (1600, 196, packet(1, 1)),
    ];
    assert_eq!(packets(&mut generators, 10_000), expected);
    assert_eq!(generators.app(1, 5).1, GeneratorCounts { triggers: 1, batches: 2, packets: 4 });
    // In Tofino 2, a gap begins when the packet of 31 bytes has left at 100 Gbit/s.
    let mut generators = self::generators(TOFINO2, app(GeneratorTrigger::Periodic(10_000)));
    let times: Vec<_> = packets(&mut generators, 20_000).into_iter().map(|(time, ..)| time).collect();
    assert_eq!(times, [10_000, 10_103, 11_106, 11_209, 20_000]);
}

#[test]
fn events_of_a_busy_application_wait() {
    let mut generators = generators(TOFINO1, app(GeneratorTrigger::Periodic(700)));
    let times: Vec<_> = packets(&mut generators, 3000).into_iter().map(|(time, ..)| time).collect();
    assert_eq!(times, [700, 800, 1700, 1800, 1803, 1903, 2803, 2903, 2906]);
}

#[test]
fn a_port_that_goes_down_triggers_once() {
    let mut generators = generators(TOFINO1, app(GeneratorTrigger::PortDown(None)));
    generators.port_down(0, 3);
    assert_eq!(generators.next_time(), None, "the port is in another pipe");
    generators.port_down(0, 130);
    let made = packets(&mut generators, 10_000);
    assert_eq!((made.len(), &made[1].2), (4, &vec![1 << 3 | 5, 0, 0, 130, 0, 1, 0xaa]));
    generators.port_down(20_000, 130);
    assert_eq!(generators.next_time(), None);
    generators.rearm(130).expect("a port");
    generators.port_down(20_000, 130);
    assert_eq!(packets(&mut generators, 50_000).len(), 4);
}

#[test]
fn recirculated_packets_trigger_by_their_first_bytes() {
    let trigger = GeneratorTrigger::Recirculated { value: 0x1122_3344, mask: 0xffff_0000 };
    let mut generators = generators(TOFINO1, app(trigger));
    generators.recirculated(0, 196, &[0x11, 0x23, 0x33, 0x44]);
    generators.recirculated(0, 196, &[0x11, 0x22, 0x33]);
    generators.recirculated(0, 197, &[0x11, 0x22, 0x33, 0x44]);
    assert_eq!(generators.next_time(), None);
    generators.recirculated(0, 196, &[0x11, 0x22, 0x33, 0x55]);
    let made = packets(&mut generators, 10_000);
    assert_eq!(made[3].2, [1 << 3 | 5, 0x22, 0x33, 0x56, 0, 1, 0xaa]);
    let trigger = GeneratorTrigger::Recirculated { value: 7, mask: u128::MAX };
    let mut generators = self::generators(TOFINO2, app(trigger));
    let first = [&[0; 15][..], &[7]].concat();
    generators.recirculated(0, 196, &first);
    let made = packets(&mut generators, 10_000);
    assert_eq!(made[3].2, [&[1 << 4 | 5, 0, 0, 1, 0, 1][..], &first, &[0xaa]].concat());
}

#[test]
fn settings_are_checked() {
    let mut generators = generators(TOFINO1, app(GeneratorTrigger::Once(0)));
    let mut wrong = |number, change: fn(&mut GeneratorApp)| {
        let mut app = app(GeneratorTrigger::Once(0));
        change(&mut app);
        generators.set_app(0, number, Some(app)).expect_err("it is out of range").to_string()
    };
    assert_eq!(wrong((4, 0), |_| {}), "a pipe is a number from 0 to 3, not 4");
    assert_eq!(wrong((0, 8), |_| {}), "an application is a number from 0 to 7, not 8");
    let long = "the end of the packet in the buffer is a number from 0 to 16384, not 16385";
    assert_eq!(wrong((0, 0), |app| app.length = BUFFER_BYTES - 15), long);
    assert!(wrong((0, 0), |app| app.batches = 0).contains("from 1 to 65536, not 0"));
    let none = Generators::new(None, 0).write_buffer(0, 0, &[]);
    assert_eq!(none, Err(GeneratorError::NoGenerators));
}
