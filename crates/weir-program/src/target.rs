//! The macro that names the target.

use weir_switch::arch::TARGET_MACRO;

/// The caller's macros, and the one that names Weir's target unless the caller names another one.
///
/// The preprocessor runs before the architecture is known, so the macro is defined for programs of
/// all architectures.
pub fn with_target(defines: &[(String, String)]) -> Vec<(String, String)> {
    let mut all = defines.to_vec();
    if !defines.iter().any(|(name, _)| name.starts_with("__TARGET_")) {
        all.push((TARGET_MACRO.to_owned(), "1".to_owned()));
    }
    all
}
