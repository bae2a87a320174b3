//! The places in the code that call the environment. Machine code passes their positions in
//! [`CallSites`].

use weir_ir::{ExternCall, TableId, Type, ValueSetId};

/// The layout of a value in the words that machine code passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueForm {
    /// The value takes ⌈width/64⌉ words.
    Words(u32),
    /// The value takes one word: the address of a varbit of at most this many bits. The address
    /// points to the length, which the words follow.
    Varbit(u32),
}

/// Returns the form in which a value of a type is passed.
pub(crate) fn value_form(ty: Type) -> ValueForm {
    match ty {
        Type::Varbit { max } => ValueForm::Varbit(max),
        ty => ValueForm::Words(ty.width()),
    }
}

/// A place where a table is applied.
#[derive(Clone, Debug)]
pub(crate) struct TableSite {
    pub table: TableId,
    pub keys: Vec<ValueForm>,
}

/// A place where a parser queries whether a value set contains its keys.
#[derive(Clone, Debug)]
pub(crate) struct ValueSetSite {
    pub set: ValueSetId,
    pub keys: Vec<ValueForm>,
}

/// A place where an extern is called by values; machine code passes the values of its expressions,
/// in order.
#[derive(Clone, Debug)]
pub(crate) struct ExternSite {
    pub call: ExternCall,
    pub values: Vec<ValueForm>,
}

/// All places in the code that call the environment with more than words.
#[derive(Debug, Default)]
pub(crate) struct CallSites {
    pub tables: Vec<TableSite>,
    pub value_sets: Vec<ValueSetSite>,
    pub externs: Vec<ExternSite>,
    /// Calls over the words of a frame.
    pub calls: Vec<ExternCall>,
}
