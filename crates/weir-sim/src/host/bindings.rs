//! The bindings of a host's applications.

use smallvec::SmallVec;

use crate::host::ids::AppKey;
use crate::host::socket::Binding;

/// Bindings and the applications that have them, sorted. Most hosts have one or two.
#[derive(Debug, Default)]
pub(super) struct Bindings(SmallVec<[(Binding, AppKey); 2]>);

impl Bindings {
    /// Finds the position of a binding, or the position at which it would be inserted.
    fn search(&self, binding: Binding) -> Result<usize, usize> {
        self.0.binary_search_by_key(&binding, |(held, _)| *held)
    }

    /// Returns the application that has a binding.
    pub(super) fn get(&self, binding: Binding) -> Option<AppKey> {
        self.search(binding).ok().map(|place| self.0[place].1)
    }

    /// Returns whether an application has the binding.
    pub(super) fn contains(&self, binding: Binding) -> bool {
        self.search(binding).is_ok()
    }

    /// Gives a binding to an application.
    pub(super) fn insert(&mut self, binding: Binding, app: AppKey) {
        match self.search(binding) {
            Ok(place) => self.0[place].1 = app,
            Err(place) => self.0.insert(place, (binding, app)),
        }
    }

    /// Removes a binding, so that nothing receives its traffic.
    pub(super) fn remove(&mut self, binding: Binding) {
        if let Ok(place) = self.search(binding) {
            self.0.remove(place);
        }
    }

    /// Returns all bindings of an application, sorted.
    pub(super) fn bound_by(&self, app: AppKey) -> Vec<Binding> {
        self.0.iter().filter(|(_, holder)| *holder == app).map(|(binding, _)| *binding).collect()
    }

    /// Returns the application with the first binding.
    pub(super) fn first_app(&self) -> Option<AppKey> {
        self.0.first().map(|(_, app)| *app)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
