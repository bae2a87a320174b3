//! How requests and answers refer to the objects of a program.

use std::fmt::Debug;

use weir_ir::{ActionId, Bits, ExternId, TableId, ValueSetId};

use crate::externs::Calculation;
use crate::tables::Match;

/// A way to refer to the objects of a program. The switch takes [`Ids`]; a front end may use its
/// own way and translate requests.
pub trait Naming: Clone + Debug + PartialEq + Eq {
    /// A table.
    type Table: Clone + Debug + PartialEq + Eq;
    /// An action.
    type Action: Clone + Debug + PartialEq + Eq;
    /// An action profile, selector, counter, register or meter.
    type Extern: Clone + Debug + PartialEq + Eq;
    /// A parser value set.
    type ValueSet: Clone + Debug + PartialEq + Eq;
    /// CRC calculations with parameters that can be set.
    type Calculation: Clone + Debug + PartialEq + Eq;
    /// What the keys of a table accept.
    type Matches: Clone + Debug + PartialEq + Eq;
    /// The values of an action's parameters.
    type Args: Clone + Debug + PartialEq + Eq;
}

/// Objects by ids, keys and parameters by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {}

impl Naming for Ids {
    type Table = TableId;
    type Action = ActionId;
    type Extern = ExternId;
    type ValueSet = ValueSetId;
    type Calculation = Calculation;
    /// One for each key, in order.
    type Matches = Vec<Match>;
    /// One for each parameter, in order.
    type Args = Vec<Bits>;
}
