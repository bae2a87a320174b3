//! Tables for several threads: one that changes them and any number that look up.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

use crate::view::View;

/// Where the views of a set of tables are published.
#[derive(Clone, Debug)]
pub struct Reader {
    current: Arc<ArcSwap<Vec<View>>>,
}

/// The side that publishes.
#[derive(Debug)]
pub struct Publisher {
    current: Arc<ArcSwap<Vec<View>>>,
}

/// The views of one moment, kept while this lives. Hold it for a packet or a burst, not for long: the pages of what is replaced meanwhile wait
/// for it.
pub struct Pinned(Guard<Arc<Vec<View>>>);

impl std::ops::Deref for Pinned {
    type Target = [View];

    fn deref(&self) -> &[View] {
        &self.0
    }
}

impl Publisher {
    /// Begins with these views.
    pub fn new(views: Vec<View>) -> Self {
        Self { current: Arc::new(ArcSwap::from_pointee(views)) }
    }

    /// Lets readers see these views from now on: all of them or, if they began before, none. Waits for nobody.
    pub fn publish(&mut self, views: Vec<View>) {
        self.current.store(Arc::new(views));
    }

    /// Lets readers see one other view.
    pub fn publish_one(&mut self, index: usize, view: View) {
        let mut views = Vec::clone(&self.current.load());
        views[index] = view;
        self.publish(views);
    }

    /// A new reader, for any thread.
    pub fn reader(&self) -> Reader {
        Reader { current: Arc::clone(&self.current) }
    }
}

impl Reader {
    /// What is published now. Waits for nobody.
    pub fn pin(&self) -> Pinned {
        Pinned(self.current.load())
    }
}
