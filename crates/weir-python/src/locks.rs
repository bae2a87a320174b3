//! Locks that Python's threads share.

use std::sync::{LockResult, Mutex, MutexGuard, TryLockError};

use pyo3::Python;
use pyo3::sync::MutexExt;

/// Locks a mutex. While another thread holds it, this thread does not keep Python's global lock:
/// the other thread may need that lock, for the code of an extern or a controller.
///
/// # Errors
/// A thread panicked while it held the mutex.
pub fn lock<T>(mutex: &Mutex<T>) -> LockResult<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Err(poisoned),
        Err(TryLockError::WouldBlock) => Python::attach(|py| mutex.lock_py_attached(py)),
    }
}
