//! The part of a device that a request names. The switch has one pipe.

use weir_grpc::Problem;
use weir_p4runtime_proto::bfrt::TargetDevice;

/// The number of the only pipe.
pub const PIPE: u32 = 0;

/// The number that stands for all pipes.
pub const ALL_PIPES: u32 = 0xffff;

/// Checks that the switch has the pipe.
///
/// # Errors
/// The switch has no such pipe.
pub fn check(target: &TargetDevice) -> Result<(), Problem> {
    match target.pipe_id {
        PIPE | ALL_PIPES => Ok(()),
        pipe => Err(Problem::invalid(format!(
            "the switch has no pipe {pipe}: its only pipe is {PIPE}, and {ALL_PIPES} stands for all pipes"
        ))),
    }
}
