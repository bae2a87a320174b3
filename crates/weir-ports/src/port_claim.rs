//! The claim on a port's interface.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::claim::Claim;
use crate::{AlreadyClaimed, Fanout};

/// The claim on a port's interface. The receiving half owns it, and the watch renews it. Ports with
/// the same [`Fanout`], over which the kernel distributes the interface's frames, have one claim
/// together.
#[derive(Debug)]
pub(crate) struct PortClaim {
    interface: String,
    fanout: Option<Fanout>,
    held: Mutex<Option<Arc<Claim>>>,
}

impl PortClaim {
    /// Creates a claim on an interface's port that nobody has claimed yet.
    pub(crate) fn unclaimed(interface: &str, fanout: Option<&Fanout>) -> Arc<Self> {
        let (interface, fanout) = (interface.to_owned(), fanout.cloned());
        Arc::new(Self { interface, fanout, held: Mutex::default() })
    }

    /// Claims the interface in the thread's network namespace, and says if another program has
    /// already claimed it.
    pub(crate) fn renew(&self) -> Option<AlreadyClaimed> {
        self.release();
        let new = || Claim::new(&self.interface);
        let (claim, already) = match &self.fanout {
            Some(fanout) => fanout.get_or_claim(new),
            None => {
                let (claim, already) = new();
                (Arc::new(claim), already)
            }
        };
        *self.lock_claim() = Some(claim);
        already
    }

    /// Gives the claim on the interface up.
    pub(crate) fn release(&self) {
        self.lock_claim().take();
    }

    fn lock_claim(&self) -> MutexGuard<'_, Option<Arc<Claim>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_claimed_once_at_a_time() {
        let name = format!("test{}", std::process::id());
        let [first, second] = [(); 2].map(|()| PortClaim::unclaimed(&name, None));
        assert!(first.renew().is_none());
        let warning = second.renew().unwrap().to_string();
        assert!(warning.starts_with(&format!("{name} is also a port of another")), "{warning}");
        assert!(PortClaim::unclaimed(&format!("{name}x"), None).renew().is_none());
        first.release();
        assert!(second.renew().is_none());
    }

    /// Only the first of the ports that share a claim reports that another program has claimed the
    /// interface.
    #[test]
    fn ports_that_share_frames_share_their_claim() {
        let name = format!("shared{}", std::process::id());
        let (fanout, other) = (Fanout::default(), PortClaim::unclaimed(&name, None));
        let [first, second] = [(); 2].map(|()| PortClaim::unclaimed(&name, Some(&fanout)));
        assert!(first.renew().is_none() && second.renew().is_none());
        first.release();
        assert!(other.renew().is_some());
        second.release();
        assert!(other.renew().is_none());
        assert!(first.renew().is_some() && second.renew().is_none());
    }
}
