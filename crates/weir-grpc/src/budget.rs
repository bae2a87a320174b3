//! The memory budget of a server. It covers arriving messages, their decoded form, messages that
//! wait for a controller, and answers that wait for their reader. Bytes of the budget are reserved
//! before the memory is allocated, and released when the memory is freed.
//!
//! Each connection has an account. An account may hold at most half of the bytes that other
//! accounts leave free. A peer is *proven* when it has shown that it may use the server. All
//! accounts of unproven peers together may hold at most three quarters of the budget. When the
//! budget runs out, the unproven connection that holds the most bytes must release them: the server
//! cuts its answers, whose readers get an error, or closes it if it has none that wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prost::bytes::Bytes;
use tokio::sync::{Notify, oneshot, watch};
use tonic::Status;
use weir_accept::{HeldStream, Place};

/// The maximum time for which a call waits for memory.
const MEMORY_TIMEOUT: Duration = Duration::from_secs(10);

/// The memory that a server may spend on its controllers.
pub struct Budget {
    /// The size of the budget in bytes.
    limit: usize,
    /// The option of the command line that sets the size, for messages.
    option: &'static str,
    state: Mutex<State>,
    /// Notified when bytes are released.
    freed: Notify,
}

#[derive(Default)]
struct State {
    sums: Sums,
    accounts: BTreeMap<u64, Entry>,
    next: u64,
}

/// The bytes of one or all connections.
#[derive(Clone, Copy, Default)]
struct Sums {
    used: usize,
    /// The bytes that connections of unproven peers hold.
    unproven: usize,
    /// The bytes that will be released, because connections are being closed or answers cut.
    leaving: usize,
}

/// The bytes that a connection holds.
struct Entry {
    used: usize,
    /// The bytes of answers that wait for their readers.
    answers: usize,
    proofs: Proofs,
    /// The channel that closes the connection; `None` once the server has begun to close it.
    close: Option<oneshot::Sender<()>>,
    /// Whether answers must be cut. Becomes false again when none of their bytes are left.
    cut: watch::Sender<bool>,
}

/// The reasons why a peer counts as proven.
#[derive(Clone, Copy, Default)]
struct Proofs {
    /// The peer has a certificate that the server accepts, or uses a Unix socket.
    is_trusted: bool,
    /// The number of devices whose default role has elected the peer.
    elections: usize,
}

impl Entry {
    fn is_proven(&self) -> bool {
        self.proofs.is_trusted || self.proofs.elections > 0
    }

    fn is_cut(&self) -> bool {
        *self.cut.borrow()
    }

    /// Returns the connection's contribution to the sums.
    fn sums(&self) -> Sums {
        let leaving = match (&self.close, self.is_cut()) {
            _ if self.is_proven() => 0,
            (None, _) => self.used,
            (Some(_), true) => self.answers,
            (Some(_), false) => 0,
        };
        Sums { used: self.used, unproven: if self.is_proven() { 0 } else { self.used }, leaving }
    }
}

impl State {
    /// Returns whether the account `id` may reserve more bytes of a budget of `limit` bytes.
    fn has_room(&self, limit: usize, id: u64, bytes: usize) -> bool {
        let Some(entry) = self.accounts.get(&id) else { return false };
        let used_by_others = self.sums.used - entry.used;
        let mine = entry.used.saturating_add(bytes);
        mine <= limit.saturating_sub(used_by_others) / 2
            && (entry.is_proven() || self.sums.unproven.saturating_add(bytes) <= limit - limit / 4)
    }

    /// Changes an account, and the sums with it.
    fn change(&mut self, id: u64, change: impl FnOnce(&mut Entry)) {
        let Some(entry) = self.accounts.get_mut(&id) else { return };
        let before = entry.sums();
        change(entry);
        let (after, sums) = (entry.sums(), &mut self.sums);
        sums.used = sums.used - before.used + after.used;
        sums.unproven = sums.unproven - before.unproven + after.unproven;
        sums.leaving = sums.leaving - before.leaving + after.leaving;
    }

    /// Cuts the answers of the unproven connection that holds the most bytes, or closes the
    /// connection if it has no answers that wait, so that the account `id` can reserve `bytes`
    /// bytes. If that account is unproven too, the connection must hold more than the account would
    /// hold. Does nothing while enough bytes will be released.
    fn make_room(&mut self, id: u64, bytes: usize) {
        let Some(entry) = self.accounts.get(&id) else { return };
        if self.sums.leaving >= bytes.saturating_mul(2) {
            return;
        }
        let least = if entry.is_proven() { 0 } else { entry.used.saturating_add(bytes) };
        let other_accounts = self.accounts.iter().filter(|(other, entry)| {
            let stays = entry.close.is_some() && !entry.is_cut();
            **other != id && !entry.is_proven() && stays && entry.used > least
        });
        let Some((&largest, _)) = other_accounts.max_by_key(|(_, entry)| entry.used) else { return };
        self.change(largest, |entry| {
            if entry.answers > 0 {
                entry.cut.send_replace(true);
            } else if let Some(close) = entry.close.take() {
                let _already_closed = close.send(());
            }
        });
    }
}

impl Budget {
    /// Creates a budget of `limit` bytes. Messages name the `option` of the command line that sets
    /// the size.
    pub fn new(limit: usize, option: &'static str) -> Arc<Self> {
        Arc::new(Self { limit, option, state: Mutex::default(), freed: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of reserved bytes.
    pub fn used(&self) -> usize {
        self.state().sums.used
    }

    /// Opens an account for a connection without a place.
    pub fn account(self: &Arc<Self>, is_trusted: bool) -> (Account, oneshot::Receiver<()>) {
        self.account_at(None, is_trusted)
    }

    /// Opens an account for a connection that has a [`Place`]. The returned receiver gets a message
    /// when the connection must be closed. A trusted peer counts as proven from the start. The
    /// account tells the place when the peer becomes proven and when requests arrive.
    pub fn account_at(
        self: &Arc<Self>,
        place: Option<Place>,
        is_trusted: bool,
    ) -> (Account, oneshot::Receiver<()>) {
        let (close, closes) = oneshot::channel();
        let mut state = self.state();
        state.next += 1;
        let id = state.next;
        let (cut, cuts) = watch::channel(false);
        let proofs = Proofs { is_trusted, ..Proofs::default() };
        state.accounts.insert(id, Entry { used: 0, answers: 0, proofs, close: Some(close), cut });
        drop(state);
        let (turn, large) = Default::default();
        let opened = OpenAccount { budget: Arc::clone(self), id, place, cuts, turn, large };
        (Account(Arc::new(opened)), closes)
    }
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("limit", &self.limit).field("used", &self.used()).finish()
    }
}

/// The account of a connection. The account is closed when all its bytes are released.
#[derive(Clone, Debug)]
pub struct Account(Arc<OpenAccount>);

#[derive(Debug)]
struct OpenAccount {
    budget: Arc<Budget>,
    id: u64,
    /// The connection's place. Accounts in tests have none.
    place: Option<Place>,
    /// Whether answers must be cut, because others need their memory.
    cuts: watch::Receiver<bool>,
    /// Locked by the call that waits for memory, so that the calls of a connection wait one after
    /// the other.
    turn: tokio::sync::Mutex<()>,
    /// Held while a large message arrives.
    large: tokio::sync::Mutex<()>,
}

impl Drop for OpenAccount {
    fn drop(&mut self) {
        self.budget.state().accounts.remove(&self.id);
    }
}

impl Account {
    /// Reserves bytes even if the budget has no room for them.
    pub fn take_anyway(&self, bytes: usize) -> Held {
        self.0.budget.state().change(self.0.id, |entry| entry.used += bytes);
        Held { account: self.clone(), bytes, is_of_answer: false }
    }

    /// Reserves bytes if the budget has room for them. Otherwise, the server may close another
    /// connection or cut its answers.
    pub fn try_take(&self, bytes: usize) -> Option<Held> {
        let OpenAccount { budget, id, .. } = &*self.0;
        let mut state = budget.state();
        if !state.has_room(budget.limit, *id, bytes) {
            state.make_room(*id, bytes);
            return None;
        }
        state.change(*id, |entry| entry.used += bytes);
        drop(state);
        Some(Held { account: self.clone(), bytes, is_of_answer: false })
    }

    /// Reserves bytes for a part of an answer that waits, which the budget may ask to be cut.
    pub fn try_take_for_answer(&self, bytes: usize) -> Option<Held> {
        let mut held = self.try_take(bytes)?;
        self.0.budget.state().change(self.0.id, |entry| entry.answers += bytes);
        held.is_of_answer = true;
        Some(held)
    }

    /// Returns whether answers must be cut, because others need their memory.
    pub fn cuts_answers(&self) -> bool {
        *self.0.cuts.borrow()
    }

    /// Waits until answers must be cut.
    pub async fn cut(&self) {
        // The account still exists, so its entry has not been dropped.
        let mut cuts = self.0.cuts.clone();
        let _is_cut = cuts.wait_for(|cut| *cut).await;
    }

    /// Waits until the budget has room for these bytes, and reserves them.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` after ten seconds, or at once if the budget can never have room.
    pub async fn take(&self, bytes: usize) -> Result<Held, Status> {
        if let Some(held) = self.try_take(bytes) {
            return Ok(held);
        }
        if bytes > self.max_bytes() {
            return Err(self.refusal(bytes));
        }
        let wait = async {
            let _turn = self.0.turn.lock().await;
            loop {
                let mut freed = std::pin::pin!(self.0.budget.freed.notified());
                freed.as_mut().enable();
                if let Some(held) = self.try_take(bytes) {
                    return held;
                }
                freed.await;
            }
        };
        tokio::time::timeout(MEMORY_TIMEOUT, wait).await.map_err(|_| self.refusal(bytes))
    }

    /// Waits until no other large message of the connection is arriving.
    pub async fn turn_for_large(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.large.lock().await
    }

    /// Returns the number of bytes that an account may hold if no other account holds any.
    pub fn max_bytes(&self) -> usize {
        self.0.budget.limit / 2
    }

    /// Returns the option of the command line that sets the size of the budget.
    pub fn option(&self) -> &'static str {
        self.0.budget.option
    }

    /// Makes the status of a call for which the budget has no room.
    pub fn refusal(&self, bytes: usize) -> Status {
        let holdings = self.holdings();
        Status::resource_exhausted(format!(
            "the request needs {bytes} bytes of memory more; {holdings}: send fewer parts at a time"
        ))
    }

    /// Makes the status of an answer that was cut because others need its memory.
    pub fn cut_refusal(&self) -> Status {
        let holdings = self.holdings();
        Status::resource_exhausted(format!(
            "other controllers need the memory of this answer; {holdings}: send fewer requests at a time"
        ))
    }

    /// Describes how much of the budget is in use.
    fn holdings(&self) -> String {
        let Budget { limit, option, .. } = *self.0.budget;
        let most = self.max_bytes();
        let state = self.0.budget.state();
        let (used, mine) = (state.sums.used, state.accounts.get(&self.0.id).map_or(0, |entry| entry.used));
        format!(
            "controllers hold {used} of {limit} bytes (`{option}`), and this connection {mine} of at most {most}"
        )
    }

    /// Returns the number of the connection.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Sets whether the peer counts as proven without an election, because the server accepts its
    /// certificate.
    pub fn set_trusted(&self, is_trusted: bool) {
        self.change(|proofs| proofs.is_trusted = is_trusted);
    }

    /// Counts the peer as elected by the default role of a device, until the returned value is
    /// dropped.
    pub fn elect(&self) -> Elected {
        self.change(|proofs| proofs.elections += 1);
        Elected(self.clone())
    }

    /// Changes the reasons why the peer counts as proven. A proven peer may use the last quarter of
    /// the budget, and its connection is not closed to make room for others. The connection's place
    /// has the same right.
    fn change(&self, change: impl FnOnce(&mut Proofs)) {
        let mut state = self.0.budget.state();
        let is_proven = |state: &State| state.accounts.get(&self.0.id).is_some_and(Entry::is_proven);
        let before = is_proven(&state);
        state.change(self.0.id, |entry| change(&mut entry.proofs));
        let after = is_proven(&state);
        // The state is still locked, so that the place gets changes in their order.
        if let Some(place) = self.0.place.as_ref().filter(|_| after != before) {
            place.set_right(after);
        }
    }

    /// Records that a whole request or message has arrived.
    pub fn ask(&self) {
        if let Some(place) = &self.0.place {
            place.ask();
        }
    }

    /// Records that the connection takes part in a role. It is not closed to make room for others
    /// until the returned value is dropped.
    pub fn hold(&self) -> Option<HeldStream> {
        self.0.place.as_ref().map(Place::hold)
    }
}

/// The election of a peer by the default role of a device, until this value is dropped.
#[derive(Debug)]
pub struct Elected(Account);

impl Drop for Elected {
    fn drop(&mut self) {
        self.0.change(|proofs| proofs.elections -= 1);
    }
}

/// Bytes that are reserved in a budget until this value is dropped.
#[derive(Debug)]
pub struct Held {
    account: Account,
    bytes: usize,
    /// Whether the bytes are of an answer that waits for its reader.
    is_of_answer: bool,
}

impl Held {
    /// Notes that the part of an answer does not wait any more, so that it cannot be cut.
    pub fn no_longer_waits(mut self) -> Self {
        self.release_answer();
        self
    }

    fn release_answer(&mut self) {
        if std::mem::take(&mut self.is_of_answer) {
            let OpenAccount { budget, id, .. } = &*self.account.0;
            budget.state().change(*id, |entry| {
                entry.answers -= self.bytes;
                entry.cut.send_if_modified(|cut| entry.answers == 0 && std::mem::take(cut));
            });
        }
    }

    /// Attaches the reservation to `bytes`. It is released when their last copy is dropped.
    pub fn with(self, bytes: Bytes) -> Bytes {
        struct Counted(Bytes, #[expect(dead_code, reason = "dropped with the bytes")] Held);
        impl AsRef<[u8]> for Counted {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
        Bytes::from_owner(Counted(bytes, self))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.release_answer();
        let OpenAccount { budget, id, .. } = &*self.account.0;
        budget.state().change(*id, |entry| entry.used -= self.bytes);
        budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
