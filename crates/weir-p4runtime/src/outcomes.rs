//! Reports the outcome of each part of a request in the status (specification 1.5, "Error Reporting
//! Messages").

use weir_grpc::{ErrorForm, Problem, TRAILER_BYTES};

/// The errors in the details of a status.
const ERRORS: ErrorForm =
    ErrorForm { type_url: "type.googleapis.com/p4.v1.Error", has_all: true, trailer_bytes: TRAILER_BYTES };

/// Makes the status of a request that has `count` parts. `failed` lists the failed parts in
/// ascending order of their positions. All other parts are OK.
pub(crate) fn status_of_parts(what: &str, count: usize, failed: &[(usize, Problem)]) -> tonic::Status {
    weir_grpc::status_of_parts(ERRORS, what, count, failed)
}
