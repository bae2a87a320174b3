//! What a client and its server hold together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A value held by several applications: a record of both ends of a flow, as a person who watches both would keep it.
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

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether both are one value, not only equal ones.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether nobody else holds it.
    pub(crate) fn is_unshared(&self) -> bool {
        self.holders() == 1
    }

    /// How many hold it.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}
