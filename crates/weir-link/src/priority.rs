//! The priority of the thread that moves frames.

use thread_priority::unix::{
    RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// The priority: above all threads without a real-time priority, and below the usual priority of
/// the kernel's threads (50).
const PRIORITY: u8 = 10;

/// Gives this thread a real-time priority (`SCHED_FIFO`), so that frames leave on time even if the
/// processors are busy. Returns whether the process may do so: it needs CAP_SYS_NICE outside user
/// namespaces, or a limit (`RLIMIT_RTPRIO`) that allows it.
pub fn set_realtime_priority() -> bool {
    let Ok(priority) = ThreadPriorityValue::try_from(PRIORITY) else { return false };
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let priority = ThreadPriority::Crossplatform(priority);
    set_thread_priority_and_policy(thread_native_id(), priority, policy).is_ok()
}
