//! What the extern calls of a program mean, found out once: so that compiled code needs no call for them, or one that parses nothing.

use weir_exec::{CallFrame, ExternSemantics, FrameValue};
use weir_ir::{ArgValue, Expr, ExprKind, ExternCall, ExternId, Leaf, Program, Type, VarId, VarRole};

use super::metadata::Fields;
use super::support::Enumerations;
use crate::arch::calls::extern_calls;
use crate::externs::ExternState;
use crate::externs::hash::{Algorithm, HashKind};
use crate::packet::Keep;

/// What is known of a program's calls.
#[derive(Debug, Default)]
pub(super) struct Calls {
    known: Vec<(ExternCall, Known)>,
    /// By the numbers of [`ExternSemantics::Words`].
    pub(super) words: Vec<WordCall>,
}

#[derive(Debug)]
enum Known {
    Means(ExternSemantics),
    /// Sets this to the drop port, and this to 0.
    MarksToDrop(Option<VarId>, Option<VarId>),
}

/// A call whose values lie in the words of a [`CallFrame`].
#[derive(Clone, Debug)]
pub(super) enum WordCall {
    Hash {
        result: FrameValue,
        algorithm: WordHash,
        base: FrameValue,
        data: Vec<FrameValue>,
        max: FrameValue,
    },
    Update {
        condition: FrameValue,
        data: Vec<FrameValue>,
        field: FrameValue,
        algorithm: WordHash,
        with_payload: bool,
    },
    Sum {
        data: Vec<FrameValue>,
        result: FrameValue,
    },
    Random {
        result: FrameValue,
        low: FrameValue,
        high: FrameValue,
    },
    Count {
        counter: ExternId,
        index: FrameValue,
    },
    /// The cell's words are these from `at` on.
    Read {
        register: ExternId,
        index: FrameValue,
        at: usize,
    },
    Write {
        register: ExternId,
        index: FrameValue,
        at: usize,
    },
    Meter {
        meter: ExternId,
        index: FrameValue,
        colour: FrameValue,
    },
    DirectMeter {
        meter: ExternId,
        colour: FrameValue,
    },
    Clone {
        session: FrameValue,
        keep: WordKeep,
    },
    Resubmit(WordKeep),
    Recirculate(WordKeep),
    Truncate {
        length: FrameValue,
    },
    /// The names of the data's leaves, if all of its headers are valid.
    Digest {
        receiver: FrameValue,
        data: Vec<FrameValue>,
        names: Vec<String>,
    },
    Log {
        text: String,
        values: Vec<FrameValue>,
    },
    Assert {
        condition: FrameValue,
    },
}

/// An algorithm.
#[derive(Clone, Copy, Debug)]
pub(super) enum WordHash {
    Known(HashKind),
    /// The ordinal stands here.
    Given(FrameValue),
}

/// What a packet keeps.
#[derive(Clone, Debug)]
pub(super) enum WordKeep {
    Known(Keep),
    /// The field list whose number stands here.
    List(FrameValue),
}

/// The metadata that an argument of the old forms of clone, resubmit and recirculate names. Fields of headers, constants and
/// computed values are nothing that the packet could bring along.
pub(super) fn given(fields: &Fields, call: &ExternCall, position: usize) -> Keep {
    let Some(ArgValue::Leaves(leaves)) = call.args.get(position).map(|arg| &arg.value) else {
        return Keep::Nothing;
    };
    let metadata = |leaf: &Leaf| match leaf {
        Leaf::Value(Expr { kind: ExprKind::Var(var), .. }) if fields.is_metadata(*var) => Some(*var),
        _ => None,
    };
    Keep::Vars(leaves.iter().filter_map(metadata).collect())
}

impl Calls {
    pub(super) fn new(
        program: &Program,
        externs: &[ExternState],
        fields: &Fields,
        enums: &Enumerations,
    ) -> Self {
        let mut calls = Self::default();
        for (call, _) in extern_calls(program) {
            let reader = Reader { program, externs, fields, enums, call };
            let known = reader.known().or_else(|| {
                let words = reader.by_words()?;
                calls.words.push(words);
                Some(Known::Means(ExternSemantics::Words(calls.words.len() as u32 - 1)))
            });
            calls.known.extend(known.map(|known| (call.clone(), known)));
        }
        calls
    }

    /// The meanings where this is the drop port.
    pub(super) fn meanings(&self, program: &Program, drop_port: u64) -> Vec<(ExternCall, ExternSemantics)> {
        let set = |var: &VarId, value: u64| {
            let width = program.vars[*var].ty.width();
            (*var, if width < 64 { value & ((1 << width) - 1) } else { value })
        };
        let meaning = |known: &Known| match known {
            Known::Means(meaning) => meaning.clone(),
            Known::MarksToDrop(port, group) => {
                let port = port.iter().map(|var| set(var, drop_port));
                ExternSemantics::Set(port.chain(group.iter().map(|var| set(var, 0))).collect())
            }
        };
        self.known.iter().map(|(call, known)| (call.clone(), meaning(known))).collect()
    }
}

/// Reads one call.
struct Reader<'a> {
    program: &'a Program,
    externs: &'a [ExternState],
    fields: &'a Fields,
    enums: &'a Enumerations,
    call: &'a ExternCall,
}

impl Reader<'_> {
    fn leaves(&self, position: usize) -> Option<&[Leaf]> {
        match &self.call.args.get(position)?.value {
            ArgValue::Leaves(leaves) => Some(leaves),
            _ => None,
        }
    }

    fn is_plain(&self, var: VarId) -> bool {
        let var = &self.program.vars[var];
        var.role == VarRole::Plain && !matches!(var.ty, Type::Varbit { .. }) && var.ty.width() <= 64
    }

    /// Whether nothing needs to be called.
    fn known(&self) -> Option<Known> {
        match self.call.callee.as_str() {
            "mark_to_drop" => {
                let (port, group) = match self.call.args.first().map(|arg| &arg.value) {
                    Some(ArgValue::Vars { vars, names }) => {
                        let named = |wanted: &str| {
                            names.iter().zip(vars).find(|(name, _)| *name == wanted).map(|(_, var)| *var)
                        };
                        (named("egress_spec"), named("mcast_grp"))
                    }
                    _ => (self.fields.egress_spec, self.fields.mcast_grp),
                };
                let plain = [port, group].into_iter().flatten().all(|var| self.is_plain(var));
                plain.then_some(Known::MarksToDrop(port, group))
            }
            // A direct counter counts each hit of its table by itself.
            "direct_counter.count" => Some(Known::Means(ExternSemantics::Set(Vec::new()))),
            "Checksum16.get" if self.call.result.is_empty() => {
                Some(Known::Means(ExternSemantics::Set(Vec::new())))
            }
            "verify_checksum" if self.is_internet_checksum() => {
                Some(Known::Means(match self.fields.checksum_error {
                    Some(error) if self.is_plain(error) => {
                        ExternSemantics::VerifyChecksum { condition: 0, data: 1, given: 2, error }
                    }
                    Some(_) => return None,
                    None => ExternSemantics::Set(Vec::new()),
                }))
            }
            "update_checksum" if self.is_internet_checksum() => {
                Some(Known::Means(ExternSemantics::UpdateChecksum { condition: 0, data: 1, field: 2 }))
            }
            _ => None,
        }
    }

    /// Whether the first four arguments are a condition, values, one value of 16 bits, and `HashAlgorithm.csum16`.
    fn is_internet_checksum(&self) -> bool {
        let fixed = |ty: Type| !matches!(ty, Type::Varbit { .. });
        let values = self.leaves(1).is_some_and(|leaves| {
            leaves.iter().all(|leaf| matches!(leaf, Leaf::Value(value) if fixed(value.ty)))
        });
        let sixteen = match self.call.args.get(2).map(|arg| &arg.value) {
            Some(ArgValue::Leaves(leaves)) => {
                matches!(&leaves[..], [Leaf::Value(value)] if fixed(value.ty) && value.ty.width() == 16)
            }
            Some(ArgValue::Vars { vars, .. }) => matches!(vars[..], [var] if {
                let var = &self.program.vars[var];
                fixed(var.ty) && var.ty.width() == 16 && matches!(var.role, VarRole::Plain | VarRole::Field(_))
            }),
            _ => false,
        };
        let condition = matches!(self.leaves(0), Some([Leaf::Value(_)]));
        let algorithm = self.constant(3).and_then(|ordinal| self.enums.hash(&ordinal));
        condition && values && sixteen && algorithm == Some(HashKind::Data(Algorithm::Csum16))
    }

    fn constant(&self, position: usize) -> Option<weir_ir::Bits> {
        match self.leaves(position)? {
            [Leaf::Value(Expr { kind: ExprKind::Const(value), .. })] => Some(value.clone()),
            _ => None,
        }
    }

    /// What is done by words.
    fn by_words(&self) -> Option<WordCall> {
        let call = self.call;
        let frame = CallFrame::of(self.program, call)?;
        let parts = |position: usize| frame.args.get(position).cloned();
        let part = |position: usize| match frame.args.get(position)?[..] {
            [part @ FrameValue { if_valid: None, .. }] => Some(part),
            _ => None,
        };
        let algorithm = |position| match self.constant(position) {
            Some(ordinal) => Some(WordHash::Known(self.enums.hash(&ordinal)?)),
            None => Some(WordHash::Given(part(position)?)),
        };
        let given = |position| WordKeep::Known(given(self.fields, call, position));
        Some(match call.callee.as_str() {
            "hash" => WordCall::Hash {
                result: part(0)?,
                algorithm: algorithm(1)?,
                base: part(2)?,
                data: parts(3)?,
                max: part(4)?,
            },
            "update_checksum" | "update_checksum_with_payload" => WordCall::Update {
                condition: part(0)?,
                data: parts(1)?,
                field: part(2)?,
                algorithm: algorithm(3)?,
                with_payload: call.callee.ends_with("payload"),
            },
            "Checksum16.get" => match frame.result[..] {
                [result] => WordCall::Sum { data: parts(0)?, result },
                _ => return None,
            },
            "random" => WordCall::Random { result: part(0)?, low: part(1)?, high: part(2)? },
            "counter.count" => WordCall::Count { counter: call.instance?, index: part(0)? },
            "register.read" => {
                let at = self.cell(&parts(0)?)?;
                WordCall::Read { register: call.instance?, index: part(1)?, at }
            }
            "register.write" => {
                let at = self.cell(&self.with_validity(1, &frame)?)?;
                WordCall::Write { register: call.instance?, index: part(0)?, at }
            }
            "meter.execute_meter" => {
                WordCall::Meter { meter: call.instance?, index: part(0)?, colour: part(1)? }
            }
            "direct_meter.read" => WordCall::DirectMeter { meter: call.instance?, colour: part(0)? },
            "clone" => WordCall::Clone { session: part(1)?, keep: WordKeep::Known(Keep::Nothing) },
            "clone3" => WordCall::Clone { session: part(1)?, keep: given(2) },
            "clone_preserving_field_list" => {
                WordCall::Clone { session: part(1)?, keep: WordKeep::List(part(2)?) }
            }
            "resubmit" => WordCall::Resubmit(given(0)),
            "resubmit_preserving_field_list" => WordCall::Resubmit(WordKeep::List(part(0)?)),
            "recirculate" => WordCall::Recirculate(given(0)),
            "recirculate_preserving_field_list" => WordCall::Recirculate(WordKeep::List(part(0)?)),
            "truncate" => WordCall::Truncate { length: part(0)? },
            "digest" => {
                let names = crate::trace::argument_names(self.program, &call.args.get(1)?.value);
                WordCall::Digest { receiver: part(0)?, data: parts(1)?, names }
            }
            "log_msg" => match &call.args.first()?.value {
                ArgValue::Text(text) => {
                    WordCall::Log { text: text.clone(), values: parts(1).unwrap_or_default() }
                }
                _ => return None,
            },
            "assert" | "assume" => WordCall::Assert { condition: part(0)? },
            // Errors of checksums go where no argument tells.
            _ => return None,
        })
    }

    /// Where a register's cell begins, if these are its fields, one behind the other.
    fn cell(&self, parts: &[FrameValue]) -> Option<usize> {
        let ExternState::Register(register) = &self.externs[self.call.instance?.index()] else { return None };
        let widths = register.fields.iter().map(|(_, width)| *width);
        let together = parts.windows(2).all(|pair| pair[0].words().end == pair[1].at);
        (together && parts.iter().map(|part| part.width).eq(widths)).then_some(parts.first()?.at)
    }

    /// An argument's values with the validity of its headers before their fields.
    fn with_validity(&self, position: usize, frame: &CallFrame) -> Option<Vec<FrameValue>> {
        let Some(leaves) = self.leaves(position) else { return frame.args.get(position).cloned() };
        let mut parts = frame.args.get(position)?.iter();
        let mut all = Vec::new();
        for leaf in leaves {
            match leaf {
                Leaf::Value(_) => all.push(*parts.next()?),
                Leaf::Header(header) => {
                    let fields: Vec<FrameValue> =
                        parts.by_ref().take(self.program.headers[*header].fields.len()).copied().collect();
                    all.push(FrameValue { at: fields.first()?.if_valid?, width: 1, if_valid: None });
                    all.extend(fields);
                }
            }
        }
        Some(all)
    }
}
