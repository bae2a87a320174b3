//! Applications on a host: their starting, waking, and what arrives for them.

use weir_switch::Nanos;

use super::{Host, Slot};
use crate::Random;
use crate::app::{App, Arrival, BindError, Binding, HostContext};

impl Host {
    pub(crate) fn add_app(&mut self, app: Box<dyn App>) -> usize {
        self.apps.push(Slot { app: Some(app), finished: false });
        self.running += 1;
        self.apps.len() - 1
    }

    /// Applications there have been.
    pub(crate) fn apps_started(&self) -> usize {
        self.apps.len()
    }

    pub(crate) fn app(&self, slot: usize) -> Option<&dyn App> {
        self.apps.get(slot)?.app.as_deref()
    }

    pub(crate) fn app_mut(&mut self, slot: usize) -> Option<&mut Box<dyn App>> {
        self.apps.get_mut(slot)?.app.as_mut()
    }

    /// Applications that have not finished.
    pub(crate) fn apps_running(&self) -> usize {
        self.running
    }

    /// Looks again which applications have finished, after a caller changed one.
    pub(crate) fn recount_apps(&mut self) {
        for slot in &mut self.apps {
            slot.finished = slot.app.as_ref().is_none_or(|app| app.finished());
        }
        self.running = self.apps.iter().filter(|slot| !slot.finished).count();
    }

    pub(crate) fn start_app(&mut self, now: Nanos, slot: usize) {
        self.with_app(now, slot, |app, context| app.start(context));
    }

    pub(crate) fn wake_app(&mut self, now: Nanos, slot: usize, token: u64) {
        self.with_app(now, slot, |app, context| app.wake(token, context));
    }

    /// Runs an application with its host; the application is out of its slot meanwhile. None if there is no such application.
    pub(crate) fn with_app<T>(
        &mut self,
        now: Nanos,
        slot: usize,
        run: impl FnOnce(&mut dyn App, &mut HostContext<'_>) -> T,
    ) -> Option<T> {
        let mut app = self.apps.get_mut(slot).and_then(|place| place.app.take())?;
        let result = run(app.as_mut(), &mut HostContext::new(self, now, slot));
        let finished = app.finished();
        let place = &mut self.apps[slot];
        self.running = self.running + usize::from(place.finished) - usize::from(finished);
        *place = Slot { app: Some(app), finished };
        Some(result)
    }

    /// The application that holds a binding.
    pub(crate) fn bound(&self, binding: Binding) -> Option<usize> {
        self.bindings.get(&binding).copied()
    }

    /// Hands something to the application that bound it; false if none did.
    pub(super) fn arrive(&mut self, now: Nanos, binding: Binding, arrival: &Arrival<'_>) -> bool {
        let Some(&slot) = self.bindings.get(&binding) else { return false };
        self.with_app(now, slot, |app, context| app.receive(arrival, context));
        true
    }

    pub(crate) fn bind(&mut self, binding: Binding, slot: usize) -> Result<(), BindError> {
        if let Binding::Tcp(port) = binding {
            return self.tcp_listen(port, self.config.tcp.clone(), slot);
        }
        if binding == Binding::Udp(0) || self.bindings.contains_key(&binding) {
            return Err(BindError(binding));
        }
        self.bindings.insert(binding, slot);
        Ok(())
    }

    pub(crate) fn unbind(&mut self, binding: Binding, slot: usize) {
        if self.bindings.get(&binding) == Some(&slot) {
            self.bindings.remove(&binding);
            if let Binding::Tcp(port) = binding {
                self.tcp.unlisten(port);
            }
        }
    }

    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}
