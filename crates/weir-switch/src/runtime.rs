//! All that outlives a packet: tables, value sets, externs, groups, sessions. Packets read it, control requests change it.

use std::collections::{BTreeMap, VecDeque};

use rand_pcg::Pcg64Mcg;
use weir_ir::{Bits, ExternId, Program};
use weir_tables::{Field, FieldKind, KeyLayout, MatchTable};

use crate::control::{CloneSession, Digest, LogLine, MatchKind, Replica};
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::tables::TableRuntime;

/// How many digests and log lines are kept for a reader; the oldest are lost first.
pub(crate) const KEPT: usize = 4096;

pub(crate) struct Runtime {
    /// By `TableId`.
    pub tables: Vec<TableRuntime>,
    /// By `ValueSetId`.
    pub value_sets: Vec<MatchTable<()>>,
    /// By `ExternId`.
    pub externs: Vec<ExternState>,
    pub groups: BTreeMap<u16, Vec<Replica>>,
    pub sessions: BTreeMap<u32, CloneSession>,
    pub digests: VecDeque<Digest>,
    pub log: VecDeque<LogLine>,
    pub random: Pcg64Mcg,
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
                Ok(MatchTable::new(KeyLayout::new(fields)))
            })
            .collect::<Result<_, LoadError>>()?;
        Ok(Self {
            tables: program
                .tables
                .iter()
                .map(|(_, table)| TableRuntime::new(program, table, &externs))
                .collect::<Result<_, _>>()?,
            value_sets,
            externs,
            groups: BTreeMap::new(),
            sessions: BTreeMap::new(),
            digests: VecDeque::new(),
            log: VecDeque::new(),
            random: Pcg64Mcg::new(u128::from(seed)),
        })
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

/// Key values as the byte string that `weir-tables` compares.
pub(crate) fn key_bytes(keys: &[Bits], into: &mut Vec<u8>) {
    into.clear();
    for key in keys {
        into.extend_from_slice(&key.to_be_bytes());
    }
}
