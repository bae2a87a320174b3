//! Memory that is reused from update to update.

/// Memory that is reused from update to update, so that a batch allocates only once.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The matches of an entry, see [`weir_tables::Table::insert_words`].
    pub(super) pattern: PatternWords,
    /// The row of an entry: the number of its action, and the action's data.
    pub(super) row: Vec<u64>,
}

/// Values and masks in words.
#[derive(Debug, Default)]
pub(super) struct PatternWords {
    pub value: Vec<u64>,
    pub mask: Vec<u64>,
}

impl PatternWords {
    /// Returns the words of the value and the mask, in the form that tables take.
    pub(super) fn words(&self) -> (&[u64], &[u64]) {
        (&self.value, &self.mask)
    }
}
