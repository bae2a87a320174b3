//! Creates files in folders that others may have made.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates a file in a folder that others may have made. The new file replaces a file, a link, a
/// pipe or a socket of its name, so that none of them leads to another file or makes the caller
/// wait. The folder itself may be a link.
///
/// # Errors
/// The file cannot be created, or the name is that of a folder or of something that this user
/// cannot remove.
pub fn create_inside(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(of_kind(path, error)),
        _ => {}
    }
    // Fails if somebody has created the name again, even as a link.
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Returns the error for a name that cannot be removed.
fn of_kind(path: &Path, error: io::Error) -> io::Error {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => io::Error::from(ErrorKind::IsADirectory),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    #[cfg(unix)]
    fn links_and_pipes_are_replaced() {
        let folder = std::env::temp_dir().join(format!("weir-create-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("folder")).unwrap();
        let precious = folder.join("precious");
        std::fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, folder.join("link")).unwrap();
        std::os::unix::fs::symlink(folder.join("nothing"), folder.join("dangling")).unwrap();
        std::fs::hard_link(&precious, folder.join("hard")).unwrap();
        let status = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
        assert!(status.success());
        std::fs::write(folder.join("old"), "old text").unwrap();
        for name in ["link", "dangling", "hard", "pipe", "old", "new"] {
            create_inside(&folder.join(name)).unwrap().write_all(b"new").unwrap();
            assert!(folder.join(name).symlink_metadata().unwrap().is_file(), "{name}");
            assert_eq!(std::fs::read(folder.join(name)).unwrap(), b"new", "{name}");
        }
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
        assert!(!folder.join("nothing").exists());
        let error = create_inside(&folder.join("folder")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IsADirectory);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
