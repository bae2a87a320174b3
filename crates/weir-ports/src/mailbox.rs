//! Passes resources for a new interface from the watch over a link to the halves of a port.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A place for one value that one thread passes to another.
pub(crate) struct Mailbox<T>(Arc<Contents<T>>);

/// The state that both ends of a mailbox share.
struct Contents<T> {
    /// Whether the mailbox has contents. It changes together with the contents, and is cheaper to
    /// read.
    has_mail: AtomicBool,
    contents: Mutex<Option<Option<T>>>,
}

impl<T> Mailbox<T> {
    /// Creates an empty mailbox.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Contents { has_mail: AtomicBool::new(false), contents: Mutex::new(None) }))
    }

    /// Returns the same mailbox, for the other thread.
    pub(crate) fn other_end(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Sets the resources that the other end uses from now on; `None` while there is no interface.
    pub(crate) fn set(&self, thing: Option<T>) {
        let mut contents = self.contents();
        *contents = Some(thing);
        self.0.has_mail.store(true, Ordering::Release);
    }

    /// Returns the resources that the other end has set since the last call.
    #[inline]
    pub(crate) fn take_new(&self) -> Option<Option<T>> {
        if !self.0.has_mail.load(Ordering::Acquire) {
            return None;
        }
        let mut contents = self.contents();
        self.0.has_mail.store(false, Ordering::Release);
        contents.take()
    }

    /// Locks the resource that waits in the mailbox.
    fn contents(&self) -> MutexGuard<'_, Option<Option<T>>> {
        // Contents are put and taken in one step.
        self.0.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thing_is_taken_once() {
        let mailbox = Mailbox::new();
        let other = mailbox.other_end();
        assert_eq!(other.take_new(), None);
        mailbox.set(Some(1));
        mailbox.set(None);
        assert_eq!(other.take_new(), Some(None));
        mailbox.set(Some(2));
        assert_eq!((other.take_new(), other.take_new()), (Some(Some(2)), None));
    }
}
