//! All that outlives a packet: tables, value sets, externs, groups, sessions. Packets read it, control requests change it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rand_pcg::Pcg64Mcg;
use weir_ir::{Bits, ExternId, Program};
use weir_tables::{Field, FieldKind, KeyLayout, Table};

use crate::choices::Choices;
use crate::control::{CloneSession, Digest, LogLine, MatchKind, Replica};
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::externs::hash::Hashes;
use crate::externs::turn::Turn;
use crate::idle::IdleTimers;
use crate::lookup::Room;
use crate::tables::{Actions, TableRuntime};

/// How many digests and log lines are kept for a reader; the oldest are lost first.
pub(crate) const KEPT: usize = 4096;

pub(crate) struct Runtime {
    /// By `TableId`.
    pub tables: Vec<TableRuntime>,
    /// By `ValueSetId`.
    pub value_sets: Vec<Table>,
    /// By `ExternId`.
    pub externs: Vec<ExternState>,
    pub groups: BTreeMap<u16, Vec<Replica>>,
    pub sessions: BTreeMap<u32, CloneSession>,
    pub digests: VecDeque<Digest>,
    pub log: VecDeque<LogLine>,
    pub random: Pcg64Mcg,
    pub hashes: Hashes,
    pub idle: IdleTimers,
    pub choices: Choices,
    pub room: Room,
    pub turn: Turn,
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
                Ok(Table::new(KeyLayout::new(fields), 0))
            })
            .collect::<Result<_, LoadError>>()?;
        let actions = Arc::new(Actions::new(program));
        let tables = program.tables.iter().map(|(id, _)| TableRuntime::new(program, id, &actions, &externs));
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            value_sets,
            externs,
            groups: BTreeMap::new(),
            sessions: BTreeMap::new(),
            digests: VecDeque::new(),
            log: VecDeque::new(),
            random: Pcg64Mcg::new(u128::from(seed)),
            hashes: Hashes::default(),
            idle: IdleTimers::default(),
            choices: Choices::default(),
            room: Room::default(),
            turn: Turn::default(),
        })
    }

    /// The state at the start but for clone sessions, CRC parameters and the random generator.
    pub(crate) fn blank(&self, program: &Program) -> Self {
        let externs = self.externs.iter().map(ExternState::blank).collect();
        let fresh = Self::new(program, externs, 0).expect("what could be loaded once can be loaded again");
        Self {
            sessions: self.sessions.clone(),
            random: self.random.clone(),
            hashes: self.hashes.clone(),
            ..fresh
        }
    }

    pub(crate) fn extern_mut(&mut self, id: ExternId) -> &mut ExternState {
        &mut self.externs[id.index()]
    }

    pub(crate) fn digest(&mut self, digest: Digest) {
        if self.digests.len() == KEPT {
            self.digests.pop_front();
        }
        self.digests.push_back(digest);
    }

    pub(crate) fn log(&mut self, line: LogLine) {
        if self.log.len() == KEPT {
            self.log.pop_front();
        }
        self.log.push_back(line);
    }
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
