//! The reason why a pipeline is refused.

use std::fmt;

/// A rule that a [`PipelineSpec`](crate::PipelineSpec) breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// The pipeline refers to something that its program does not have.
    #[error("{part} names {kind} that the program does not have")]
    Unknown {
        /// The part of the pipeline.
        part: Part,
        /// `a variable`, `a parser` and so on.
        kind: &'static str,
    },
    /// The pipeline reads a variable that is a varbit or has more than 64 bits.
    #[error("{part} reads `{variable}`, which has more than 64 bits or is a varbit")]
    Unreadable {
        /// The part of the pipeline.
        part: Part,
        /// The variable's name.
        variable: String,
    },
    /// The pipeline writes a variable that is not a plain number or boolean of at most 64 bits. For
    /// a parser's error, a variable of type `error` is also allowed.
    #[error("{part} writes `{variable}`, which is not a plain number of at most 64 bits")]
    Unwritable {
        /// The part of the pipeline.
        part: Part,
        /// The variable's name.
        variable: String,
    },
    /// The pipeline keeps a variable at a restart that is not plain, or is a varbit.
    #[error("{part} is `{variable}`, which belongs to a header or stack or is a varbit")]
    Unkeepable {
        /// The part of the pipeline.
        part: Part,
        /// The variable's name.
        variable: String,
    },
    /// A constant does not fit the variable that an extern call or a stage sets to it.
    #[error("{part} sets `{variable}` to {value}, which does not fit")]
    TooLarge {
        /// The part of the pipeline.
        part: Part,
        /// The variable's name.
        variable: String,
        /// The constant.
        value: u64,
    },
    /// A stage names an input, output or set that the pipeline does not have.
    #[error("{part} names {kind} {position}, but the pipeline has {count}")]
    NoSuchValue {
        /// The part of the pipeline.
        part: Part,
        /// `input`, `output` or `set`.
        kind: &'static str,
        /// The position that the stage names.
        position: usize,
        /// The pipeline's number of inputs, outputs or sets.
        count: usize,
    },
    /// The pipeline has more than [`PipelineSpec::MAX_VALUES`](crate::PipelineSpec::MAX_VALUES)
    /// inputs or outputs.
    #[error("the pipeline has {count} {kind}s, more than {max}", max = crate::PipelineSpec::MAX_VALUES)]
    TooManyValues {
        /// `input` or `output`.
        kind: &'static str,
        /// The pipeline's number of inputs or outputs.
        count: usize,
    },
    /// The stages are in the wrong order. At most one parser runs, before all controls, and at most
    /// one deparser, as the last stage or before a restart.
    #[error(
        "{part} is out of order: a parser runs once and before all controls, a deparser is the last stage or \
         comes before a restart, and a restart follows a deparser"
    )]
    Order {
        /// The stage.
        part: Part,
    },
    /// A control that is not the deparser emits headers.
    #[error("{part} runs `{control}`, which emits headers, so it must be a deparser")]
    Emits {
        /// The stage.
        part: Part,
        /// The control's name.
        control: String,
    },
    /// An extern call does not have the arguments that its semantics needs.
    #[error("{part}, `{callee}`, does not fit its meaning: {problem}")]
    Semantics {
        /// The extern call.
        part: Part,
        /// The name of the called function or method.
        callee: String,
        /// The argument or variable that does not fit.
        problem: &'static str,
    },
    /// A table is listed twice.
    #[error("{part} is listed twice")]
    ListedTwice {
        /// The table.
        part: Part,
    },
}

/// A part of a [`PipelineSpec`](crate::PipelineSpec), by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An item of [`inputs`](crate::PipelineSpec::inputs).
    Input(usize),
    /// An item of [`kept`](crate::PipelineSpec::kept).
    Kept(usize),
    /// An item of [`read_by_caller`](crate::PipelineSpec::read_by_caller).
    ReadByCaller(usize),
    /// An item of [`stages`](crate::PipelineSpec::stages).
    Stage(usize),
    /// An item of [`extern_semantics`](crate::PipelineSpec::extern_semantics).
    Extern(usize),
    /// An item of [`cacheable_tables`](crate::PipelineSpec::cacheable_tables).
    Table(usize),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(position) => write!(f, "input {position}"),
            Self::Kept(position) => write!(f, "kept variable {position}"),
            Self::ReadByCaller(position) => write!(f, "variable {position} that the caller reads"),
            Self::Stage(position) => write!(f, "stage {position}"),
            Self::Extern(position) => write!(f, "extern call {position}"),
            Self::Table(position) => write!(f, "cacheable table {position}"),
        }
    }
}
