//! Releases applications whose Python objects were deleted, and reports the resource usage of
//! networks. The garbage collector can delete an object at any time, even during a call that has
//! locked the network. Therefore the deletion is only recorded, and the next call of the network
//! releases the application.

use std::sync::{Mutex, PoisonError};

use weir_sim::{AppId, ResourceUsage};

/// Applications whose Python objects were deleted.
#[derive(Default)]
pub(super) struct Dropped(Mutex<Vec<AppId>>);

impl Dropped {
    /// Records an application whose Python object was deleted.
    pub(super) fn note(&self, app: AppId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(app);
    }

    /// Releases these applications.
    pub(super) fn release(&self, world: &mut weir_sim::Network) {
        let dropped = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        dropped.into_iter().for_each(|app| world.release_app(app));
    }
}

/// Lists the resource usage by name.
pub(super) fn counts(load: ResourceUsage) -> Vec<(&'static str, usize)> {
    let ResourceUsage {
        frames,
        frame_capacity,
        events,
        event_capacity,
        wakes,
        wake_capacity,
        apps,
        app_capacity,
        bindings,
        connections,
        waiting,
        connection_capacity,
        timers,
        packets_held,
    } = load;
    vec![
        ("frames", frames),
        ("frame_capacity", frame_capacity),
        ("events", events),
        ("event_capacity", event_capacity),
        ("wakes", wakes),
        ("wake_capacity", wake_capacity),
        ("apps", apps),
        ("app_capacity", app_capacity),
        ("bindings", bindings),
        ("connections", connections),
        ("time_wait", waiting),
        ("connection_capacity", connection_capacity),
        ("timers", timers),
        ("packets_held", packets_held),
    ]
}
