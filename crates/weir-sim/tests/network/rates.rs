//! UDP at any rate, with each kind of queue: offered datagrams are counted, and exactly those
//! beyond the capacity are lost.

use crate::world::*;
use proptest::prelude::*;
use weir_sim::{
    FqConfig, HtbClass, HtbConfig, LinkConfig, LinkEnd, Nanos, NetemConfig, Network, QdiscConfig, TbfConfig,
    UdpReceiver, UdpSender, UdpSenderConfig,
};

/// A bottleneck with a rate and a queue of at least one packet; without a queue it could not be
/// busy all the time.
#[derive(Clone, Copy, Debug)]
enum Bottleneck {
    /// The link itself with a queue of this many packets.
    Link {
        packets: u64,
    },
    /// The link itself with a queue of this many bytes.
    LinkBytes {
        bytes: u64,
    },
    Tbf {
        burst: u64,
        limit: u64,
    },
    Htb {
        burst: u64,
        packets: u64,
    },
    Fq {
        packets: u64,
    },
    Netem {
        packets: u64,
        delay: Nanos,
    },
}

/// Offers `count` frames, one per interval, to a bottleneck.
#[derive(Clone, Copy, Debug)]
struct Offer {
    bottleneck: Bottleneck,
    rate: u64,
    /// The length of a frame.
    bytes: u64,
    interval: Nanos,
    count: u64,
}

impl Offer {
    /// Returns the length of a frame in units of 10^-9 bits; the rate carries `rate` of these units
    /// per nanosecond.
    fn frame(&self) -> u128 {
        u128::from(self.bytes) * 8_000_000_000
    }

    fn carried_bytes(&self, time: Nanos) -> u128 {
        u128::from(self.rate) * u128::from(time)
    }

    /// Returns the number of frames that pass: all if the bottleneck keeps up; otherwise the frames
    /// that have left it when the last one arrives, and the frames that fit its queue.
    fn expected_frames(&self) -> u64 {
        let last = (self.count - 1) * self.interval;
        let frame = self.frame();
        let bits = |bytes: u64| u128::from(bytes) * 8_000_000_000;
        let keeps_up = self.carried_bytes(self.interval) >= frame;
        let (left, queued) = match self.bottleneck {
            // The first frame leaves at once, the others when the previous one has been sent.
            Bottleneck::Link { packets } => (self.carried_bytes(last) / frame + 1, packets),
            Bottleneck::LinkBytes { bytes } => (self.carried_bytes(last) / frame + 1, bytes / self.bytes),
            // A frame leaves when there are tokens for it.
            Bottleneck::Tbf { burst, limit } => {
                ((bits(burst) + self.carried_bytes(last)) / frame, limit / self.bytes)
            }
            // A frame leaves when the class is not in debt.
            Bottleneck::Htb { burst, packets } => {
                ((bits(burst) + self.carried_bytes(last)) / frame + 1, packets)
            }
            // The n-th frame may leave in the nanosecond in which the bottleneck, at its rate, has
            // sent the frames before it.
            Bottleneck::Fq { packets } => (self.carried_bytes(last + 1).div_ceil(frame), packets),
            // Frames in the bottleneck and in the delay count as queued.
            Bottleneck::Netem { packets, delay } => {
                (last.checked_sub(delay).map_or(0, |time| self.carried_bytes(time) / frame), packets)
            }
        };
        if keeps_up { self.count } else { (u64::try_from(left).unwrap() + queued).min(self.count) }
    }

    fn link(&self) -> LinkConfig {
        let rate = self.rate;
        let queue = match self.bottleneck {
            Bottleneck::Link { packets } => QdiscConfig::packets(packets as usize),
            Bottleneck::LinkBytes { bytes } => QdiscConfig::bytes(bytes),
            Bottleneck::Tbf { burst, limit } => {
                QdiscConfig::Tbf(TbfConfig { rate, burst, peak: None, limit, queue: None })
            }
            Bottleneck::Htb { burst, packets } => {
                let queue = QdiscConfig::packets(packets as usize);
                let class = HtbClass { burst, cburst: burst, queue, ..HtbClass::new(10, rate) };
                QdiscConfig::Htb(HtbConfig { default: Some(10), classes: vec![class], filters: Vec::new() })
            }
            Bottleneck::Fq { packets } => QdiscConfig::Fq(FqConfig {
                maxrate: Some(rate),
                flow_limit: packets as usize,
                ..FqConfig::default()
            }),
            Bottleneck::Netem { packets, delay } => QdiscConfig::Netem(NetemConfig {
                delay,
                rate: Some(rate),
                limit: packets as usize,
                ..NetemConfig::default()
            }),
        };
        let of_link = matches!(self.bottleneck, Bottleneck::Link { .. } | Bottleneck::LinkBytes { .. });
        LinkConfig { rate: of_link.then_some(rate), delay: 1000, queue, ..LinkConfig::default() }
    }

    /// Sends the frames. Returns how many arrive, and how many are dropped because the queue is
    /// full.
    fn run(&self) -> (u64, u64) {
        let mut network = Network::new(1);
        network.add_host(host_with_neighbours(1, 2)).unwrap();
        network.add_host(host_with_neighbours(2, 2)).unwrap();
        network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), self.link()).unwrap();
        let receiver = network.start_app("h2", 0, Box::new(UdpReceiver::new(9))).unwrap();
        let sender = UdpSenderConfig {
            destination: (address(2), 9),
            source_port: 1000,
            // The Ethernet, IPv4 and UDP headers.
            payload_bytes: self.bytes as usize - 42,
            interval: self.interval,
            count: self.count,
        };
        let sender = network.start_app("h1", 0, Box::new(UdpSender::new(sender).unwrap())).unwrap();
        let audit = check(&mut network);
        assert_eq!(network.app::<UdpSender>(sender).unwrap().sent(), self.count);
        let reasons = ["queue full", "flow's queue full"];
        let dropped = audit.drops.iter().filter(|drop| reasons.contains(&&*drop.reason));
        let dropped = dropped.map(|drop| drop.packets).sum();
        (network.app::<UdpReceiver>(receiver).unwrap().packets(), dropped)
    }
}

fn random_offer() -> impl Strategy<Value = Offer> {
    let bottleneck = prop_oneof![
        (1u64..50).prop_map(|packets| Bottleneck::Link { packets }),
        (1514u64..50_000).prop_map(|bytes| Bottleneck::LinkBytes { bytes }),
        (1514u64..20_000, 1514u64..50_000).prop_map(|(burst, limit)| Bottleneck::Tbf { burst, limit }),
        (1514u64..20_000, 1u64..50).prop_map(|(burst, packets)| Bottleneck::Htb { burst, packets }),
        (1u64..50).prop_map(|packets| Bottleneck::Fq { packets }),
        // The frame being sent counts for netem's limit.
        (2u64..50).prop_map(|packets| Bottleneck::Netem { packets, delay: 0 }),
    ];
    // Rates are 100 kbit/s to 10 Gbit/s, log-uniform; the offered rate is a fifth to twenty times
    // of that.
    (bottleneck, 5.0..10.0f64, 58u64..=1514, -0.7..1.3f64, 1u64..400).prop_map(
        |(bottleneck, rate, bytes, load, count)| {
            let rate = 10f64.powf(rate) as u64;
            let interval = bytes as f64 * 8e9 / rate as f64 / 10f64.powf(load);
            Offer { bottleneck, rate, bytes, interval: (interval as Nanos).max(1), count }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn loss_equals_excess_load(offer in random_offer()) {
        let (arrived, dropped) = offer.run();
        prop_assert_eq!((arrived, dropped), (offer.expected_frames(), offer.count - offer.expected_frames()));
    }
}

#[test]
fn delayed_frames_take_room_in_the_queue() {
    // 1 Mbit/s, frames of 125 bytes: one per millisecond, two offered. Of 20 places the delay of 10
    // ms takes 10.
    let bottleneck = Bottleneck::Netem { packets: 20, delay: 10 * MS };
    let offer = Offer { bottleneck, rate: 1_000_000, bytes: 125, interval: MS / 2, count: 401 };
    assert_eq!(offer.run(), (190 + 20, 191));
    assert_eq!(offer.expected_frames(), 210);
}
