//! The thread that watches the interfaces of links.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use weir_ports::LinkState;

use crate::link::WatchedEnd;
use crate::namespace::inside;

/// How often it looks.
const EVERY: Duration = Duration::from_millis(200);

/// Whether both ends of the link of this number are up.
pub type News = (u64, bool);

/// How many looks pass between two reports without a change.
const QUIET: u32 = 5;

/// Looks at the ends that it is given, until nobody gives it any more, and calls `report`
/// for changes. An interface that comes back is used again, by a new socket, which the thread that moves
/// frames finds at the next report: there is one each second even without changes.
pub fn watch(ends: &Receiver<Watched>, news: &Sender<News>, report: impl Fn()) {
    let mut links: BTreeMap<u64, ([WatchedEnd; 2], [bool; 2])> = BTreeMap::new();
    let mut looks: u32 = 0;
    loop {
        match ends.recv_timeout(EVERY) {
            Ok(Watched::Added(number, ends)) => {
                links.insert(number, (ends, [true; 2]));
                continue;
            }
            Ok(Watched::Removed(number)) => {
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
                *state = look(end, *state);
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
        if looks.is_multiple_of(QUIET) {
            report();
        }
    }
}

/// What the watching thread learns.
pub enum Watched {
    /// There is a new link.
    Added(u64, [WatchedEnd; 2]),
    /// A link is no longer there.
    Removed(u64),
}

/// Whether an end is up. An interface is looked for where its namespace's path leads now: it may be
/// another namespace than before.
fn look(end: &mut WatchedEnd, before: bool) -> bool {
    let WatchedEnd { name, netns, watch } = end;
    let reopened = watch.reopened();
    let down = match inside(netns.as_deref(), || watch.check()) {
        Ok(Ok(LinkState::Present { up: true, .. })) => None,
        Ok(Ok(LinkState::Present { .. })) => Some("it or the other end is switched off".to_owned()),
        Ok(Ok(LinkState::Gone)) => Some("there is no such interface".to_owned()),
        Ok(Err(error)) => Some(error.to_string()),
        Err(gone) => {
            // Otherwise the namespace would live on, with its interfaces, where nobody sees it.
            let closed = watch.close();
            Some(closed.err().map_or(gone, |error| error.to_string()))
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
