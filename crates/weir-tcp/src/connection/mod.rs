//! One end of a connection.

mod acknowledgement;
mod input;
mod output;
mod state;
mod time_wait;
mod timers;

use std::collections::VecDeque;

use crate::config::{Config, Pacing};
use crate::congestion::{CongestionControl, Start, controller};
use crate::info::{Info, TraceKind, TraceRow};
use crate::math::mul_div;
use crate::options::Options;
use crate::pacer::{Pacer, rate_of_window};
use crate::rate::Delivery;
use crate::receive_queue::ReceiveQueue;
use crate::recovery::{Phase, Prr};
use crate::rtt::Rtt;
use crate::scoreboard::Scoreboard;
use crate::segment::{Flags, Segment};
use crate::send_queue::SendQueue;
use crate::seq::Seq;
use crate::{MILLISECOND, Nanos};

pub use output::Outgoing;
pub use state::{Closed, Event, State};
pub use time_wait::{TimeWait, TimeWaitAnswer};

/// When an acknowledgement is due.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum AckDue {
    No,
    At(Nanos),
    Now,
}

/// What both ends agreed on with their SYNs.
#[derive(Copy, Clone, Debug, Default)]
struct Agreed {
    sack: bool,
    timestamps: bool,
    ecn: bool,
    send_scale: u8,
    receive_scale: u8,
}

#[derive(Copy, Clone, Debug, Default)]
struct Counters {
    segments_out: u64,
    segments_in: u64,
    retransmits: u64,
    timeouts: u64,
    recoveries: u64,
    spurious: u64,
    ecn_reductions: u64,
}

/// One end of a connection (RFC 9293). After every call of [`Connection::on_segment`], [`Connection::on_timer`],
/// [`Connection::write`], [`Connection::read`], [`Connection::discard`], [`Connection::close`], [`Connection::abort`] and
/// [`Connection::departed`] the caller takes segments with [`Connection::next_segment`] until there is none, and looks at
/// [`Connection::next_deadline`].
///
/// Inside, positions are 64 bits wide: the SYN is position 0, the first byte of data 1.
pub struct Connection {
    config: Config,
    state: State,
    ports: (u16, u16),
    random: u64,
    agreed: Agreed,
    events: VecDeque<Event>,
    counters: Counters,
    trace: Option<Vec<TraceRow>>,

    iss: Seq,
    una: u64,
    nxt: u64,
    /// The peer's window from `una` on, and where it was told (SND.WL1, SND.WL2).
    window: u64,
    max_window: u64,
    window_at: (u64, u64),
    mss: u32,
    send: SendQueue,
    closing: bool,
    wants_room: bool,
    board: Scoreboard,
    rtt: Rtt,
    phase: Phase,
    prr: Option<Prr>,
    /// Segments that duplicate acknowledgements say have arrived, where the peer cannot say which.
    anonymous: u64,
    /// The first retransmission of a recovery waits for no room in the window.
    force: bool,
    /// The congestion window stopped new data: in this round trip, in the one before.
    cwnd_limited: (bool, bool),
    /// The most in flight: in this round trip, in the one before.
    most_in_flight: (u64, u64),
    round_end: u64,
    last_sent: Nanos,
    controller: Box<dyn CongestionControl>,
    delivery: Delivery,
    pacer: Pacer,
    paced_until: Option<Nanos>,
    queued: u64,

    retransmit_at: Option<Nanos>,
    persist_at: Option<Nanos>,
    /// Repetitions without an answer.
    tries: u32,
    probes: u32,
    probe_due: bool,
    syn_lost: bool,

    irs: Seq,
    receive: ReceiveQueue,
    /// The end of the window told to the peer.
    told_edge: u64,
    fin_at: Option<u64>,
    ack: AckDue,
    unacknowledged: u32,
    last_ack_sent: u64,
    quick: u32,
    /// The peer's newest timestamp and when it came.
    ts_recent: (u32, Nanos),
    duplicate: Option<(u64, u64)>,
    challenge_at: Nanos,
    stray_at: Nanos,
    echo_congestion: bool,
    last_ce: bool,
    reduced: bool,
    reset_due: Option<(Seq, Seq, Flags)>,
    time_wait_until: Option<Nanos>,
}

impl Connection {
    fn new(config: Config, state: State, ports: (u16, u16), iss: u32, random: u64) -> Self {
        let rtt = Rtt::new(config.initial_rto, config.min_rto, config.max_rto, config.delayed_ack.timeout);
        let receive_scale = scale_for(config.receive_buffer);
        let mss = u32::from(config.mss);
        let start = start(&config, mss, random, false);
        Connection {
            state,
            ports,
            random,
            agreed: Agreed { receive_scale, ..Agreed::default() },
            events: VecDeque::new(),
            counters: Counters::default(),
            trace: None,
            iss: Seq(iss),
            una: 0,
            nxt: 0,
            window: 1,
            max_window: 0,
            window_at: (0, 0),
            mss,
            send: SendQueue::new(config.send_buffer),
            closing: false,
            wants_room: false,
            board: Scoreboard::default(),
            rtt,
            phase: Phase::Open,
            prr: None,
            anonymous: 0,
            force: false,
            cwnd_limited: (false, false),
            most_in_flight: (0, 0),
            round_end: 0,
            last_sent: 0,
            controller: controller(&config.congestion, &start),
            delivery: Delivery::default(),
            pacer: Pacer::default(),
            paced_until: None,
            queued: 0,
            retransmit_at: None,
            persist_at: None,
            tries: 0,
            probes: 0,
            probe_due: false,
            syn_lost: false,
            irs: Seq(0),
            receive: ReceiveQueue::new(config.receive_buffer, config.keep),
            told_edge: 1,
            fin_at: None,
            ack: AckDue::No,
            unacknowledged: 0,
            last_ack_sent: 0,
            quick: config.quick_acks,
            ts_recent: (0, 0),
            duplicate: None,
            challenge_at: 0,
            stray_at: 0,
            echo_congestion: false,
            last_ce: false,
            reduced: false,
            reset_due: None,
            time_wait_until: None,
            config,
        }
    }

    /// An active open from the first of `ports` to the second; `iss` is the initial sequence number, `random` any 64 bits.
    pub fn connect(now: Nanos, config: Config, ports: (u16, u16), iss: u32, random: u64) -> Self {
        let mut connection = Self::new(config, State::SynSent, ports, iss, random);
        connection.last_sent = now;
        connection
    }

    /// The end that answers `syn`, a segment with SYN and without ACK or RST that a listener received. `ect`: the packet that
    /// carried it was marked as ECN-capable, which a SYN must not be (RFC 3168 section 6.1.1): no ECN then.
    pub fn accept(now: Nanos, config: Config, syn: &Segment<'_>, iss: u32, random: u64, ect: bool) -> Self {
        let mut connection =
            Self::new(config, State::SynReceived, (syn.destination, syn.source), iss, random);
        connection.last_sent = now;
        connection.counters.segments_in = 1;
        connection.learn_syn(now, syn);
        connection.agreed.ecn &= !ect;
        connection
    }

    /// Bytes for the peer; returns how many there was room for. None after [`Connection::close`].
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        if !self.may_write() {
            return 0;
        }
        let taken = self.send.write(bytes);
        self.wants_room |= taken < bytes.len();
        taken
    }

    /// So many bytes of [`crate::pattern`] for the peer, which take no memory; returns how many the send buffer allowed.
    pub fn write_pattern(&mut self, bytes: u64) -> u64 {
        if !self.may_write() {
            return 0;
        }
        let taken = self.send.write_pattern(bytes);
        self.wants_room |= taken < bytes;
        taken
    }

    fn may_write(&self) -> bool {
        !self.closing && !matches!(self.state, State::Closed | State::TimeWait)
    }

    /// Bytes received in order; returns how many were put into `room`. Zeros where bytes are only counted.
    pub fn read(&mut self, room: &mut [u8]) -> usize {
        let taken = self.receive.read(room);
        self.tell_room();
        taken
    }

    /// Reads all that is there without looking at it; returns the number of bytes.
    pub fn discard(&mut self) -> u64 {
        let taken = self.receive.discard();
        self.tell_room();
        taken
    }

    /// A window that opened by half the buffer or two segments is worth a segment of its own (RFC 9293 section 3.8.6.2.2).
    fn tell_room(&mut self) {
        if !self.state.receives() {
            return;
        }
        let told = self.told_edge.saturating_sub(self.receive.next());
        let half = u64::from(self.config.receive_buffer) / 2;
        let step = (2 * u64::from(self.mss)).min(half).max(1 << self.agreed.receive_scale);
        // While the peer has room for half the buffer its next segments carry the news.
        if told < half && self.offered_edge() >= self.told_edge + step {
            self.ack = AckDue::Now;
        }
    }

    /// The end of the window that could be told now.
    fn offered_edge(&self) -> u64 {
        self.receive.edge().min(self.receive.next() + (65535 << self.agreed.receive_scale))
    }

    /// No more bytes follow: FIN behind what was written. Receiving goes on.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Breaks off: a reset goes to the peer, what was not delivered is lost.
    pub fn abort(&mut self) {
        if self.state == State::Closed {
            return;
        }
        if !matches!(self.state, State::SynSent | State::TimeWait) {
            self.reset_due = Some((
                self.iss.plus(self.nxt),
                self.irs.plus(self.receive.next()),
                Flags::RST.and(Flags::ACK),
            ));
        }
        self.end(Closed::Aborted);
    }

    /// The path takes payloads of no more than `mss` bytes (options of TCP not taken off): larger segments are cut and sent again.
    pub fn set_mss(&mut self, mss: u16) {
        let mss = u32::from(mss).max(64) - if self.agreed.timestamps { 12 } else { 0 };
        if mss < self.mss {
            self.mss = mss;
            self.board.cut(mss);
            self.force = self.board.has_lost();
            self.controller.on_mss(mss);
        }
    }

    /// Spaces segments in another way from now on.
    pub fn set_pacing(&mut self, pacing: Pacing) {
        self.config.pacing = pacing;
    }

    /// So many bytes of this connection's segments ([`Outgoing::len`]) left the host's own queue.
    pub fn departed(&mut self, bytes: u32) {
        self.queued = self.queued.saturating_sub(u64::from(bytes));
    }

    /// The next thing the application is to be told.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Where the connection stands (RFC 9293 section 3.3.2).
    pub fn state(&self) -> State {
        self.state
    }

    /// All figures of this connection.
    pub fn info(&self) -> Info {
        Info {
            state: self.state,
            mss: self.mss,
            cwnd: self.cwnd(),
            ssthresh: self.controller.slow_start_threshold(),
            srtt: self.rtt.smoothed,
            rttvar: self.rtt.variation,
            min_rtt: self.rtt.least,
            rto: self.rtt.rto(),
            in_flight: self.pipe(),
            pacing_rate: self.pacing_rate(),
            written: self.send.end() - 1,
            acked: self.una.clamp(1, self.send.end()) - 1,
            received: self.receive.next()
                - 1
                - u64::from(self.fin_at.is_some_and(|fin| fin < self.receive.next())),
            segments_out: self.counters.segments_out,
            segments_in: self.counters.segments_in,
            retransmits: self.counters.retransmits,
            timeouts: self.counters.timeouts,
            recoveries: self.counters.recoveries,
            spurious: self.counters.spurious,
            ecn_reductions: self.counters.ecn_reductions,
            peer_window: self.window,
        }
    }

    /// Whether a trace is kept from now on.
    pub fn trace(&mut self, on: bool) {
        if on != self.trace.is_some() {
            self.trace = on.then(Vec::new);
        }
    }

    /// The rows since the last call.
    pub fn take_trace(&mut self) -> Vec<TraceRow> {
        self.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn note(&mut self, time: Nanos, kind: TraceKind, seq: u64, len: u32) {
        if self.trace.is_some() {
            let row = TraceRow {
                time,
                kind,
                seq,
                len,
                cwnd: self.cwnd(),
                ssthresh: self.controller.slow_start_threshold(),
                in_flight: self.pipe(),
                srtt: self.rtt.smoothed,
            };
            if let Some(trace) = &mut self.trace {
                trace.push(row);
            }
        }
    }

    /// Bytes thought to be in the network.
    fn pipe(&self) -> u64 {
        self.board.pipe().saturating_sub(self.anonymous * u64::from(self.mss))
    }

    fn cwnd(&self) -> u64 {
        self.prr.as_ref().map_or_else(|| self.controller.window(), Prr::window)
    }

    /// What headers add to the payload of a segment of data, bytes.
    fn headers(&self) -> u64 {
        u64::from(self.config.ip_header) + 20 + if self.agreed.timestamps { 12 } else { 0 }
    }

    /// Bits of IP packets per second at which segments are spaced, if they are. A controller counts payload: its rate is that
    /// of the packets which carry so much in full segments.
    fn pacing_rate(&self) -> Option<u64> {
        let payload = match self.config.pacing {
            Pacing::Always => self.controller.pacing_rate().or_else(|| {
                rate_of_window(
                    self.controller.window(),
                    self.controller.slow_start_threshold(),
                    self.rtt.smoothed,
                )
            }),
            Pacing::Controller | Pacing::Rate(_) => self.controller.pacing_rate(),
        };
        let mss = u64::from(self.mss);
        let own = payload.map(|rate| mul_div(rate, mss + self.headers(), mss));
        let asked = if let Pacing::Rate(rate) = self.config.pacing { Some(rate) } else { None };
        own.into_iter().chain(asked).min().map(|rate| rate.max(1))
    }

    /// Milliseconds that begin anywhere (RFC 7323 section 5.4).
    fn timestamp(&self, now: Nanos) -> u32 {
        ((now / MILLISECOND) as u32).wrapping_add((self.random >> 32) as u32)
    }

    fn stamps(&self, now: Nanos) -> Option<(u32, u32)> {
        self.agreed.timestamps.then(|| (self.timestamp(now), self.ts_recent.0))
    }

    /// What the peer's SYN says.
    fn learn_syn(&mut self, now: Nanos, syn: &Segment<'_>) {
        self.irs = syn.seq;
        self.told_edge = 1 + u64::from(self.config.receive_buffer.min(65535));
        let options: &Options = &syn.options;
        let config = &self.config;
        let scaling = config.window_scaling && options.window_scale.is_some();
        let both_echo = Flags::ECE.and(Flags::CWR);
        self.agreed = Agreed {
            sack: config.sack && options.sack_permitted,
            timestamps: config.timestamps && options.timestamps.is_some(),
            ecn: config.ecn
                && if syn.flags.has(Flags::ACK) {
                    syn.flags.has(Flags::ECE) && !syn.flags.has(Flags::CWR)
                } else {
                    syn.flags.has(both_echo)
                },
            send_scale: if scaling { options.window_scale.unwrap_or(0).min(14) } else { 0 },
            receive_scale: if scaling { scale_for(config.receive_buffer) } else { 0 },
        };
        if let (true, Some((value, _))) = (self.agreed.timestamps, options.timestamps) {
            self.ts_recent = (value, now);
        }
        // An MSS below 64 bytes would make segments of options alone (RFC 9293 section 3.7.1 leaves 536 where none is told).
        let peer = u32::from(options.mss.unwrap_or(536)).max(64);
        self.mss = peer.min(u32::from(self.config.mss)) - if self.agreed.timestamps { 12 } else { 0 };
        self.window = u64::from(syn.window);
        self.max_window = self.window;
        self.window_at = (0, 0);
    }

    /// The handshake is complete.
    fn established(&mut self) {
        self.state = State::Established;
        let start = start(&self.config, self.mss, self.random, self.syn_lost);
        self.controller = controller(&self.config.congestion, &start);
        self.round_end = self.nxt;
        if self.syn_lost {
            self.rtt.cautious();
        }
        self.events.push_back(Event::Connected);
    }

    fn end(&mut self, why: Closed) {
        self.state = State::Closed;
        self.retransmit_at = None;
        self.persist_at = None;
        self.time_wait_until = None;
        self.paced_until = None;
        self.ack = AckDue::No;
        self.events.push_back(Event::Closed(why));
    }
}

/// By how many bits a window of this size has to be shifted to fit into 16.
fn scale_for(buffer: u32) -> u8 {
    (0..14).find(|shift| buffer >> shift <= 65535).unwrap_or(14)
}

/// One segment only where the SYN had to be repeated (RFC 5681 section 3.1).
fn start(config: &Config, mss: u32, random: u64, syn_lost: bool) -> Start {
    let segments = if syn_lost { 1 } else { u64::from(config.initial_window_segments) };
    Start {
        mss,
        initial_window: segments * u64::from(mss),
        random,
        hystart: config.hystart.unwrap_or(matches!(config.congestion, crate::Algorithm::Cubic)),
        fast_convergence: config.fast_convergence,
    }
}
