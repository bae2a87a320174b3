//! A peer that sends arbitrary segments: no segment makes an end panic, send forever, or wait for
//! something that never happens.

use proptest::prelude::*;
use weir_tcp::{
    Algorithm, Config, Connection, DelayedAck, Flags, Keep, Options, Pacing, PseudoSum, Segment, Seq, State,
};

const MS: u64 = 1_000_000;

#[derive(Clone, Debug)]
struct Thrown {
    seq: i64,
    ack: i64,
    flags: u8,
    window: u16,
    payload: usize,
    stamps: Option<(i64, u32)>,
    blocks: Vec<(i64, i64)>,
    syn: (Option<u16>, Option<u8>, bool),
    ce: bool,
}

#[derive(Clone, Debug)]
enum Act {
    Segment(Thrown),
    Wait(u64),
    Timer,
    Write(u64),
    Bytes(usize),
    Read(usize),
    Discard,
    TakeBack,
    Close,
    Abort,
    Release,
    Mss(u16),
    Pace(Pacing),
    Departed(u32),
}

/// Draws numbers close to important positions, and arbitrary numbers.
fn near_positions() -> impl Strategy<Value = i64> {
    prop_oneof![6 => 0..3i64, 8 => -3000..30_000i64, 1 => any::<i32>().prop_map(i64::from), 1 => Just(1 << 31)]
}

fn random_segment() -> impl Strategy<Value = Thrown> {
    let flags = prop_oneof![12 => Just(16_u8), 3 => Just(17), 2 => Just(18), 1 => Just(2), 1 => Just(4), 2 => Just(16 | 64), 2 => any::<u8>()];
    let window = prop_oneof![4 => Just(65_535_u16), 1 => Just(0), 1 => 0..2000_u16, 1 => any::<u16>()];
    let payload = prop_oneof![4 => Just(0_usize), 3 => 0..1500_usize, 1 => 0..9000_usize];
    let stamps = prop::option::weighted(0.8, (-5..2000_i64, any::<u32>()));
    let blocks = prop_oneof![3 => Just(Vec::new()), 2 => prop::collection::vec((near_positions(), near_positions()), 1..4)];
    let syn = (prop::option::of(any::<u16>()), prop::option::of(any::<u8>()), any::<bool>());
    (near_positions(), near_positions(), flags, window, payload, stamps, blocks, syn, any::<bool>()).prop_map(
        |(seq, ack, flags, window, payload, stamps, blocks, syn, ce)| Thrown {
            seq,
            ack,
            flags,
            window,
            payload,
            stamps,
            blocks,
            syn,
            ce,
        },
    )
}

fn act() -> impl Strategy<Value = Act> {
    let pacing = prop_oneof![
        Just(Pacing::Controller),
        Just(Pacing::Always),
        Just(Pacing::Rate(0)),
        Just(Pacing::Rate(1_000_000)),
        Just(Pacing::Rate(u64::MAX)),
    ];
    prop_oneof![
        20 => random_segment().prop_map(Act::Segment),
        3 => (0..300 * MS).prop_map(Act::Wait),
        1 => any::<u32>().prop_map(|ms| Act::Wait(u64::from(ms) * MS)),
        6 => Just(Act::Timer),
        4 => (0..200_000_u64).prop_map(Act::Write),
        1 => Just(Act::Write(u64::MAX)),
        2 => (0..3000_usize).prop_map(Act::Bytes),
        2 => (0..3000_usize).prop_map(Act::Read),
        1 => Just(Act::Discard),
        1 => Just(Act::TakeBack),
        1 => Just(Act::Close),
        1 => prop::bool::weighted(0.3).prop_map(|abort| if abort { Act::Abort } else { Act::Close }),
        1 => Just(Act::Release),
        1 => any::<u16>().prop_map(Act::Mss),
        1 => pacing.prop_map(Act::Pace),
        2 => any::<u32>().prop_map(Act::Departed),
    ]
}

struct End {
    connection: Connection,
    now: u64,
    iss: u32,
    irs: u32,
    /// The sent and the expected sequence numbers, according to the segments.
    sent: i64,
    expected: i64,
}

impl End {
    fn segment<'a>(&self, thrown: &Thrown, payload: &'a [u8]) -> Segment<'a> {
        let number = |base: u32, offset: i64| Seq(base.wrapping_add(offset as u32));
        let mut options = Options {
            mss: thrown.syn.0,
            window_scale: thrown.syn.1,
            sack_permitted: thrown.syn.2,
            timestamps: thrown.stamps.map(|(late, echo)| (((self.now / MS) as i64 - late) as u32, echo)),
            sack_blocks: thrown.blocks.len() as u8,
            ..Options::default()
        };
        for (place, (left, right)) in options.sack.iter_mut().zip(&thrown.blocks) {
            *place = (number(self.iss, self.sent - left), number(self.iss, self.sent - right));
        }
        Segment {
            source: 2,
            destination: 1,
            seq: number(self.irs, self.expected + thrown.seq),
            ack: number(self.iss, self.sent - thrown.ack),
            flags: Flags(thrown.flags),
            window: thrown.window,
            urgent: 0,
            options,
            payload: &payload[..thrown.payload],
        }
    }

    fn act(&mut self, act: &Act) {
        let payload = [0x33; 9000];
        match act {
            Act::Segment(thrown) => {
                let segment = self.segment(thrown, &payload);
                self.connection.on_segment(self.now, &segment, thrown.ce);
            }
            Act::Wait(time) => self.now += time,
            Act::Timer => {
                if let Some(deadline) = self.connection.next_deadline() {
                    self.now = self.now.max(deadline);
                }
            }
            Act::Write(bytes) => _ = self.connection.write_pattern(*bytes),
            Act::Bytes(bytes) => _ = self.connection.write(&payload[..*bytes]),
            Act::Read(bytes) => _ = self.connection.read(&mut vec![0; *bytes]),
            Act::TakeBack => _ = self.connection.remove_unsent(),
            Act::Discard => _ = self.connection.discard(),
            Act::Close => self.connection.close(),
            Act::Abort => self.connection.abort(),
            Act::Release => self.connection.release(self.now),
            Act::Mss(mss) => self.connection.set_mss(*mss),
            Act::Pace(pacing) => self.connection.set_pacing(*pacing),
            Act::Departed(bytes) => _ = self.connection.on_departed(*bytes),
        }
        self.send_all();
    }

    /// Handles expired timers, and sends all segments that may be sent. Both end eventually.
    fn send_all(&mut self) {
        for round in 0.. {
            assert!(round < 100, "a timer that is always due: {:?}", self.connection.info());
            for segments in 0.. {
                assert!(segments < 100_000, "segments without end: {:?}", self.connection.info());
                let Some(outgoing) = self.connection.next_segment(self.now) else { break };
                let mut buffer = vec![0; outgoing.len as usize];
                self.connection.emit(&outgoing, PseudoSum(7), &mut buffer);
                let segment = Segment::parse(&buffer, PseudoSum(7)).expect("what is written is whole");
                let end =
                    i64::from(segment.seq.distance_from(Seq(self.iss))) + segment.sequence_length() as i64;
                self.sent = self.sent.max(end);
                if segment.flags.contains(Flags::ACK) && !segment.flags.contains(Flags::RST) {
                    self.expected = self.expected.max(i64::from(segment.ack.distance_from(Seq(self.irs))));
                }
            }
            while self.connection.next_event().is_some() {}
            let info = self.connection.info();
            assert!(info.acked <= info.written, "{info:?}");
            match self.connection.next_deadline() {
                Some(deadline) if deadline <= self.now => self.connection.on_timer(self.now),
                Some(_) => break,
                None => {
                    // Without a deadline, this end may have nothing outstanding.
                    let over = matches!(info.state, State::Closed);
                    assert!(over || info.in_flight == 0, "nobody waits for an answer: {info:?}");
                    break;
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_peer_harms_an_end(
        which in 0..Algorithm::NAMES.len(),
        switches in prop::array::uniform8(any::<bool>()),
        (iss, irs, random) in (any::<u32>(), any::<u32>(), any::<u64>()),
        (mss, receive_buffer, send_buffer) in (prop_oneof![Just(1460_u16), any::<u16>()], prop_oneof![0..5000_u32, 0..200_000_u32], 0..300_000_u32),
        opens in any::<bool>(),
        shakes in prop::bool::weighted(0.8),
        acts in prop::collection::vec(act(), 0..120),
    ) {
        let [sack, timestamps, window_scaling, ecn, nagle, rack, bytes, tail_loss_probe] = switches;
        let config = Config {
            congestion: Algorithm::named(Algorithm::NAMES[which]).unwrap(),
            sack, timestamps, window_scaling, ecn, nagle, rack, tail_loss_probe, mss, receive_buffer, send_buffer,
            keep: if bytes { Keep::Bytes } else { Keep::Count },
            delayed_ack: DelayedAck { every: 2, timeout: 40 * MS },
            small_queue: false,
            ..Config::default()
        };
        let hello = Thrown {
            seq: 0, ack: 0, flags: if opens { 18 } else { 2 }, window: 65_535, payload: 0,
            stamps: timestamps.then_some((0, 0)), blocks: Vec::new(), syn: (Some(1460), Some(3), true), ce: false,
        };
        let connection = Connection::connect(0, config.clone(), (1, 2), iss, random);
        let mut end = End { connection, now: 0, iss, irs, sent: 0, expected: 0 };
        if opens {
            end.send_all();
            if shakes {
                end.act(&Act::Segment(hello));
            }
        } else {
            let syn = end.segment(&hello, &[]);
            end.connection = Connection::accept(0, config, &syn, iss, random, false);
            end.send_all();
            if shakes {
                end.act(&Act::Segment(Thrown { flags: 16, ..hello }));
            }
        }
        for act in &acts {
            end.act(act);
        }
    }
}
