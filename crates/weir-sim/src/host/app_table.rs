//! The applications of a host: their slots, calls to them, and their bindings.

use smallvec::SmallVec;
use weir_device::Nanos;

use super::Host;
use crate::host::app::{App, HostContext};
use crate::host::ids::AppKey;
use crate::host::socket::{AppEvent, BindError, Binding};
use crate::{Random, ResourceUsage};

/// A slot for an application.
struct Slot {
    /// `None` while the application is being called.
    app: Option<Box<dyn App>>,
    finished: bool,
    /// Whether the caller no longer needs the application: it is removed when it has finished.
    released: bool,
    /// The generation of the application in this slot, or of the next one.
    generation: u32,
}

/// The applications of a host.
#[derive(Default)]
pub(super) struct Apps {
    slots: SmallVec<[Slot; 2]>,
    /// The numbers of slots without an application.
    free: Vec<u32>,
    /// The number of applications started so far.
    started: usize,
    /// The number of applications that have not finished.
    running: usize,
}

impl Apps {
    /// Returns the slot of an application, if the application still exists.
    fn slot(&self, key: AppKey) -> Option<&Slot> {
        self.slots.get(key.number as usize).filter(|slot| slot.generation == key.generation)
    }

    fn slot_mut(&mut self, key: AppKey) -> Option<&mut Slot> {
        self.slots.get_mut(key.number as usize).filter(|slot| slot.generation == key.generation)
    }
}

impl Host {
    pub(crate) fn add_app(&mut self, app: Box<dyn App>) -> AppKey {
        let apps = &mut self.apps;
        (apps.started, apps.running) = (apps.started + 1, apps.running + 1);
        let number = apps.free.pop().unwrap_or_else(|| {
            apps.slots.push(Slot { app: None, finished: false, released: false, generation: 0 });
            (apps.slots.len() - 1) as u32
        });
        let slot = &mut apps.slots[number as usize];
        (slot.app, slot.finished, slot.released) = (Some(app), false, false);
        AppKey { number, generation: slot.generation }
    }

    /// Returns the number of applications started so far.
    pub(crate) fn apps_started(&self) -> usize {
        self.apps.started
    }

    /// Adds the resources that the host uses to the network's usage.
    pub(crate) fn add_usage(&self, load: &mut ResourceUsage) {
        load.apps += self.apps.slots.len() - self.apps.free.len();
        load.app_capacity += self.apps.slots.len();
        load.bindings += self.bindings.len();
        let (open, waiting, capacity) = self.tcp.sockets();
        load.connections += open;
        load.waiting += waiting;
        load.connection_capacity += capacity;
        load.timers += self.tcp.timers();
        load.packets_held += self.fragments.len() + self.waiting();
    }

    /// Returns an application, if it still exists.
    pub(crate) fn app(&self, key: AppKey) -> Option<&dyn App> {
        self.apps.slot(key)?.app.as_deref()
    }

    pub(crate) fn app_mut(&mut self, key: AppKey) -> Option<&mut Box<dyn App>> {
        self.apps.slot_mut(key)?.app.as_mut()
    }

    /// Returns the number of applications that have not finished.
    pub(crate) fn apps_running(&self) -> usize {
        self.apps.running
    }

    /// Returns whether all applications are self-contained.
    pub(crate) fn apps_are_self_contained(&self) -> bool {
        self.apps.slots.iter().flat_map(|slot| &slot.app).all(|app| app.is_self_contained())
    }

    /// Updates which applications have finished, after a caller changed one.
    pub(crate) fn update_finished_apps(&mut self) {
        let apps = &mut self.apps;
        for slot in &mut apps.slots {
            slot.finished = slot.app.as_ref().is_none_or(|app| app.finished());
        }
        apps.running = apps.slots.iter().filter(|slot| !slot.finished).count();
    }

    pub(crate) fn start_app(&mut self, now: Nanos, key: AppKey) {
        self.with_app(now, key, |app, context| app.start(context));
    }

    pub(crate) fn wake_app(&mut self, now: Nanos, key: AppKey, token: u64) {
        self.with_app(now, key, |app, context| app.wake(token, context));
    }

    /// Calls an application with its host. During the call, the application is not in its slot.
    /// Returns `None` if there is no such application.
    pub(crate) fn with_app<T>(
        &mut self,
        now: Nanos,
        key: AppKey,
        run: impl FnOnce(&mut dyn App, &mut HostContext<'_>) -> T,
    ) -> Option<T> {
        let mut app = self.apps.slot_mut(key)?.app.take()?;
        self.outbox().app_called = true;
        let result = run(app.as_mut(), &mut HostContext::new(self, now, key));
        let finished = app.finished();
        // The slot still exists, because slots are freed only when their application is in place.
        let slot = &mut self.apps.slots[key.number as usize];
        let before = std::mem::replace(&mut slot.finished, finished);
        slot.app = Some(app);
        let leaves = finished && slot.released;
        self.apps.running = self.apps.running + usize::from(before) - usize::from(finished);
        if leaves {
            self.remove_app(now, key);
        }
        Some(result)
    }

    /// Releases an application: it is removed now or when it has finished.
    pub(crate) fn release_app(&mut self, now: Nanos, key: AppKey) {
        let Some(slot) = self.apps.slot_mut(key) else { return };
        slot.released = true;
        // Another application may have caused this one to finish.
        if slot.app.as_ref().is_some_and(|app| app.finished()) {
            let before = std::mem::replace(&mut slot.finished, true);
            self.apps.running -= usize::from(!before);
            self.remove_app(now, key);
        }
    }

    /// Frees the slot of an application.
    fn remove_app(&mut self, now: Nanos, key: AppKey) {
        let Some(slot) = self.apps.slot_mut(key) else { return };
        slot.app = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.apps.free.push(key.number);
        self.bindings.bound_by(key).into_iter().for_each(|binding| self.unbind(binding, key));
        self.tcp.release(now, key);
    }

    /// Returns the application that has a binding.
    pub(crate) fn bound(&self, binding: Binding) -> Option<AppKey> {
        self.bindings.get(binding)
    }

    /// Passes an event to the application that has the binding. Returns false if there is none.
    pub(super) fn arrive(&mut self, now: Nanos, binding: Binding, arrival: &AppEvent<'_>) -> bool {
        let Some(app) = self.bindings.get(binding) else { return false };
        self.with_app(now, app, |app, context| app.receive(arrival, context));
        true
    }

    /// Lets an application receive what arrives for a binding.
    pub(crate) fn bind(&mut self, binding: Binding, app: AppKey) -> Result<(), BindError> {
        if let Binding::Tcp(port) = binding {
            return self.tcp_listen(port, self.config.tcp.clone(), app);
        }
        if binding == Binding::Udp(0) || self.bindings.contains(binding) {
            return Err(BindError(binding));
        }
        self.bindings.insert(binding, app);
        Ok(())
    }

    /// Ends a binding of an application.
    pub(crate) fn unbind(&mut self, binding: Binding, app: AppKey) {
        if self.bindings.get(binding) == Some(app) {
            self.bindings.remove(binding);
            if let Binding::Tcp(port) = binding {
                self.tcp.close_listener(port);
            }
        }
    }

    /// Returns the host's random stream.
    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}
