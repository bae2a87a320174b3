//! The contract between executors and their environment.
//!
//! - **Input:** programs and packet states of `weir-ir`.
//! - **Output:** the traits [`Executor`], [`Environment`] and [`CompiledPipeline`] with the types
//!   that their methods take and return, and [`StagedPipeline`], which runs a pipeline with any
//!   executor.
//! - **Independent of:** how an executor runs a program, what a table or an extern object holds,
//!   architectures, time.
//!
//! An executor runs blocks of a program over a [`State`](weir_ir::State). It calls the environment,
//! which the switch provides, for everything outside the program: lookups in tables, parser value
//! sets, extern calls.

mod call_frame;
mod contract;
mod emits;
mod event;
mod extern_semantics;
mod frame_values;
mod lookup;
mod outcome;
mod packet_view;
mod pipeline;
mod pipeline_check;
mod pipeline_error;
mod pipeline_spec;
mod private_vars;
mod run;
mod staged;
mod value;

pub use call_frame::{CallFrame, FrameValue};
pub use contract::{CompiledPipeline, Environment, Executor};
pub use emits::emits;
pub use event::Event;
pub use extern_semantics::{ExternSemantics, NewValue, SumStep, can_be_summed, has_data, has_result};
pub use lookup::{Lookup, LookupBatch, LookupResult};
pub use outcome::{Fault, LOOP_LIMIT, Parsed};
pub use packet_view::PacketView;
pub use pipeline::Pipeline;
pub use pipeline_error::{Part, PipelineError};
pub use pipeline_spec::{Condition, NumberSet, PipelineSpec, Source, Stage};
pub use run::{MAX_BATCH, PacketBatch, PipelineEnd, PipelineIo};
pub use staged::StagedPipeline;
pub use value::Value;
