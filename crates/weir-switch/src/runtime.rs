//! All that outlives a packet: tables, value sets, externs, groups, sessions. Packets read it, control requests change it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use weir_ir::{Bits, ExternId, Program};
use weir_tables::{Field, FieldKind, KeyLayout, Table};

use crate::choices::Choices;
use crate::control::{Batch, CloneSession, Digest, LogLine, MatchKind, Replica};
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::externs::hash::Hashes;
use crate::externs::turn::Turn;
use crate::idle::IdleTimers;
use crate::lookup::Room;
use crate::plane::{Pinned, Publisher};
use crate::tables::{Actions, TableRuntime};

/// How many digests and log lines are kept for a reader; the oldest are lost first.
pub(crate) const KEPT: usize = 4096;

pub(crate) struct Runtime {
    /// By `TableId`.
    pub tables: Vec<TableRuntime>,
    /// By `ValueSetId`.
    pub value_sets: Vec<Arc<Table>>,
    /// By `ExternId`.
    pub externs: Vec<ExternState>,
    pub groups: Arc<BTreeMap<u16, Vec<Replica>>>,
    pub sessions: Arc<BTreeMap<u32, CloneSession>>,
    pub digests: VecDeque<Digest>,
    pub log: VecDeque<LogLine>,
    pub random: Pcg64Mcg,
    pub hashes: Arc<Hashes>,
    pub idle: IdleTimers,
    pub choices: Choices,
    pub room: Room,
    /// What control requests keep from one to the next.
    pub batch: Batch,
    pub turn: Turn,
    /// Moments of tables that were counted so far; see [`TableRuntime::steady`].
    pub moments: u64,
    /// What packets see in place of the tables here, on threads that only read, while they have packets.
    pub plane: Option<Pinned>,
    /// Where threads that only read get to know of changes, if there are any.
    pub publisher: Option<Publisher>,
}

impl Runtime {
    /// The state at the start: constant and initial entries, zeroes everywhere else.
    pub(crate) fn new(program: &Program, externs: Vec<ExternState>, seed: u64) -> Result<Self, LoadError> {
        let value_sets = program
            .value_sets
            .values()
            .map(|set| {
                let fields = set
                    .fields
                    .iter()
                    .map(|field| {
                        let kind = MatchKind::from_name(&field.match_kind).ok_or_else(|| {
                            LoadError::Unsupported {
                                place: Place::new(program, set.loc),
                                feature: format!(
                                    "match kind `{}` in value set `{}`",
                                    field.match_kind, set.name
                                ),
                                note: None,
                            }
                        })?;
                        Ok(Field { width: field.width, kind: field_kind(kind) })
                    })
                    .collect::<Result<_, LoadError>>()?;
                Ok(Arc::new(Table::new(KeyLayout::new(fields), 0)))
            })
            .collect::<Result<_, LoadError>>()?;
        let actions = Arc::new(Actions::new(program));
        let tables = program.tables.iter().map(|(id, _)| TableRuntime::new(program, id, &actions, &externs));
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            value_sets,
            externs,
            groups: Arc::default(),
            sessions: Arc::default(),
            digests: VecDeque::new(),
            log: VecDeque::new(),
            random: Pcg64Mcg::new(u128::from(seed)),
            hashes: Arc::default(),
            idle: IdleTimers::default(),
            choices: Choices::default(),
            room: Room::default(),
            batch: Batch::default(),
            turn: Turn::default(),
            moments: 0,
            plane: None,
            publisher: None,
        })
    }

    /// The state at the start but for clone sessions, CRC parameters and the random generator.
    pub(crate) fn blank(&self, program: &Program) -> Self {
        let externs = self.externs.iter().map(ExternState::blank).collect();
        let fresh = Self::new(program, externs, 0).expect("what could be loaded once can be loaded again");
        Self {
            sessions: Arc::clone(&self.sessions),
            random: self.random.clone(),
            hashes: Arc::clone(&self.hashes),
            ..fresh
        }
    }

    /// Puts another state in the place of this one, which is returned, for the same threads.
    pub(crate) fn replace(&mut self, other: Self) -> Self {
        let mut old = std::mem::replace(self, other);
        std::mem::swap(&mut self.turn, &mut old.turn);
        self.moments = self.moments.max(old.moments);
        std::mem::swap(&mut self.publisher, &mut old.publisher);
        old
    }

    /// For a worker that sees what is published of this one.
    pub(crate) fn for_worker(&self, seed: u64, number: u64) -> Self {
        // Spread, so that seeds that follow each other are not the next worker's.
        let seed = seed ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut turn = Turn::default();
        turn.share(self.publisher.as_ref().map(|publisher| Arc::clone(&publisher.shared.turnstile)));
        Self {
            tables: self.tables.iter().map(TableRuntime::for_worker).collect(),
            value_sets: self.value_sets.clone(),
            externs: self.externs.clone(),
            groups: Arc::clone(&self.groups),
            sessions: Arc::clone(&self.sessions),
            digests: VecDeque::new(),
            log: VecDeque::new(),
            random: Pcg64Mcg::seed_from_u64(seed),
            hashes: Arc::clone(&self.hashes),
            idle: IdleTimers::default(),
            choices: Choices::default(),
            room: Room::default(),
            batch: Batch::default(),
            turn,
            moments: 0,
            plane: None,
            publisher: None,
        }
    }

    pub(crate) fn extern_mut(&mut self, id: ExternId) -> &mut ExternState {
        &mut self.externs[id.index()]
    }

    /// Sets a register's cell and returns what it held: not between a packet's reading it and its writing it back.
    pub(crate) fn replace_cell(&mut self, register: ExternId, index: u64, value: &Bits) -> Option<Bits> {
        let Self { externs, turn, .. } = self;
        let ExternState::Register(cells) = &externs[register.index()] else { return None };
        turn.take();
        let old = cells.get(index);
        cells.set(index, value);
        turn.end();
        old
    }

    pub(crate) fn digest(&mut self, digest: Digest) {
        keep(&mut self.digests, [digest]);
    }

    pub(crate) fn log(&mut self, line: LogLine) {
        keep(&mut self.log, [line]);
    }
}

/// Puts what is new behind what is there, of which the newest [`KEPT`] stay.
pub(crate) fn keep<T>(kept: &mut VecDeque<T>, new: impl IntoIterator<Item = T>) {
    kept.extend(new);
    let over = kept.len().saturating_sub(KEPT);
    kept.drain(..over);
}

pub(crate) fn field_kind(kind: MatchKind) -> FieldKind {
    match kind {
        MatchKind::Exact => FieldKind::Exact,
        MatchKind::Lpm => FieldKind::Lpm,
        MatchKind::Ternary => FieldKind::Ternary,
        MatchKind::Range => FieldKind::Range,
        MatchKind::Optional => FieldKind::Optional,
    }
}

/// Values as `weir-tables` has them, each in whole words.
pub(crate) fn key_words<'a>(keys: impl IntoIterator<Item = &'a Bits>, into: &mut Vec<u64>) {
    into.clear();
    for key in keys {
        let start = into.len();
        into.resize(start + key.width().div_ceil(64) as usize, 0);
        key.write_words(&mut into[start..]);
    }
}
