//! Reads JSON documents that people write by hand. Every value has its place in the text, so that
//! every mistake is reported with its place.
//!
//! - **Input:** the text of a file, or values that a front end made itself.
//! - **Output:** [`Value`]s. The typed getters of [`Node`] return a value, or a [`Diagnostic`] with
//!   file, line, column, path, the expected value, and the most similar valid key. An [`Object`]
//!   collects the [`Mistakes`] of all members.
//! - **Must never know:** the meaning of documents, files, networks, P4.
//!
//! ```
//! let document = weir_json::Document::parse("ports.json", "{\"ports\": [1, \"two\"]}").unwrap();
//! let ports = document.root().require("ports").unwrap();
//! let error = ports.items().unwrap().nth(1).unwrap().integer("a port", 0, 511).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "ports.json:1:15: $.ports[1]: expected a port (a whole number), found a string \"two\""
//! );
//! ```

mod diagnostic;
mod document;
mod mistakes;
mod node;
mod object;
mod parse;
mod path;
mod repair;
mod text;
mod value;

pub use diagnostic::Diagnostic;
pub use document::Document;
pub use mistakes::{Collector, Mistakes, combine};
pub use node::Node;
pub use object::Object;
pub use value::{Kind, Value};
