//! One end of a connection.

mod acknowledgement;
mod input;
mod open;
mod output;
mod pacing;
mod quick_ack;
mod statistics;
mod tail;
mod time_wait;
mod timers;
mod undo;
mod user;

use std::collections::VecDeque;

use crate::config::{Config, MIN_MSS};
use crate::congestion::{CongestionControl, controller};
use crate::info::TraceRow;
use crate::pacer::Pacer;
use crate::rate::Delivery;
use crate::receive_queue::ReceiveQueue;
use crate::recovery::{Phase, Prr};
use crate::rtt::Rtt;
use crate::scoreboard::Scoreboard;
use crate::segment::Flags;
use crate::send_queue::SendQueue;
use crate::seq::Seq;
use crate::{MILLISECOND, Nanos};

use crate::state::{Closed, Event, State};
use open::{scale_for, start};
pub use output::Outgoing;
pub use time_wait::{TimeWait, TimeWaitAnswer};

/// The time at which an acknowledgement is due.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum AckDue {
    No,
    At(Nanos),
    Now,
}

/// The options on which both ends agreed in the handshake.
#[derive(Copy, Clone, Debug, Default)]
struct AgreedOptions {
    sack: bool,
    timestamps: bool,
    ecn: bool,
    send_scale: u8,
    receive_scale: u8,
}

/// The counters of a connection.
#[derive(Copy, Clone, Debug, Default)]
struct Counters {
    segments_out: u64,
    segments_in: u64,
    retransmits: u64,
    timeouts: u64,
    recoveries: u64,
    spurious: u64,
    ecn_reductions: u64,
    undone: u64,
    tail_probes: u64,
}

/// One end of a connection (RFC 9293).
///
/// After every call of [`Connection::on_segment`], [`Connection::on_timer`], [`Connection::write`],
/// [`Connection::read`], [`Connection::discard`], [`Connection::close`], [`Connection::abort`] or
/// [`Connection::on_departed`], the caller takes segments with [`Connection::next_segment`] until
/// there is none, and then reads [`Connection::next_deadline`].
///
/// Internal positions have 64 bits: the SYN is at position 0, the first byte of data at 1.
pub struct Connection {
    config: Config,
    state: State,
    ports: (u16, u16),
    random: u64,
    agreed: AgreedOptions,
    events: VecDeque<Event>,
    counters: Counters,
    trace: Option<Vec<TraceRow>>,

    iss: Seq,
    una: u64,
    nxt: u64,
    /// The peer's window, starting at `una`, and the segment that announced it (SND.WL1, SND.WL2).
    window: u64,
    max_window: u64,
    window_at: (u64, u64),
    mss: u32,
    send: SendQueue,
    /// The end of the last segment that was not full; 0 before the first.
    small_end: u64,
    closing: bool,
    /// Whether the application has closed, so that received bytes are no longer read.
    released: bool,
    writer_waits: bool,
    board: Scoreboard,
    rtt: Rtt,
    phase: Phase,
    prr: Option<Prr>,
    undo_state: Option<undo::UndoState>,
    /// Number of segments that have arrived according to duplicate acknowledgements, if the peer
    /// has no SACK.
    dup_acked: u64,
    /// Whether a segment may be sent without room in the window: the first retransmission of a
    /// recovery.
    force: bool,
    /// Whether the congestion window limited new data, in this round trip and in the last one.
    cwnd_limited: (bool, bool),
    /// Maximum number of bytes in flight: in this round trip, and in the last one.
    max_in_flight: (u64, u64),
    round_end: u64,
    last_sent: Nanos,
    controller: Box<dyn CongestionControl>,
    delivery: Delivery,
    pacer: Pacer,
    burst: pacing::Burst,
    paced_until: Option<Nanos>,
    queued: u64,
    /// Whether a segment waits until other segments have left the host's own queue.
    waits_for_departure: bool,

    retransmit_at: Option<Nanos>,
    persist_at: Option<Nanos>,
    tail_at: Option<Nanos>,
    tail_due: bool,
    tail: Option<tail::TailProbe>,
    /// The number of retransmissions without an answer.
    retries: u32,
    probes: u32,
    probe_due: bool,
    syn_lost: bool,

    irs: Seq,
    receive: ReceiveQueue,
    /// The right edge of the advertised window.
    advertised_edge: u64,
    ack: AckDue,
    unacknowledged: u32,
    last_ack_sent: u64,
    quick_acks: quick_ack::QuickAcks,
    /// The peer's most recent timestamp, and the time at which it arrived.
    ts_recent: (u32, Nanos),
    duplicate: Option<(u64, u64)>,
    challenge_at: Nanos,
    out_of_window_answer_at: Nanos,
    echo_congestion: bool,
    last_ce: bool,
    reduced: bool,
    reset_due: Option<(Seq, Seq, Flags)>,
    time_wait_until: Option<Nanos>,
    fin_wait_until: Option<Nanos>,
}

impl Connection {
    fn new(config: Config, state: State, ports: (u16, u16), iss: u32, random: u64) -> Self {
        let variation = config.min_variation.max(config.delayed_ack.timeout);
        let rtt = Rtt::new(config.initial_rto, config.min_rto, config.max_rto, variation);
        let receive_scale = scale_for(config.receive_buffer);
        let mss = u32::from(config.mss.max(MIN_MSS));
        let start = start(&config, mss, random, false, 0);
        Connection {
            state,
            ports,
            random,
            agreed: AgreedOptions { receive_scale, ..AgreedOptions::default() },
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
            small_end: 0,
            closing: false,
            released: false,
            writer_waits: false,
            board: Scoreboard::new(config.adapt_reordering),
            rtt,
            phase: Phase::Open,
            prr: None,
            undo_state: None,
            dup_acked: 0,
            force: false,
            cwnd_limited: (false, false),
            max_in_flight: (0, 0),
            round_end: 0,
            last_sent: 0,
            controller: controller(&config.congestion, &start),
            delivery: Delivery::default(),
            pacer: Pacer::default(),
            burst: pacing::Burst::default(),
            paced_until: None,
            queued: 0,
            waits_for_departure: false,
            retransmit_at: None,
            persist_at: None,
            tail_at: None,
            tail_due: false,
            tail: None,
            retries: 0,
            probes: 0,
            probe_due: false,
            syn_lost: false,
            irs: Seq(0),
            receive: ReceiveQueue::new(config.receive_buffer, config.keep),
            advertised_edge: 1,
            ack: AckDue::No,
            unacknowledged: 0,
            last_ack_sent: 0,
            quick_acks: quick_ack::QuickAcks::new(config.quick_acks, config.receive_buffer),
            ts_recent: (0, 0),
            duplicate: None,
            challenge_at: 0,
            out_of_window_answer_at: 0,
            echo_congestion: false,
            last_ce: false,
            reduced: false,
            reset_due: None,
            time_wait_until: None,
            fin_wait_until: None,
            config,
        }
    }

    /// Returns the bytes that are assumed to be in the network.
    fn pipe(&self) -> u64 {
        self.board.pipe().saturating_sub(self.dup_acked * u64::from(self.mss))
    }

    /// Returns the congestion window in bytes, which recovery may lower for a time.
    fn cwnd(&self) -> u64 {
        self.prr.as_ref().map_or_else(|| self.controller.window(), Prr::send_window)
    }

    /// Returns the timestamp clock: milliseconds with a random offset (RFC 7323 section 5.4).
    fn timestamp(&self, now: Nanos) -> u32 {
        ((now / MILLISECOND) as u32).wrapping_add((self.random >> 32) as u32)
    }

    /// Returns the timestamps to send, if they are in use.
    fn stamps(&self, now: Nanos) -> Option<(u32, u32)> {
        self.agreed.timestamps.then(|| (self.timestamp(now), self.ts_recent.0))
    }

    /// Closes the connection, and stops all its timers.
    fn end(&mut self, why: Closed) {
        self.state = State::Closed;
        self.retransmit_at = None;
        self.persist_at = None;
        self.time_wait_until = None;
        self.fin_wait_until = None;
        self.tail_at = None;
        self.paced_until = None;
        self.ack = AckDue::No;
        self.events.push_back(Event::Closed(why));
    }
}
