//! Reads the texts of files.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Returns the text of a file.
///
/// # Errors
/// The file cannot be read, is not text, or is too large.
pub fn read(path: &Path) -> Result<String, String> {
    weir_files::read_text(path, MAX_BYTES)
}

/// Checks that a file that was read before is not a pipe, whose contents are gone.
///
/// # Errors
/// It is a pipe, socket or device.
pub fn check_readable_again(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let path = path.display();
            Err(format!("{path}: is a pipe, socket or device, which can be read only once; use a file"))
        }
        _ => Ok(()),
    }
}

/// Returns the text of a private key. If all users may read the file, it logs a warning.
///
/// # Errors
/// The file cannot be read, is not text, or is too large, or all users may write it.
pub fn read_key(path: &Path) -> Result<String, String> {
    let key = read(path)?;
    let shown = path.display();
    let mode = mode(path)?;
    if mode & 0o002 != 0 {
        return Err(format!("{shown}: all users may write this private key: chmod 600 {shown}"));
    }
    if mode & 0o004 != 0 {
        tracing::warn!("{shown}: all users may read this private key: chmod 600 {shown}");
    }
    Ok(key)
}

/// Returns the text of a file that decides who may control switches.
///
/// # Errors
/// The file cannot be read, is not text, or is too large, or all users may write it.
pub fn read_trusted(path: &Path) -> Result<String, String> {
    let text = read(path)?;
    let shown = path.display();
    if mode(path)? & 0o002 != 0 {
        return Err(format!(
            "{shown}: all users may write this file, which decides who controls the switch: chmod o-w {shown}"
        ));
    }
    Ok(text)
}

/// Returns the permission bits of a file.
fn mode(path: &Path) -> Result<u32, String> {
    let found = std::fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(found.permissions().mode())
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
    fn files_that_decide_rights_and_that_all_may_write_are_refused() {
        let path = std::env::temp_dir().join(format!("weir-roles-{}", std::process::id()));
        std::fs::write(&path, "roles").unwrap();
        let read_with = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            read_trusted(&path).is_ok()
        };
        let found = [0o600, 0o644, 0o664, 0o646, 0o666].map(read_with);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(found, [true, true, true, false, false]);
    }

    #[test]
    fn devices_end_somewhere() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error, "/dev/zero: it is larger than 256 MiB");
    }
}
