//! The interface between hosts and applications.

mod context;

use std::any::Any;

pub use self::context::HostContext;
use super::socket::AppEvent;

/// A program on a host. It never waits: the host calls it at its start, when a requested wake-up is
/// due, and when something arrives for one of its bindings.
pub trait App: Any + Send {
    /// Called once, at the application's start time.
    fn start(&mut self, host: &mut HostContext<'_>);

    /// Called when a wake-up requested by [`HostContext::wake_at`] is due; `token` is the value
    /// passed there.
    fn wake(&mut self, token: u64, host: &mut HostContext<'_>);

    /// Called when something has arrived for this application.
    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>);

    /// Stops the application early: it starts nothing new. The default does nothing.
    fn stop(&mut self, _host: &mut HostContext<'_>) {}

    /// Returns whether the application depends only on the calls of its methods, affects nothing
    /// but its host, and never requests to stop the run. Only while all applications are
    /// self-contained, a network runs in several threads ([`crate::Network::set_threads`]). The
    /// default is false.
    fn is_self_contained(&self) -> bool {
        false
    }

    /// Returns whether the application has finished its task. It may still be called, for instance
    /// for late packets.
    fn finished(&self) -> bool;
}
