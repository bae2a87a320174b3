//! A table's entries at one moment, for readers on other threads.

use std::ops::Deref;

use crate::sync::TokenArc;
use crate::table_view::TableView;

/// A table's entries at one moment. It does not change when the table changes, it can be sent to
/// other threads, and its clones are cheap.
///
/// A [`TableView`] can be kept only in this form, because the token of the snapshot keeps the
/// table's owner from writing to its pages.
#[derive(Debug)]
pub struct TableSnapshot {
    view: TableView,
    token: TokenArc<()>,
}

impl TableSnapshot {
    /// Creates a snapshot of a view whose arrays are in pages, with the token of a snapshot
    /// registered for it.
    pub(crate) fn new(view: TableView, token: TokenArc<()>) -> Self {
        Self { view, token }
    }
}

impl Clone for TableSnapshot {
    fn clone(&self) -> Self {
        Self { view: self.view.duplicate(), token: TokenArc::clone(&self.token) }
    }
}

impl Deref for TableSnapshot {
    type Target = TableView;

    #[inline(always)]
    fn deref(&self) -> &TableView {
        &self.view
    }
}
