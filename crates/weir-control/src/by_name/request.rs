//! Requests and answers by names.

use weir_ir::Bits;
use weir_switch::control::{self as ids, Match, Naming, requests};

use crate::Error;

/// Objects, keys and parameters by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InNames {}

impl Naming for InNames {
    type Table = String;
    type Action = String;
    type Extern = String;
    type ValueSet = String;
    type Calculation = String;
    /// Keys by name and what they accept, in any order; omitted keys that are not exact accept
    /// everything. Keys are read back in their order in the table.
    type Matches = Vec<(String, Match)>;
    /// Parameter names and values, every parameter once, in any order; read back in the order of
    /// the parameters.
    type Args = Vec<(String, Bits)>;
}

/// A change. Counters and meters may also be direct: then their index is the handle of an entry.
pub type Update = requests::Update<InNames>;
/// An action with its arguments.
pub type Call = requests::Call<InNames>;
/// What an entry does.
pub type Target = requests::Target<InNames>;
/// Actions of an entry.
pub type ActionSet = requests::ActionSet<InNames>;
/// An action and its share of the flows.
pub type WeightedCall = requests::WeightedCall<InNames>;
/// An entry of a table.
pub type Entry = requests::Entry<InNames>;
/// Which entry of a table a request is about.
pub type EntryRef = requests::EntryRef<InNames>;
/// An entry as read back.
pub type EntryState = requests::EntryState<InNames>;
/// A member of an action profile as read back.
pub type MemberState = requests::MemberState<InNames>;
/// What an action profile holds.
pub type ProfileState = requests::ProfileState<InNames>;
/// An entry whose time-out has expired.
pub type IdleNotice = requests::IdleNotice<InNames>;
/// The error of a batch: none of its updates was done.
pub type BatchError = ids::BatchError<Error>;
