//! Typed handles in place of pointers: an [`Arena`] owns values, and an [`Id`] refers to one of
//! them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The position of a `T` in its [`Arena`]. Handles of different arenas of one type must not be
/// mixed. Handles are assigned in ascending order, so sorting by handle restores the order in which
/// values were added.
pub struct Id<T> {
    index: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// Creates the handle for position `index`.
    pub fn new(index: usize) -> Self {
        Self {
            index: u32::try_from(index).expect("an arena holds fewer than 2^32 values"),
            marker: PhantomData,
        }
    }

    /// Returns the handle's position in the arena.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>().rsplit("::").next().unwrap_or("?");
        write!(f, "{name}#{}", self.index)
    }
}

/// Values in the order in which they were added. An [`Id`] refers to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// Creates an empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `value` and returns its handle.
    pub fn push(&mut self, value: T) -> Id<T> {
        self.items.push(value);
        Id::new(self.items.len() - 1)
    }

    /// Returns the number of values in the arena.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the value at `id`; `None` if the arena has no such position.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Iterates over handles and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Id<T>, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (Id::new(index), item))
    }

    /// Iterates over the values in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Returns an iterator over the values themselves, in order.
    pub fn into_values(self) -> std::vec::IntoIter<T> {
        self.items.into_iter()
    }

    /// Iterates over the values in order, so that the caller can change them.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
}

impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        &self.items[id.index()]
    }
}

impl<T> IndexMut<Id<T>> for Arena<T> {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<T> FromIterator<T> for Arena<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self { items: iter.into_iter().collect() }
    }
}
