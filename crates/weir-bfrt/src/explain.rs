//! Converts the switch's errors to problems for clients.

use weir_control::Names;
use weir_grpc::{Code, Problem};
use weir_switch::control::{ControlError, Schema};

/// Explains an error in the names of the program. The codes are those of BfRt's drivers: for
/// example, the deletion of an object in use fails with "already exists".
pub fn explain(schema: &Schema, error: ControlError) -> Problem {
    use ControlError as E;
    let code = match &error {
        E::NoSuchEntry { .. } | E::NoSuchNumber { .. } | E::NoSuchGroup(_) | E::NoSuchSession(_) => {
            Code::NotFound
        }
        E::Duplicate { .. } | E::NumberTaken { .. } | E::SameMember { .. } | E::InUse { .. } => {
            Code::AlreadyExists
        }
        E::TableFull { .. } | E::ProfileFull { .. } | E::ValueSetFull { .. } | E::TooMuchWeight { .. } => {
            Code::ResourceExhausted
        }
        _ => Code::InvalidArgument,
    };
    Problem::new(code, Names::new(schema).explain(error).message)
}
