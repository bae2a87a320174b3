//! What v1model's externs do for compiled code, over the words of a call's frame. Each does what the call of [`super::env`] does.

use weir_exec::{Fault, FrameValue};
use weir_ir::Bits;

use super::env::V1Env;
use super::meanings::{WordCall, WordHash, WordKeep};
use crate::externs::hash::{Algorithm, HashKind};
use crate::externs::{ExternState, random};
use crate::packet::Keep;
use crate::state::{Digest, ThreadState};

/// The low 64 bits.
fn low(words: &[u64], part: FrameValue) -> u64 {
    if part.width == 0 { 0 } else { words[part.at] }
}

/// The number, if it has no more than 64 bits.
fn number(words: &[u64], part: FrameValue) -> Option<u64> {
    if part.width > 64 && words[part.words()][1..].iter().any(|word| *word != 0) {
        return None;
    }
    Some(low(words, part))
}

fn bits(words: &[u64], part: FrameValue) -> Bits {
    Bits::from_words(part.width, &words[part.words()])
}

/// As many low bits as the part has.
fn put(words: &mut [u64], part: FrameValue, value: u128) {
    let value = if part.width < 128 { value & ((1 << part.width) - 1) } else { value };
    for (index, word) in words[part.words()].iter_mut().enumerate() {
        *word = if index < 2 { (value >> (64 * index)) as u64 } else { 0 };
    }
}

/// The parts but for fields of invalid headers.
fn present<'a>(words: &'a [u64], parts: &'a [FrameValue]) -> impl Iterator<Item = &'a FrameValue> {
    parts.iter().filter(|part| part.if_valid.is_none_or(|valid| words[valid] != 0))
}

impl V1Env<'_, '_> {
    pub(super) fn word_call(&mut self, call: &WordCall, words: &mut [u64]) -> Result<(), Fault> {
        match call {
            WordCall::Read { register, index, at } => {
                if let Some(register) = self.register(*register) {
                    // What has more than 64 bits is past the end.
                    register.read_words(number(words, *index).unwrap_or(u64::MAX), &mut words[*at..]);
                }
            }
            WordCall::Write { register, index, at } => {
                if let (Some(index), Some(register)) = (number(words, *index), self.register(*register)) {
                    register.write_words(index, &words[*at..]);
                }
            }
            WordCall::Count { counter, index } => {
                if let (Some(index), ExternState::Counter(counter)) =
                    (number(words, *index), &self.context.control.settings.externs[counter.index()])
                {
                    counter.count(index, self.length);
                }
            }
            WordCall::Meter { meter, index, colour } => {
                let (now, length) = (self.context.now, self.length);
                if let (Some(index), Some(meter)) = (number(words, *index), self.meter(*meter)) {
                    let said = meter.execute(index, now, length).map_or(0, |colour| colour as u128);
                    put(words, *colour, said);
                }
            }
            WordCall::DirectMeter { meter, colour } => put(words, *colour, self.colour(*meter)),
            WordCall::Hash { result, algorithm, base, data, max } => {
                let hash = self.hash_words(*algorithm, data, words, false);
                if base.width <= 64 && max.width <= 64 {
                    let (base, max) = (low(words, *base), low(words, *max));
                    let offset = match max {
                        0 => 0,
                        max if max.is_power_of_two() => hash & (max - 1),
                        max => hash % max,
                    };
                    put(words, *result, u128::from(base) + u128::from(offset));
                } else {
                    let (base, max) = (bits(words, *base), bits(words, *max));
                    placed(hash, &base, &max, result.width).write_words(&mut words[result.words()]);
                }
            }
            WordCall::Update { condition, data, field, algorithm, with_payload } => {
                if low(words, *condition) != 0 {
                    let sum = self.hash_words(*algorithm, data, words, *with_payload);
                    put(words, *field, u128::from(sum));
                }
            }
            WordCall::Sum { data, result } => {
                let csum16 = WordHash::Known(HashKind::Data(Algorithm::Csum16));
                let sum = self.hash_words(csum16, data, words, false);
                put(words, *result, u128::from(sum));
            }
            WordCall::Random { result, low, high } => {
                let (low, high) = (bits(words, *low), bits(words, *high));
                let ThreadState { random, choices, .. } = &mut *self.context.thread;
                let (value, _) = random::choose(random, choices, &low, &high);
                value.resize(result.width).write_words(&mut words[result.words()]);
            }
            WordCall::Clone { session, keep } => {
                self.signals.clone = Some((low(words, *session) as u32, kept(keep, words)));
            }
            WordCall::Resubmit(keep) => self.signals.resubmit = Some(kept(keep, words)),
            WordCall::Recirculate(keep) => self.signals.recirculate = Some(kept(keep, words)),
            WordCall::Truncate { length } => self.signals.cut(low(words, *length)),
            WordCall::Digest { receiver, data, names } => {
                let values: Vec<Bits> = present(words, data).map(|part| bits(words, *part)).collect();
                let all = values.len() == names.len();
                let names = if all { names.clone() } else { vec![String::new(); values.len()] };
                let (time, packet, receiver) = (self.context.now, self.id.packet, low(words, *receiver));
                self.context.thread.messages.digest(Digest { time, packet, receiver, values, names });
            }
            WordCall::Log { text, values } => {
                let values: Vec<Bits> = present(words, values).map(|part| bits(words, *part)).collect();
                self.log(text, &values);
            }
            WordCall::Assert { condition } => {
                if low(words, *condition) == 0 {
                    return Err(Fault::AssertionFailed);
                }
            }
        }
        Ok(())
    }

    fn hash_words(
        &mut self,
        algorithm: WordHash,
        data: &[FrameValue],
        words: &[u64],
        with_payload: bool,
    ) -> u64 {
        let kind = match algorithm {
            WordHash::Known(kind) => kind,
            WordHash::Given(ordinal) => match self.enums.hash(&bits(words, ordinal)) {
                Some(kind) => kind,
                None => return 0,
            },
        };
        self.sum_of(kind, with_payload, |writer| {
            present(words, data).for_each(|part| writer.push_words(part.width, &words[part.words()]));
        })
    }
}

fn kept(keep: &WordKeep, words: &[u64]) -> Keep {
    match keep {
        WordKeep::Known(keep) => keep.clone(),
        WordKeep::List(list) => Keep::List(low(words, *list) as u8),
    }
}

/// `base` plus the hash modulo `max`, in the width of the result.
pub(super) fn placed(hash: u64, base: &Bits, max: &Bits, width: u32) -> Bits {
    let hash = Bits::new(max.width().max(64), u128::from(hash));
    // Wide enough that neither the remainder nor the sum is cut before the result is.
    let wide = hash.width().max(base.width()).max(width) + 1;
    let modulus = max.resize(wide);
    let offset = if modulus.is_zero() { modulus } else { hash.resize(wide).rem(&modulus) };
    base.resize(wide).add(&offset).resize(width)
}
