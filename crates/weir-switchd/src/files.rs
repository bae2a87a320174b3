//! Texts of files.

use std::path::Path;

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The text of a file.
///
/// # Errors
/// The file cannot be read, is not text, or is too large.
pub fn read(path: &Path) -> Result<String, String> {
    weir_files::read_text(path, MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_devices_are_refused() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error, "/dev/zero: it is larger than 256 MiB");
    }
}
