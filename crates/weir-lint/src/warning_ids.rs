//! The ids that `@noWarn` takes.

/// The identifiers of Weir's warnings.
pub(super) const WEIR_WARNINGS: [&str; 67] = [
    "annotation-number",
    "bmv2-differs",
    "bmv2-refuses",
    "composite-action-data",
    "constant-argument",
    "constant-comparison",
    "constant-key",
    "covered-entry",
    "deprecated",
    "detached-counter",
    "division-at-run-time",
    "drop-overwritten",
    "empty-case",
    "empty-range",
    "extracted-twice",
    "header-as-metadata",
    "ignored-annotation",
    "ignored-property",
    "ignored-selector",
    "implied-default",
    "index-out-of-range",
    "invalid-header-read",
    "invalid-header-write",
    "log-places",
    "maybe-invalid-header",
    "missing-transition",
    "misspelt-annotation",
    "narrow-translation",
    "never-emitted",
    "no-cases",
    "no-effect",
    "no-main",
    "p4info",
    "preprocess-condition",
    "preprocess-extra-tokens",
    "preprocess-macro-redefined",
    "preprocess-paste",
    "preprocess-stringify",
    "preprocess-unknown-directive",
    "preprocess-warning-directive",
    "read-too-early",
    "repeated-register",
    "select-without-default",
    "several-lpm-keys",
    "several-registers",
    "shadowing",
    "shift-overflow",
    "sparse-counter",
    "stale-checksum",
    "syntax-width-parentheses",
    "truncated-constant",
    "unaligned-header",
    "unbounded-bits",
    "uninitialised",
    "unknown-property",
    "unreachable-case",
    "unreachable-code",
    "unreachable-state",
    "unset-out",
    "unused",
    "unused-parameter",
    "unused-table",
    "unwritten-metadata",
    "width-dropped",
    "written-too-early",
    "written-too-late",
    "zero-size",
];

/// The ids of p4c's warnings, which programs for p4c may silence. They have no effect in Weir,
/// unless one of Weir's warnings has the same id.
const P4C_WARNINGS: &str = "branch duplicate duplicate-priorities entries-out-of-priority-order expr failed \
                      ignore ignore-prop invalid invalid-header keys legacy mismatch missing \
                      multi-header-extract ordering overflow parser-transition removed shadow \
                      type-inference uninitialized uninitialized-out-param uninitialized-use unknown \
                      unreachable unsupported";

/// Returns whether a compiler has a warning with this id.
pub(super) fn is_known(id: &str) -> bool {
    WEIR_WARNINGS.contains(&id) || P4C_WARNINGS.split_whitespace().any(|known| known == id)
}
