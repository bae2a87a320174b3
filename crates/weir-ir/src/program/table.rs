//! Tables, actions and value sets, which the control plane can change.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{ActionId, Block, Expr, ExternId, Keyset, VarId};
use crate::annotation::Annotation;
use crate::bits::Bits;
use crate::loc::Loc;
use crate::types::declared::DeclaredTypeId;

/// An action. Directional parameters are plain variables that callers copy into and out of.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The unique name: the control-plane name, such as `MyIngress.ipv4_forward`, unless another
    /// action also has it.
    pub name: String,
    /// The control-plane name, if it differs from `name`. Several actions may have the same
    /// control-plane name, but not two actions of one table.
    pub control_plane: Option<String>,
    /// Action data: the values that the control plane gives with an entry, in order.
    pub params: Vec<ActionParam>,
    /// The statements of the action; `Return` ends them.
    pub body: Block,
    /// The annotations of the action.
    pub annotations: Vec<Annotation>,
    /// The place of its declaration.
    pub loc: Loc,
}

impl Action {
    /// Returns the control-plane name.
    pub fn control_plane_name(&self) -> &str {
        self.control_plane.as_deref().unwrap_or(&self.name)
    }
}

/// A parameter that the control plane fills.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionParam {
    /// The name for the control plane: from `@name`, otherwise its P4 name.
    pub name: String,
    /// The variable that the executor sets before the body runs.
    pub var: VarId,
    /// The newtype or enum that it is declared with.
    pub declared: Option<DeclaredTypeId>,
    /// The annotations of the parameter.
    pub annotations: Vec<Annotation>,
}

/// A match-action table with its keys, actions and entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The control-plane name, such as `MyIngress.ipv4_lpm`.
    pub name: String,
    /// The keys in order, which are evaluated when the table is applied.
    pub keys: Vec<Key>,
    /// The actions that its entries may have.
    pub actions: Vec<ActionRef>,
    /// The action that runs on a miss.
    pub default_action: ActionCall,
    /// Whether the default is constant: the control plane cannot change it.
    pub const_default: bool,
    /// The program's entries, in order. Priorities are those of P4 (see `Entry::priority`).
    pub entries: Vec<Entry>,
    /// Whether the entries are constant: the control plane cannot change them.
    pub const_entries: bool,
    /// The number of entries that the table should hold.
    pub size: Option<u64>,
    /// The action profile or selector in `implementation = …`, if there is one.
    pub implementation: Option<ExternId>,
    /// The objects in properties such as `counters = …` and `meters = …`: the name of the property,
    /// and the object.
    pub attached: Vec<(String, ExternId)>,
    /// The further properties, evaluated, such as `support_timeout`.
    pub properties: Vec<(String, PropertyValue)>,
    /// The places of `implementation`, of the attached objects and of the further properties, by
    /// the property's name.
    pub property_locs: BTreeMap<String, Loc>,
    /// The annotations of the table.
    pub annotations: Vec<Annotation>,
    /// The place of its declaration.
    pub loc: Loc,
}

impl Table {
    /// Returns the place of a property; the place of the table if the program does not write the
    /// property.
    pub fn property_loc(&self, property: &str) -> Loc {
        self.property_locs.get(property).copied().unwrap_or(self.loc)
    }

    /// Returns the number of words of a key in lookups by words: ⌈width/64⌉ for each of its values.
    pub fn key_words(&self) -> usize {
        self.keys.iter().map(|key| key.expr.ty.width().div_ceil(64) as usize).sum()
    }

    /// Returns the actions that the program lists for the table, without composed actions.
    pub fn listed(&self) -> impl Iterator<Item = &ActionRef> {
        self.actions.iter().filter(|listed| listed.composed.is_none())
    }

    /// Returns the value of `action_run` after the action at this position of
    /// [`actions`](Self::actions) ran: its position, or that of the second action if it is
    /// composed.
    pub fn run_position(&self, position: usize) -> usize {
        match self.actions[position].composed {
            None => position,
            Some(of) => self.actions.iter().position(|listed| listed.action == of.second).unwrap_or(position),
        }
    }
}

/// The value of a table property that the IR does not know.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// A number.
    Int(num_bigint::BigInt),
    /// A boolean.
    Bool(bool),
    /// A string.
    Text(String),
    /// An action of the table's list, with its arguments.
    Call(ActionCall),
}

/// One key of a table: an expression and its match kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The control-plane name, such as `hdr.ipv4.dstAddr`.
    pub name: String,
    /// The expression to match, which has no side effects.
    pub expr: Expr,
    /// The newtype or enum of the expression.
    pub declared: Option<DeclaredTypeId>,
    /// The match kind: `exact`, `lpm`, `ternary`, `range`, `optional`, `selector`, or a kind of the
    /// architecture.
    pub match_kind: String,
    /// The annotations of the key.
    pub annotations: Vec<Annotation>,
    /// The place in the source.
    pub loc: Loc,
}

/// An action in a table's list.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionRef {
    /// The action that entries may run.
    pub action: ActionId,
    /// Whether only the default can be the action (`@defaultonly`).
    pub default_only: bool,
    /// Whether only entries can have the action (`@tableonly`).
    pub table_only: bool,
    /// Whether the action may only run before the action that an action set chooses
    /// (`@groupaction`).
    pub group_only: bool,
    /// The actions that it runs, if [`compose`](crate::passes::compose) created it.
    pub composed: Option<Composed>,
    /// All annotations of the list's element.
    pub annotations: Vec<Annotation>,
}

/// Two actions of a table's list that run as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The first action to run; its `return` does not end the second action.
    pub first: ActionId,
    /// The action that runs next. `action_run` refers to this action.
    pub second: ActionId,
}

/// An action with its data, as an entry runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCall {
    /// The action that runs.
    pub action: ActionId,
    /// The arguments, one value of the parameter's width for each parameter.
    pub args: Vec<Bits>,
}

impl ActionCall {
    /// Writes the call as a row of words: the position of the action, then its arguments, each in
    /// ⌈width/64⌉ words, least significant first.
    ///
    /// # Panics
    /// The buffer is too small.
    pub fn write_row(&self, buffer: &[AtomicU64]) {
        buffer[0].store(self.action.index() as u64, Relaxed);
        let mut words = Vec::new();
        let mut rest = &buffer[1..];
        for arg in &self.args {
            let count = arg.width().div_ceil(64) as usize;
            words.resize(count, 0);
            arg.write_words(&mut words);
            let (places, more) = rest.split_at(count);
            places.iter().zip(&words).for_each(|(place, word)| place.store(*word, Relaxed));
            rest = more;
        }
    }
}

/// An entry that the program itself defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The keysets, one for each key.
    pub keysets: Vec<Keyset>,
    /// The action that runs on a hit.
    pub call: ActionCall,
    /// The priority. With `largest_priority_wins` (the default), the larger priority wins (P4
    /// v1.2.5 §14.2.1.4). The compiler assigns priorities to entries without one so that earlier
    /// entries win. `None` if no key of the table needs priorities.
    pub priority: Option<u32>,
    /// Whether the entry itself is `const`.
    pub is_const: bool,
    /// The place in the source.
    pub loc: Loc,
}

/// A parser value set: keysets that the control plane fills.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSet {
    /// The name that the control plane uses.
    pub name: String,
    /// The widths and match kinds of the fields; one for a set of plain values.
    pub fields: Vec<ValueSetField>,
    /// The number of members that it should hold.
    pub size: u64,
    /// The annotations of the value set.
    pub annotations: Vec<Annotation>,
    /// The place of its declaration.
    pub loc: Loc,
}

/// One field of a [`ValueSet`], with its width.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSetField {
    /// The field's name; empty for a set of plain values.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The newtype or enum that it is declared with.
    pub declared: Option<DeclaredTypeId>,
    /// The match kind from `@match`; `exact` without it.
    pub match_kind: String,
    /// The annotations of the struct's field.
    pub annotations: Vec<Annotation>,
}
