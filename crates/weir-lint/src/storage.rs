//! The parts of variables that the flow analysis tracks: validity of headers, whether scalars are
//! assigned, values of Booleans.

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::compared_constants::{ComparedConstants, Place};
use super::facts::{Fact, Facts, Kind, States};
use crate::hir::{Program, RecordId, RecordKind, Type, TypeId, Types};

/// A part of a variable, in [`Storage`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PartId(u32);

/// The facts that the analysis tracks for a part of a variable.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Header {
        valid: Fact,
        /// True if the header was already invalid when it entered the analysed code.
        invalid_on_entry: Option<Fact>,
    },
    Struct(Vec<PartId>),
    /// The member headers.
    Union(Vec<PartId>),
    Stack(Vec<PartId>),
    Scalar {
        /// True if the part is assigned; `None` if it always is.
        set: Option<Fact>,
        /// The value of a `bool`.
        truth: Option<Fact>,
    },
    /// A part that is not tracked.
    Opaque,
}

/// The source of the initial value of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// No value: the variable is declared without initializer, or is an `out` parameter.
    Unset,
    /// A value that the analysed code assigned.
    Known,
    /// A value from outside of the analysed code.
    Given,
}

/// The storage that an expression denotes: a part, or a field of a header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum TrackedPlace {
    Part(PartId),
    Field(PartId, usize),
}

/// The maximum number of elements of a tracked stack or union. Larger stacks and unions are not
/// tracked.
const MAX_STACK: u32 = 32;
const MAX_UNION: usize = 256;
const MAX_PARTS: usize = 200_000;

/// The maximum number of fields of a header whose values are tracked.
pub(super) const MAX_FIELDS: usize = 64;

/// The maximum number of constants for which a copy transfers equality.
const MAX_COPIED: usize = 16;

/// The maximum number of constants that one spot is compared with, in programs that are not long.
const MAX_NUMBERS: usize = 64;

/// All parts of variables that the analysis tracks.
pub(super) struct Storage {
    parts: Vec<Part>,
    /// The comparison operand of each scalar.
    places: FxHashMap<PartId, Place>,
    /// The type of each header.
    headers: FxHashMap<PartId, RecordId>,
    compared: ComparedConstants,
    /// The maximum number of constants that a spot is compared with; further equalities are not
    /// tracked.
    numbers: usize,
    /// The facts "this spot equals that number", by spot.
    equalities: FxHashMap<TrackedPlace, Vec<(BigInt, Fact)>>,
    /// The headers with facts in `equalities` about their fields.
    compared_headers: FxHashSet<PartId>,
}

impl Storage {
    pub fn new(compared: ComparedConstants, long: bool) -> Storage {
        Storage {
            parts: vec![Part::Opaque],
            places: FxHashMap::default(),
            headers: FxHashMap::default(),
            compared,
            numbers: if long { MAX_NUMBERS / 8 } else { MAX_NUMBERS },
            equalities: FxHashMap::default(),
            compared_headers: FxHashSet::default(),
        }
    }

    /// The part that is not tracked.
    pub const OPAQUE: PartId = PartId(0);

    /// Returns the part with this number.
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id.0 as usize]
    }

    fn push(&mut self, part: Part) -> PartId {
        self.parts.push(part);
        PartId(self.parts.len() as u32 - 1)
    }

    /// Creates the parts of `place`, which has type `ty`.
    pub fn build(
        &mut self,
        program: &Program,
        types: &mut Types,
        facts: &mut Facts,
        place: Option<Place>,
        ty: TypeId,
        origin: Origin,
    ) -> PartId {
        if self.parts.len() > MAX_PARTS || facts.is_full() {
            return Storage::OPAQUE;
        }
        match types[ty].clone() {
            Type::Record { decl, args } => {
                let record = &program.records[decl];
                if record.kind == RecordKind::Header {
                    let valid = facts.new_fact(Kind::Valid);
                    let invalid_on_entry = (origin == Origin::Given).then(|| facts.new_fact(Kind::Mark));
                    let header = self.push(Part::Header { valid, invalid_on_entry });
                    self.headers.insert(header, decl);
                    return header;
                }
                if record.kind == RecordKind::Union && record.fields.len() > MAX_UNION {
                    return Storage::OPAQUE;
                }
                let members = record.fields.iter().enumerate().map(|(index, field)| {
                    let ty = types.substitute(field.ty, &record.type_params, &args);
                    self.build(program, types, facts, Some(Place::Field(decl, index)), ty, origin)
                });
                let members = members.collect();
                self.push(if record.kind == RecordKind::Union {
                    Part::Union(members)
                } else {
                    Part::Struct(members)
                })
            }
            Type::Stack { element, size } if size <= MAX_STACK => {
                let elements = (0..size).map(|_| self.build(program, types, facts, None, element, origin));
                let elements = elements.collect();
                self.push(Part::Stack(elements))
            }
            Type::Tuple(items) => {
                let members = items.iter().map(|&ty| self.build(program, types, facts, None, ty, origin));
                let members = members.collect();
                self.push(Part::Struct(members))
            }
            Type::Bool => {
                let set = (origin == Origin::Unset).then(|| facts.new_fact(Kind::HasValue));
                let truth = Some(facts.new_fact(Kind::Mark));
                self.scalar(place, set, truth)
            }
            Type::Bits { .. } | Type::Error | Type::Enum(_) | Type::Newtype(_) => {
                let set = (origin == Origin::Unset).then(|| facts.new_fact(Kind::HasValue));
                self.scalar(place, set, None)
            }
            _ => Storage::OPAQUE,
        }
    }

    fn scalar(&mut self, place: Option<Place>, set: Option<Fact>, truth: Option<Fact>) -> PartId {
        let part = self.push(Part::Scalar { set, truth });
        self.places.extend(place.map(|place| (part, place)));
        part
    }

    /// Returns the comparison operand of the spot.
    fn place(&self, spot: TrackedPlace) -> Option<Place> {
        match spot {
            TrackedPlace::Part(part) => self.places.get(&part).copied(),
            TrackedPlace::Field(header, field) => Some(Place::Field(*self.headers.get(&header)?, field)),
        }
    }

    /// Returns the parts below and including `id` that are headers or scalars, with the path of
    /// member indices to each.
    pub fn leaves(&self, id: PartId) -> Vec<(Vec<usize>, PartId)> {
        let mut leaves = Vec::new();
        let mut open = vec![(Vec::new(), id)];
        while let Some((path, id)) = open.pop() {
            match self.part(id) {
                Part::Struct(members) | Part::Union(members) | Part::Stack(members) => {
                    for (index, &member) in members.iter().enumerate().rev() {
                        let mut path = path.clone();
                        path.push(index);
                        open.push((path, member));
                    }
                }
                Part::Header { .. } | Part::Scalar { .. } => leaves.push((path, id)),
                Part::Opaque => {}
            }
        }
        leaves
    }

    /// Returns the states in which `spot` equals `value`. The fact is created on first use.
    pub fn equals(&mut self, facts: &mut Facts, spot: TrackedPlace, value: &BigInt) -> States {
        let facts_of_spot = self.equalities.entry(spot).or_default();
        let fact = match facts_of_spot.iter().find(|(number, _)| number == value) {
            Some(&(_, fact)) => fact,
            None if facts_of_spot.len() >= self.numbers || facts.is_full() => return States::UNKNOWN,
            None => {
                let fact = facts.new_fact(Kind::Equals);
                facts_of_spot.push((value.clone(), fact));
                if let TrackedPlace::Field(header, _) = spot {
                    self.compared_headers.insert(header);
                }
                fact
            }
        };
        let other_facts = facts_of_spot.iter().map(|&(_, other)| other).filter(|&other| other != fact);
        facts.where_only(fact, other_facts)
    }

    /// Returns the states in which `spot` may differ from `value`.
    pub fn differs(&mut self, facts: &mut Facts, spot: TrackedPlace, value: &BigInt) -> States {
        self.equals(facts, spot, value);
        let fact = self.equalities[&spot].iter().find(|(number, _)| number == value).map(|&(_, fact)| fact);
        match fact {
            Some(fact) => {
                let holds = facts.holds(fact);
                facts.not(&holds)
            }
            None => States::ALL,
        }
    }

    /// Returns the facts "this spot equals that number" of `spot`.
    fn numbers(&self, spot: TrackedPlace) -> impl Iterator<Item = Fact> {
        self.equalities.get(&spot).into_iter().flatten().map(|&(_, fact)| fact)
    }

    /// Returns `states` after an unknown value is written to `spot`.
    pub fn forget_value(&self, facts: &mut Facts, states: States, spot: TrackedPlace) -> States {
        facts.forget_all(&states, &self.numbers(spot).collect::<Vec<_>>())
    }

    /// Returns the facts "this field equals that number" of a header.
    pub fn field_numbers(&self, header: PartId, fields: usize) -> Vec<Fact> {
        if !self.compared_headers.contains(&header) {
            return Vec::new();
        }
        (0..fields).flat_map(|field| self.numbers(TrackedPlace::Field(header, field))).collect()
    }

    /// Returns all facts about the part's leaves.
    pub fn facts_of(&self, part: PartId) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (_, leaf) in self.leaves(part) {
            match *self.part(leaf) {
                Part::Header { valid, invalid_on_entry } => {
                    facts.push(valid);
                    facts.extend(invalid_on_entry);
                    facts.extend(self.field_numbers(leaf, MAX_FIELDS));
                }
                Part::Scalar { set, truth } => {
                    facts.extend(set.into_iter().chain(truth).chain(self.numbers(TrackedPlace::Part(leaf))));
                }
                _ => {}
            }
        }
        facts
    }

    /// Returns `states` after `value` is written to `spot`.
    pub fn set_value(
        &mut self,
        facts: &mut Facts,
        states: States,
        spot: TrackedPlace,
        value: &BigInt,
    ) -> States {
        let forgotten = self.forget_value(facts, states, spot);
        let is_compared = self.place(spot).is_some_and(|place| self.compared.contains_any(place));
        if !is_compared && !self.equalities.contains_key(&spot) {
            return forgotten;
        }
        let equal = self.equals(facts, spot, value);
        facts.intersection(&forgotten, &equal)
    }

    /// Returns `states` after the value of `from` is copied to `spot`.
    pub fn copy_value(
        &mut self,
        facts: &mut Facts,
        mut states: States,
        spot: TrackedPlace,
        from: TrackedPlace,
    ) -> States {
        if spot == from {
            return states;
        }
        let numbers_of = |spot| self.equalities.get(&spot).into_iter().flatten().map(|(number, _)| number);
        let place = self.place(spot);
        let compared = |number: &&BigInt| place.is_some_and(|place| self.compared.contains(place, number));
        let mut numbers: Vec<BigInt> = numbers_of(spot).cloned().collect();
        let new: Vec<BigInt> =
            numbers_of(from).filter(compared).filter(|number| !numbers.contains(number)).cloned().collect();
        numbers.extend(new);
        // Copies with many numbers would relate too many facts.
        if numbers.len() > MAX_COPIED {
            return self.forget_value(facts, states, spot);
        }
        for number in numbers {
            let value = self.equals(facts, from, &number);
            self.equals(facts, spot, &number);
            let known_numbers = &self.equalities[&spot];
            if let Some(&(_, fact)) = known_numbers.iter().find(|(known, _)| *known == number) {
                states = facts.assign(&states, fact, &value);
            }
        }
        states
    }
}
