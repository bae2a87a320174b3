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

/// A file whose writers decide who controls switches.
#[derive(Clone, Copy, Debug)]
pub enum Guarded {
    /// A private key, which nobody else may read.
    Key,
    /// Certificates, or a file of roles.
    Trusted,
}

/// Returns the text of a guarded file. If all users may read a private key, it logs a warning.
///
/// # Errors
/// The file cannot be read, is not text, or is too large, or all users may write it.
pub fn read_guarded(path: &Path, kind: Guarded) -> Result<String, String> {
    let text = read(path)?;
    let path_text = path.display();
    let found = std::fs::metadata(path).map_err(|error| format!("{path_text}: {error}"))?;
    let (what, advice) = match kind {
        Guarded::Key => ("private key", "chmod 600"),
        Guarded::Trusted => ("file, which decides who controls the switch", "chmod o-w"),
    };
    let others_may = |right| found.permissions().mode() & right != 0;
    // A pipe that the caller has opened has no name whose permissions could matter.
    if found.is_file() && others_may(0o002) {
        return Err(format!("{path_text}: all users may write this {what}: {advice} {path_text}"));
    }
    if found.is_file() && others_may(0o004) && matches!(kind, Guarded::Key) {
        tracing::warn!("{path_text}: all users may read this {what}: {advice} {path_text}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a file with each of these modes can be read, and the error for the last mode.
    fn read_with(kind: Guarded, name: &str, modes: [u32; 5]) -> ([bool; 5], String) {
        let path = std::env::temp_dir().join(format!("weir-{name}-{}", std::process::id()));
        std::fs::write(&path, "text").unwrap();
        let results = modes.map(|mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            read_guarded(&path, kind)
        });
        std::fs::remove_file(&path).unwrap();
        let path_text = path.display().to_string();
        let error = results[4].clone().unwrap_err().replace(&path_text, "FILE");
        (results.map(|results| results.is_ok()), error)
    }

    #[test]
    fn keys_that_all_may_write_are_refused() {
        let (found, error) = read_with(Guarded::Key, "key", [0o600, 0o640, 0o644, 0o602, 0o666]);
        assert_eq!(found, [true, true, true, false, false]);
        assert_eq!(error, "FILE: all users may write this private key: chmod 600 FILE");
    }

    #[test]
    fn files_that_decide_rights_and_that_all_may_write_are_refused() {
        let (found, error) = read_with(Guarded::Trusted, "roles", [0o600, 0o644, 0o664, 0o646, 0o666]);
        assert_eq!(found, [true, true, true, false, false]);
        assert_eq!(
            error,
            "FILE: all users may write this file, which decides who controls the switch: chmod o-w FILE"
        );
    }

    #[test]
    fn keys_in_named_pipes_are_refused_at_once() {
        for kind in [Guarded::Key, Guarded::Trusted] {
            let path = Path::new("/dev/shm").join(format!("weir-key-{}-{kind:?}", std::process::id()));
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            let error = read_guarded(&path, kind).unwrap_err();
            std::fs::remove_file(&path).unwrap();
            assert_eq!(error, format!("{}: it is a named pipe; expected a file", path.display()));
        }
    }

    #[test]
    fn endless_devices_are_refused() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error, "/dev/zero: it is larger than 256 MiB");
    }
}
