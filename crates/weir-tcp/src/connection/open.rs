//! The handshake (RFC 9293 section 3.5).

use super::{AckDue, AgreedOptions, Connection, Event, Outgoing, State};
use crate::Nanos;
use crate::config::{Config, MIN_MSS, Pacing};
use crate::congestion::{Algorithm, CongestionControl, Start, controller};
use crate::options::Options;
use crate::scoreboard::{Arrival, Progress};
use crate::segment::{Flags, Header, Segment};
use crate::seq::Seq;

impl Connection {
    /// Opens a connection actively. `ports` are this end's and the peer's, `iss` is the initial
    /// sequence number, `random` are 64 random bits.
    pub fn connect(now: Nanos, config: Config, ports: (u16, u16), iss: u32, random: u64) -> Self {
        let mut connection = Self::new(config, State::SynSent, ports, iss, random);
        connection.last_sent = now;
        connection
    }

    /// Opens a connection passively, in answer to `syn`, a segment with SYN and without ACK or RST
    /// that a listener received. `ect` is true if the SYN's packet was marked as ECN-capable, which
    /// is not allowed (RFC 3168 section 6.1.1); ECN is then not used.
    pub fn accept(now: Nanos, config: Config, syn: &Segment<'_>, iss: u32, random: u64, ect: bool) -> Self {
        let mut connection =
            Self::new(config, State::SynReceived, (syn.destination, syn.source), iss, random);
        connection.last_sent = now;
        connection.counters.segments_in = 1;
        connection.process_syn_options(now, syn);
        connection.agreed.ecn &= !ect;
        connection
    }

    pub(super) fn next_syn(&mut self, now: Nanos) -> Option<Outgoing> {
        let first = self.nxt == 0;
        let stamp = self.delivery.on_send(now, 0);
        if first {
            self.board.push(0, 1, stamp);
            self.nxt = 1;
        } else {
            let (start, _) = self.board.next_lost()?;
            self.board.note_retransmission(start, stamp);
            self.counters.retransmits += 1;
        }
        self.force = false;
        self.last_sent = now;
        self.retransmit_at.get_or_insert(now + self.rtt.rto());
        let answers = self.state == State::SynReceived;
        let config = &self.config;
        let mut flags = Flags::SYN;
        let offer_ecn = config.ecn && self.retries == 0;
        if answers {
            flags = flags.union(Flags::ACK);
            if self.agreed.ecn {
                flags = flags.union(Flags::ECE);
            }
            self.ack = AckDue::No;
        } else if offer_ecn {
            flags = flags.union(Flags::ECE).union(Flags::CWR);
        }
        let scaling = if answers {
            self.agreed.send_scale > 0 || self.agreed.receive_scale > 0
        } else {
            config.window_scaling
        };
        let stamps = if answers { self.agreed.timestamps } else { config.timestamps };
        let header = Header {
            source: self.ports.0,
            destination: self.ports.1,
            seq: self.iss,
            ack: if answers { self.irs.plus(1) } else { Seq(0) },
            flags,
            window: config.receive_buffer.min(65535) as u16,
            options: Options {
                mss: Some(config.mss),
                window_scale: scaling.then(|| scale_for(config.receive_buffer)),
                sack_permitted: if answers { self.agreed.sack } else { config.sack },
                timestamps: stamps.then(|| (self.timestamp(now), self.ts_recent.0)),
                ..Options::default()
            },
        };
        let mut outgoing = self.outgoing(now, header, 0, 0, false);
        outgoing.first_syn = first;
        Some(outgoing)
    }

    /// Processes the options of the peer's SYN.
    pub(super) fn process_syn_options(&mut self, now: Nanos, syn: &Segment<'_>) {
        self.irs = syn.seq;
        self.advertised_edge = 1 + u64::from(self.config.receive_buffer.min(65535));
        let options: &Options = &syn.options;
        let config = &self.config;
        let scaling = config.window_scaling && options.window_scale.is_some();
        let both_echo = Flags::ECE.union(Flags::CWR);
        self.agreed = AgreedOptions {
            sack: config.sack && options.sack_permitted,
            timestamps: config.timestamps && options.timestamps.is_some(),
            ecn: config.ecn
                && if syn.flags.contains(Flags::ACK) {
                    syn.flags.contains(Flags::ECE) && !syn.flags.contains(Flags::CWR)
                } else {
                    syn.flags.contains(both_echo)
                },
            send_scale: if scaling { options.window_scale.unwrap_or(0).min(14) } else { 0 },
            receive_scale: if scaling { scale_for(config.receive_buffer) } else { 0 },
        };
        if let (true, Some((value, _))) = (self.agreed.timestamps, options.timestamps) {
            self.ts_recent = (value, now);
        }
        // A smaller MSS would lead to segments that hold only options. Without the option the MSS
        // is 536 (RFC 9293 section 3.7.1).
        let peer = options.mss.unwrap_or(536);
        self.mss = u32::from(peer.min(config.mss).max(MIN_MSS)) - if self.agreed.timestamps { 12 } else { 0 };
        self.window = u64::from(syn.window);
        self.max_window = self.window;
        self.window_at = (0, 0);
    }

    /// Handles the peer's acknowledgement of this end's SYN.
    pub(super) fn handshake_acknowledged(&mut self, now: Nanos, segment: &Segment<'_>) {
        let mut progress = Progress::default();
        let arrival = &mut Arrival {
            now,
            min_rtt: self.rtt.min_rtt,
            answered: Nanos::MAX,
            delivery: &mut self.delivery,
            progress: &mut progress,
        };
        self.board.acknowledge(1, arrival);
        self.una = 1;
        match progress.clean {
            Some(sent) => self.rtt.sample(now.saturating_sub(sent)),
            None => self.sample_by_timestamp(now, segment),
        }
        self.retransmit_at = None;
        self.retries = 0;
        self.rtt.reset_back_off();
        let scale = if segment.flags.contains(Flags::SYN) { 0 } else { self.agreed.send_scale };
        self.window = u64::from(segment.window) << scale;
        self.max_window = self.max_window.max(self.window);
        self.become_established();
    }

    /// Notes that the handshake is complete.
    pub(super) fn become_established(&mut self) {
        self.state = State::Established;
        self.controller = self.fresh_controller();
        self.round_end = self.nxt;
        if self.syn_lost {
            self.rtt.use_conservative_rto();
        }
        self.events.push_back(Event::Connected);
    }

    /// Creates a new congestion control for this connection.
    pub(super) fn fresh_controller(&self) -> Box<dyn CongestionControl> {
        let start = start(&self.config, self.mss, self.random, self.syn_lost, self.rtt.smoothed);
        controller(&self.config.congestion, &start)
    }
}

/// Returns the window scale with which a window of this size fits into 16 bits.
pub(super) fn scale_for(buffer: u32) -> u8 {
    (0..14).find(|shift| buffer >> shift <= 65535).unwrap_or(14)
}

/// Returns the initial state of the congestion control. The initial window is one segment if the
/// SYN was retransmitted (RFC 5681 section 3.1).
pub(super) fn start(config: &Config, mss: u32, random: u64, syn_lost: bool, srtt: Nanos) -> Start {
    let segments = if syn_lost { 1 } else { u64::from(config.initial_window_segments) };
    Start {
        mss,
        initial_window: segments * u64::from(mss),
        srtt,
        random,
        paced: config.pacing != Pacing::Controller,
        hystart: config
            .hystart
            .unwrap_or(matches!(config.congestion, Algorithm::Cubic | Algorithm::CubicRfc)),
        fast_convergence: config.fast_convergence,
    }
}
