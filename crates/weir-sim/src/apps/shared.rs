//! Values that a client and its servers share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A value shared by several applications, such as the record of both ends of a flow.
#[derive(Debug, Default)]
pub(crate) struct Shared<T>(Arc<Mutex<T>>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Shared(Arc::new(Mutex::new(value)))
    }

    /// Locks the shared value.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether both references refer to the same value.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns whether there is no other reference to the value.
    pub(crate) fn is_unshared(&self) -> bool {
        self.holders() == 1
    }

    /// Returns the number of references to the value.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}
