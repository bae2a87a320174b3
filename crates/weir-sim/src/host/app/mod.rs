//! Applications as hosts see them: what they implement, and what they can do.

mod context;

use std::any::Any;

pub use self::context::HostContext;
use super::socket::AppEvent;

/// A program on a host. It never waits: the world calls it at its start, when a wake-up it asked for is due, and when something arrives for
/// what it bound.
pub trait App: Any + Send {
    /// Called once, at the time the application was to start.
    fn start(&mut self, host: &mut HostContext<'_>);

    /// A wake-up asked for with [`HostContext::wake_at`] is due; `token` is what was given there.
    fn wake(&mut self, token: u64, host: &mut HostContext<'_>);

    /// Something arrived for what this application bound.
    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>);

    /// Ends it early: it begins nothing more. Of one that begins nothing by itself nothing becomes.
    fn stop(&mut self, _host: &mut HostContext<'_>) {}

    /// Whether it has done what it was started for. It may still be called: for late arrivals, for one.
    fn finished(&self) -> bool;
}
