//! Reads files of bounded size, explains why a file cannot be read, and creates files in folders
//! that others may have made.
//!
//! - **Input:** the path of a file, and its maximum size.
//! - **Output:** the bytes or the text of the file; an error message for people; a new file.
//! - **Independent of:** the contents of files.

mod create;
mod opened;

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

pub use create::create_inside;
pub use opened::is_opened_by_caller;

/// Reads a file of at most `most` bytes. Because of this limit, reading also stops for a device
/// that never ends. A named pipe is refused, because it may never end, unless the caller of the
/// command has opened it ([`is_opened_by_caller`]).
///
/// # Errors
/// The file cannot be read, is a named pipe or a socket, or is too large.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if is_opened_by_caller(path) {
        return read_open(&File::open(path)?, most);
    }
    let file = match open_without_waiting(path) {
        Err(_) if is_socket(path) => {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is a socket; expected a file"));
        }
        opened => opened?,
    };
    if is_pipe(&file)? {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a named pipe; expected a file"));
    }
    read_open(&file, most)
}

/// Reads a file of at most `most` bytes, which must not be a pipe, socket or device.
///
/// # Errors
/// The file cannot be read, is not a regular file, or is too large.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_without_waiting(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is a pipe, socket or device"));
    }
    read_open(&file, most)
}

/// Opens a file. Does not wait until another process opens a named pipe.
fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.open(path)
}

/// Returns whether a name is that of a socket, which cannot be opened.
fn is_socket(path: &Path) -> bool {
    #[cfg(unix)]
    let is_socket =
        path.metadata().is_ok_and(|found| std::os::unix::fs::FileTypeExt::is_socket(&found.file_type()));
    #[cfg(not(unix))]
    let is_socket = false;
    is_socket
}

fn is_pipe(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&file.metadata()?.file_type());
    #[cfg(not(unix))]
    let is_pipe = !file.metadata()?.is_file() && !file.metadata()?.is_dir();
    Ok(is_pipe)
}

fn read_open(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it is larger than {} MiB", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// Reads the text of a file of at most `most` bytes.
///
/// # Errors
/// The file cannot be read. The message has its name and the reason, and the nearest existing name
/// if the file does not exist.
pub fn read_text(path: &Path, most: u64) -> Result<String, String> {
    let bytes = read_bytes(path, most).map_err(|error| describe_error(path, &error))?;
    if is_utf16(&bytes) {
        return Err(format!("{}: is UTF-16 text: save it as UTF-8", path.display()));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        format!("{}: is not UTF-8 text (byte {place})", path.display())
    })?;
    Ok(without_byte_order_mark(text))
}

/// Removes the byte order mark that some editors write at the start of UTF-8 text.
pub fn without_byte_order_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// Returns whether a file begins with the byte order mark of UTF-16.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

/// Describes the error of a file in a message for people.
fn describe_error(path: &Path, error: &io::Error) -> String {
    let name = path.display();
    match error.kind() {
        ErrorKind::NotFound => missing_file_message(path),
        ErrorKind::IsADirectory => format!("{name}: is a directory, expected a file"),
        ErrorKind::PermissionDenied => format!("{name}: cannot be read: this user has no permission"),
        ErrorKind::FileTooLarge | ErrorKind::InvalidInput => format!("{name}: {error}"),
        _ => format!("{name}: cannot be read: {error}"),
    }
}

/// Returns the message that a file does not exist, with the most similar name in the same folder
/// with the same extension.
fn missing_file_message(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name = path.display();
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return format!("{name}: no such file: there is no folder {}", folder.display());
    }
    let missing_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let files = file_names(folder.unwrap_or(Path::new(".")));
    let like =
        files.iter().map(String::as_str).filter(|file| Path::new(file).extension() == path.extension());
    match weir_suggest::nearest(&missing_name, like) {
        Some(near) => {
            format!("{name}: no such file; did you mean \"{}\"?", path.with_file_name(near).display())
        }
        None => format!("{name}: no such file"),
    }
}

/// The maximum number of entries of a folder that are read for a suggestion.
const MAX_ENTRIES: usize = 500;

/// Returns the names of the files in a folder.
fn file_names(folder: &Path) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let files = entries.take(MAX_ENTRIES).filter_map(|entry| {
        let entry = entry.ok()?;
        entry.path().is_file().then(|| entry.file_name().into_string().ok())?
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_devices_are_refused() {
        let error = read_text(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error, "/dev/zero: it is larger than 1 MiB");
        assert_eq!(read_text(Path::new("/dev/null"), 0), Ok(String::new()));
        assert_eq!(read_bytes(Path::new("/dev/zero"), 5).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn named_pipes_and_sockets_are_refused_at_once() {
        // Below /dev, only the names of opened files are exceptions.
        for folder in [std::env::temp_dir(), "/dev/shm".into()] {
            let path = folder.join(format!("weir-pipe-{}", std::process::id()));
            let status = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
            assert!(status.success());
            let (any, regular) = (read_bytes(&path, 9), read_regular(&path, 9));
            std::fs::remove_file(&path).unwrap();
            assert_eq!(any.unwrap_err().to_string(), "it is a named pipe; expected a file");
            assert_eq!(regular.unwrap_err().to_string(), "it is a pipe, socket or device");
            let socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
            let error = read_text(&path, 9).unwrap_err();
            std::fs::remove_file(&path).unwrap();
            drop(socket);
            assert_eq!(error, format!("{}: it is a socket; expected a file", path.display()));
        }
        assert_eq!(read_regular(Path::new("/dev/zero"), 9).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn pipes_that_the_caller_has_opened_are_read() {
        use std::os::fd::AsRawFd;
        for form in ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"] {
            let (reader, mut writer) = std::io::pipe().unwrap();
            std::io::Write::write_all(&mut writer, b"text").unwrap();
            drop(writer);
            let name = format!("{form}{}", reader.as_raw_fd());
            assert_eq!(read_text(Path::new(&name), 9), Ok("text".to_owned()), "{name}");
        }
    }

    #[test]
    fn unreadable_files_are_explained() {
        let folder = std::env::temp_dir().join(format!("weir-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("router.p4"), [b'a', 0xff]).unwrap();
        std::fs::write(folder.join("router.txt"), "text").unwrap();
        let read = |name: &str| {
            let error = read_text(&folder.join(name), 100).unwrap_err();
            error.replace(&folder.display().to_string(), "DIR")
        };
        assert_eq!(read("ruoter.p4"), "DIR/ruoter.p4: no such file; did you mean \"DIR/router.p4\"?");
        assert_eq!(read("else.p4"), "DIR/else.p4: no such file");
        assert_eq!(read("router.json"), "DIR/router.json: no such file");
        assert_eq!(read("none/router.p4"), "DIR/none/router.p4: no such file: there is no folder DIR/none");
        assert_eq!(read("."), "DIR/.: is a directory, expected a file");
        assert_eq!(read("router.p4"), "DIR/router.p4: is not UTF-8 text (byte 1)");
        for bytes in [b"\xff\xfea\0", b"\xfe\xff\0a"] {
            std::fs::write(folder.join("router.p4"), bytes).unwrap();
            assert_eq!(read("router.p4"), "DIR/router.p4: is UTF-16 text: save it as UTF-8");
        }
        std::fs::write(folder.join("router.p4"), "\u{feff}\u{feff}text").unwrap();
        assert_eq!(read_text(&folder.join("router.p4"), 100).unwrap(), "\u{feff}text");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
