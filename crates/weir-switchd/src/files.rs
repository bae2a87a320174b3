//! Reads the texts of files.

use std::os::unix::fs::PermissionsExt;
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

/// The text of a private key. If all users may read the file, it logs a warning.
///
/// # Errors
/// The file cannot be read, is not text, or is too large, or all users may write it.
pub fn read_key(path: &Path) -> Result<String, String> {
    let key = read(path)?;
    let shown = path.display();
    let mode = std::fs::metadata(path).map_err(|error| format!("{shown}: {error}"))?.permissions().mode();
    if mode & 0o002 != 0 {
        return Err(format!("{shown}: all users may write this private key: chmod 600 {shown}"));
    }
    if mode & 0o004 != 0 {
        tracing::warn!("{shown}: all users may read this private key: chmod 600 {shown}");
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_all_may_write_are_refused() {
        let path = std::env::temp_dir().join(format!("weir-key-{}", std::process::id()));
        std::fs::write(&path, "key").unwrap();
        let read_with = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            read_key(&path)
        };
        let found = [0o600, 0o640, 0o644, 0o602, 0o666].map(read_with);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(found.each_ref().map(Result::is_ok), [true, true, true, false, false]);
        let shown = path.display();
        let expected = format!("{shown}: all users may write this private key: chmod 600 {shown}");
        assert_eq!(found[3], Err(expected));
    }

    #[test]
    fn devices_end_somewhere() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error, "/dev/zero: it is larger than 256 MiB");
    }
}
