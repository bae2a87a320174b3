//! The thread that watches the interfaces of links.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use weir_ports::{ErrorLog, LinkState, PortError, is_out_of_resources};

use crate::clock;
use crate::link::{WatchedEnd, warn_of_claim};
use crate::namespace::run_inside;

/// The time between two checks of the interfaces.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// The number of a link, and whether both its ends are up.
pub type LinkStateChange = (u64, bool);

/// The number of checks between two reports if nothing changes.
const CHECKS_PER_REPORT: u32 = 5;

/// Watches the ends that arrive on the channel until it is closed, and reports changes to the
/// thread that moves frames. If an interface comes back, that thread opens a new socket when the
/// next report arrives. A report is sent every second even without changes.
pub fn watch(ends: &Receiver<WatchMessage>, news: &Sender<LinkStateChange>, report: impl Fn()) {
    let mut links: BTreeMap<u64, ([WatchedEnd; 2], [bool; 2])> = BTreeMap::new();
    let mut looks: u32 = 0;
    loop {
        match ends.recv_timeout(CHECK_INTERVAL) {
            Ok(WatchMessage::Added(number, ends)) => {
                links.insert(number, (ends, [true; 2]));
                continue;
            }
            Ok(WatchMessage::Removed(number)) => {
                links.remove(&number);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        for (number, (ends, states)) in &mut links {
            let before = *states;
            let mut is_new = false;
            for (end, state) in ends.iter_mut().zip(states.iter_mut()) {
                let reopened = end.watch.reopened();
                *state = is_up(end, *state);
                is_new |= end.watch.reopened() != reopened;
            }
            if *states != before {
                is_new |= news.send((*number, states[0] && states[1])).is_ok();
            }
            if is_new {
                report();
            }
        }
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(CHECKS_PER_REPORT) {
            report();
        }
    }
}

/// Messages to the watching thread.
pub enum WatchMessage {
    /// There is a new link.
    Added(u64, [WatchedEnd; 2]),
    /// A link was removed.
    Removed(u64),
}

/// Returns whether an end is up. The path of the namespace is resolved again, because it may now
/// lead to another namespace. If the process does not have the descriptors or memory for the check,
/// the state `before` is returned.
fn is_up(end: &mut WatchedEnd, before: bool) -> bool {
    let WatchedEnd { name, netns, watch, trouble } = end;
    let reopened = watch.reopened();
    let checked = run_inside(netns.as_deref(), || watch.check());
    warn_of_claim(&mut **watch);
    let down = match checked {
        Ok(Ok(LinkState::Present { up: true, .. })) => None,
        Ok(Ok(LinkState::Present { .. })) => Some("it or the other end is switched off".to_owned()),
        Ok(Ok(LinkState::Gone)) => Some("there is no such interface".to_owned()),
        Ok(Err(error @ PortError::NotSeen { .. })) => {
            return log_failed_check(trouble, &error.to_string(), before);
        }
        Err(error) if is_out_of_resources(&error.source) => {
            return log_failed_check(trouble, &error.to_string(), before);
        }
        Ok(Err(error)) => Some(error.to_string()),
        Err(gone) => {
            // If the watch stayed open, the namespace and its interfaces would stay in memory
            // although no process uses them.
            let closed = watch.close();
            Some(closed.map_or_else(|error| format!("{gone}; {error}"), |()| gone.to_string()))
        }
    };
    if watch.reopened() != reopened {
        tracing::info!(interface = %name, "opened again: it was away, or another one has its name now");
    }
    match &down {
        None if !before => tracing::info!(interface = %name, "up"),
        Some(why) if before => tracing::info!(interface = %name, "down: {why}"),
        _ => {}
    }
    down.is_none()
}

/// Logs why an end could not be checked, and returns the state that is assumed for it.
fn log_failed_check(trouble: &mut ErrorLog, error: &str, before: bool) -> bool {
    if let Some(unlogged) = trouble.should_log(clock::now(), error) {
        tracing::warn!(unlogged, "{error}; its state is taken to be as before");
    }
    before
}

#[cfg(test)]
mod tests {
    use std::io;

    use weir_ports::Link;

    use super::*;

    /// A watch without descriptors.
    struct UncheckableWatch;

    impl Link for UncheckableWatch {
        fn check(&mut self) -> Result<LinkState, PortError> {
            let source = io::Error::other("too many open files");
            Err(PortError::NotSeen { port: "a".to_owned(), source })
        }

        fn close(&mut self) -> Result<(), PortError> {
            let source = io::Error::other("no descriptor");
            Err(PortError::System { port: "a".to_owned(), step: "close the packet socket", source })
        }
    }

    #[test]
    fn an_end_that_cannot_be_looked_at_is_as_before() {
        let mut end = WatchedEnd {
            name: "a".to_owned(),
            netns: None,
            watch: Box::new(UncheckableWatch),
            trouble: ErrorLog::default(),
        };
        assert_eq!([true, false].map(|before| is_up(&mut end, before)), [true, false]);
        end.netns = Some("/proc/self/ns/none".into());
        assert!(!is_up(&mut end, true), "its namespace is gone");
    }
}
