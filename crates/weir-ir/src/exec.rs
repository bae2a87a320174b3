//! The contract between an executor and its surroundings.
//!
//! An executor runs blocks of a program over a [`State`]. What lies outside the program — table contents, extern objects and
//! functions — it asks of an [`Environment`], which the switch provides. Neither side reads a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::bits::Bits;
use crate::loc::Loc;
use crate::pipeline::{Fused, Pipeline};
use crate::program::{ActionId, ControlId, HeaderId, ParserId, ParserStateId, Program, Target, VarId};
use crate::state::{Layout, State};
use crate::stmt::ExternCall;
use crate::table::ActionCall;
use crate::{TableId, ValueSetId};

/// How often the loops of one block may turn in all for one packet before the executor ends the block with
/// [`Fault::LoopLimit`]. A parser may visit as many states; then it ends with the parser error `ParserTimeout`.
pub const LOOP_LIMIT: u32 = 65_536;

/// Runs blocks of one program. Shared by threads: all that changes is in the arguments.
pub trait Executor: Send + Sync {
    /// The program it was made for.
    fn program(&self) -> &Program;

    /// Where the program's variables lie.
    fn layout(&self) -> &Layout;

    /// `interp` or `native`.
    fn name(&self) -> &'static str;

    /// Runs a parser over `packet`.
    fn parse(&self, parser: ParserId, packet: &[u8], state: &mut State, env: &mut dyn Environment) -> Parsed;

    /// Runs a control. A deparser's `emit` appends to `out`; other controls leave it alone.
    fn control(
        &self,
        control: ControlId,
        state: &mut State,
        out: &mut Vec<u8>,
        env: &mut dyn Environment,
    ) -> Result<(), Fault>;

    /// Makes one unit of the stages of a pipeline. Executors that gain nothing by it run them one by one ([`Staged`](crate::pipeline::Staged)).
    fn fuse(self: Arc<Self>, pipeline: Pipeline) -> Box<dyn Fused>;
}

/// The parser errors that executors raise themselves (P4 spec, `core.p4`), as positions in [`Program::errors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreErrors {
    /// `PacketTooShort`: not enough bits left.
    pub packet_too_short: u32,
    /// `NoMatch`: no case of a select matches.
    pub no_match: u32,
    /// `StackOutOfBounds`: no such element.
    pub stack_out_of_bounds: u32,
    /// `HeaderTooShort`: more bits than the varbit field holds.
    pub header_too_short: u32,
    /// `ParserTimeout`: more than [`LOOP_LIMIT`] states.
    pub parser_timeout: u32,
    /// `ParserInvalidArgument`: not a whole number of bytes.
    pub parser_invalid_argument: u32,
}

impl CoreErrors {
    /// The names that a program with a parser must declare, in the order of `core.p4`.
    pub const NAMES: [&'static str; 7] = [
        "NoError",
        "PacketTooShort",
        "NoMatch",
        "StackOutOfBounds",
        "HeaderTooShort",
        "ParserTimeout",
        "ParserInvalidArgument",
    ];

    /// Finds them in a program. One that is not declared, which the validator refuses where there is a parser, gets a
    /// position past the end.
    pub fn of(program: &Program) -> Self {
        let position = |name: &str| {
            program.errors.iter().position(|error| error == name).map_or(u32::MAX, |index| index as u32)
        };
        Self {
            packet_too_short: position("PacketTooShort"),
            no_match: position("NoMatch"),
            stack_out_of_bounds: position("StackOutOfBounds"),
            header_too_short: position("HeaderTooShort"),
            parser_timeout: position("ParserTimeout"),
            parser_invalid_argument: position("ParserInvalidArgument"),
        }
    }
}

/// How parsing ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// Bytes consumed by extract and advance, a partly consumed one included; the rest is payload.
    pub consumed: usize,
    /// Position of the parser error in [`Program::errors`]; 0 is `NoError`.
    pub error: u32,
    /// Whether it ended in `accept`.
    pub accepted: bool,
    /// Why the executor itself had to stop, if it had.
    pub fault: Option<Fault>,
}

/// Why an executor gave up on a packet. The packet is dropped and the reason is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// More than [`LOOP_LIMIT`] turns.
    LoopLimit,
    /// An `assert` or `assume` of the program failed.
    AssertionFailed,
}

/// What a table look-up found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Whether an entry matched.
    pub hit: bool,
    /// The entry's action or the default action, with its data; shared with the table, so that a look-up copies none of it.
    pub call: Arc<ActionCall>,
    /// The entry's handle in the control interface, for traces.
    pub entry: Option<u64>,
}

/// What a look-up by words found.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Whether an entry matched.
    pub hit: bool,
    /// What the entry does, or the default: the position of an action in the program, then its arguments, each in ⌈width/64⌉ words, least
    /// significant first. What stands behind the action's own words is nothing to rely on.
    pub row: &'a [AtomicU64],
}

impl Answer<'_> {
    /// The entry's action or the default action.
    #[inline]
    pub fn action(&self) -> ActionId {
        ActionId::new(self.row[0].load(Relaxed) as usize)
    }

    /// Word `index` of the action's data.
    #[inline]
    pub fn word(&self, index: usize) -> u64 {
        self.row[1 + index].load(Relaxed)
    }
}

/// Keys of a table that are looked up many at once, and where it is known what they meet: places of as many words each, of which each begins with a key. Behind it
/// there is room for whether an entry matched, and for its row.
#[derive(Debug)]
pub struct Asked<'a> {
    words: &'a mut [u64],
    each: usize,
    key_words: usize,
    answered: usize,
}

impl<'a> Asked<'a> {
    /// # Panics
    /// If a place has no room for an answer.
    pub fn new(words: &'a mut [u64], each: usize, key_words: usize) -> Self {
        assert!(key_words < each, "there is room for an answer");
        Self { words, each, key_words, answered: 0 }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.words.len() / self.each
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The places, and how many words each has.
    pub fn places(&self) -> (&[u64], usize) {
        (self.words, self.each)
    }

    /// Answers keys, from the first on.
    #[inline]
    pub fn answer<'b>(&mut self, answers: impl Iterator<Item = Answer<'b>>) {
        let Self { words, each, key_words, answered } = self;
        let (all, each, key_words) = (words.len(), *each, *key_words);
        let mut left = &mut **words;
        for answer in answers {
            let Some((place, rest)) = std::mem::take(&mut left).split_at_mut_checked(each) else { break };
            left = rest;
            if let Some([hit, row @ ..]) = place.get_mut(key_words..) {
                *hit = u64::from(answer.hit);
                copy_row(row, answer.row);
            }
        }
        *answered = (all - left.len()) / each;
    }

    /// Whether all have been answered.
    pub fn is_answered(&self) -> bool {
        self.answered == self.len()
    }
}

/// Copies the words that there are of a row. Few, as a rule: what makes long copies fast would cost more than they.
#[inline(always)]
fn copy_row(row: &mut [u64], from: &[AtomicU64]) {
    match (row, from) {
        ([action], [a, ..]) => *action = a.load(Relaxed),
        ([action, first], [a, b, ..]) => (*action, *first) = (a.load(Relaxed), b.load(Relaxed)),
        (row, from) => row.iter_mut().zip(from).for_each(|(to, from)| *to = from.load(Relaxed)),
    }
}

/// The value of one argument of an extern call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// What a scalar, or a flattened struct, tuple, list or header holds. Fields of invalid headers are left out.
    Bits(Vec<Bits>),
    /// A string.
    Text(String),
    /// An extern object.
    Extern(crate::ExternId),
}

impl Value {
    /// The only value of a scalar argument.
    pub fn scalar(&self) -> Option<&Bits> {
        match self {
            Self::Bits(values) if values.len() == 1 => values.first(),
            _ => None,
        }
    }
}

/// What an executor asks of its surroundings.
pub trait Environment {
    /// Looks a table's key values up, one a key, in order.
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup;

    /// Whether a parser value set holds the values.
    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool;

    /// Calls an extern. `args` holds one value an argument of the call; those of `Out` and `InOut` arguments (their values before the call)
    /// are changed in place and written back afterwards. Returns the result's leaves, as many as `call.result` has.
    /// The state is there for intrinsic metadata that a call touches beside its arguments.
    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault>;

    /// Looks a table of the program up by words, for executors that compile: `key` holds each key's value in ⌈width/64⌉ words, least
    /// significant first, one key after the other. The answer's row lies in memory of the environment's own or in `room`, which has room for a
    /// row of any action of the table. A table with a varbit key is not asked this way. It finds what [`Environment::lookup`] finds.
    fn lookup_words<'a>(
        &'a mut self,
        program: &Program,
        table: TableId,
        key: &[u64],
        room: &'a [AtomicU64],
    ) -> Answer<'a> {
        let mut rest = key;
        let mut keys = Vec::with_capacity(program.tables[table].keys.len());
        for of in &program.tables[table].keys {
            let width = of.expr.ty.width();
            let (words, more) = rest.split_at(width.div_ceil(64) as usize);
            keys.push(Bits::from_words(width, words));
            rest = more;
        }
        let found = self.lookup(table, &keys);
        found.call.write_row(room);
        Answer { hit: found.hit, row: room }
    }

    /// A number that stays the same as long as look-ups in this table find what they found before, if they do nothing else but to be counted: so long an executor
    /// may answer for a key that comes again, and tells so ([`Environment::recalled`]). It asks when packets begin to come ([`Fused::begin`](crate::pipeline::Fused::begin)).
    /// None if each look-up is to be asked for.
    fn steady(&mut self, _table: TableId) -> Option<u64> {
        None
    }

    /// Hears how many look-ups the executor answered by itself, that hit an entry or missed.
    fn recalled(&mut self, _table: TableId, _hits: u64, _misses: u64) {}

    /// Brings near what a look-up of keys of a steady table reads first: they are asked for soon ([`Environment::answer_ahead`]). One begins every `each` words.
    fn bring_near(&mut self, _table: TableId, _keys: &[u64], _each: usize) {}

    /// Whether it gains much to look many keys of this table up at once, since its memory is far.
    fn is_far(&self, _table: TableId) -> bool {
        false
    }

    /// Looks keys up that packets to come will probably ask for: `keys` one after the other, each as [`Environment::lookup_words`] gets it. It remembers what it found
    /// until it is asked. Nothing is counted yet.
    fn look_ahead(&mut self, _table: TableId, _keys: &[u64]) {}

    /// The same in a table that is [steady](Environment::steady), of keys that it answers, all or none: then the executor answers from them itself, as for a key that comes again.
    fn answer_ahead(&mut self, _table: TableId, _asked: &mut Asked<'_>) {}

    /// Makes the call that a [`Meaning::Words`](crate::Meaning::Words) of this number stands for, over the words of its [`Frame`](crate::Frame).
    /// Values that it writes go into their places; what it leaves there are the values from before, and 0 for the result.
    ///
    /// # Panics
    /// If the pipeline's maker gave no such number.
    fn call_words(&mut self, call: u32, _words: &mut [u64]) -> Result<(), Fault> {
        unreachable!("no pipeline of this environment has a call by words of number {call}")
    }

    /// Hears which packet of a [`Batch`](crate::pipeline::Batch) runs from now on, before it is asked for anything on that packet's account, and once more when a packet for
    /// which it was asked is over.
    fn turn_to(&mut self, _packet: usize) {}

    /// Hears how many of the packet's bytes the parser took, in a [`Pipeline`], before it is asked for an extern's call that comes after.
    fn parsed(&mut self, _consumed: usize) {}

    /// Whether an extern was asked for something that happens after the block, so that a [`Pipeline`] is left there.
    fn asked(&self) -> bool {
        false
    }

    /// Hears what people should know about how the program runs, in a sentence.
    fn warn(&mut self, _text: &str) {}

    /// Whether [`Environment::event`] wants to hear.
    fn tracing(&self) -> bool {
        false
    }

    /// Hears what happens, step by step, if [`Environment::tracing`].
    fn event(&mut self, _event: Event<'_>) {}
}

/// One step of a traced packet.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A parser state was entered.
    State(ParserId, ParserStateId),
    /// A header was extracted, with its fields' values; a varbit's has as many bits as were read.
    Extracted(HeaderId, &'a [Bits], Loc),
    /// A transition was taken; of a select with the values that it looked at.
    Transition(ParserId, Target, &'a [Bits], Loc),
    /// Parsing ends with this error, a position in [`Program::errors`].
    ParserError(u32, Loc),
    /// A table was applied; its action's [`Event::Action`] follows.
    Applied {
        /// The table.
        table: TableId,
        /// Its key values.
        keys: &'a [Bits],
        /// What was found.
        found: &'a Lookup,
        /// Where.
        loc: Loc,
    },
    /// An action begins. What happens up to its [`Event::ActionEnded`] happens in it.
    Action(ActionId, &'a [Bits]),
    /// The innermost action that has begun is over.
    ActionEnded,
    /// A variable was written.
    Assigned {
        /// Which.
        var: VarId,
        /// What it held.
        old: &'a Bits,
        /// What it holds now.
        new: &'a Bits,
        /// Where.
        loc: Loc,
    },
    /// A write to a field of an invalid header vanished.
    Vanished(VarId, &'a Bits, Loc),
    /// A header became valid (true) or invalid. The fields of one that becomes valid are 0 but for what [`Event::Assigned`] tells.
    Validity(HeaderId, bool, Loc),
    /// A condition was decided.
    Branch(bool, Loc),
    /// A switch was decided: its value, and whether one of its cases has it, or the default does.
    Switched(&'a Bits, bool, Loc),
    /// An extern is called. What happens up to its [`Event::Returned`], with the values it gives back, happens in it.
    Called(&'a ExternCall, &'a [Value], Loc),
    /// The innermost extern that was called is done.
    Returned,
    /// A header was emitted, with its fields' values.
    Emitted(HeaderId, &'a [Bits], Loc),
}
