//! Texts of files, of bounded size.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The maximum size of a file in bytes. Devices may never end.
const MAX_BYTES: u64 = 256 << 20;

/// The text of a file.
///
/// # Errors
/// It cannot be read, is no text, or is too large.
pub fn read(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
    read.map_err(|error| format!("{}: {error}", path.display()))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(format!("{}: it is larger than {} MiB", path.display(), MAX_BYTES >> 20));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_end_somewhere() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error, "/dev/zero: it is larger than 256 MiB");
        assert_eq!(read(Path::new("/dev/null")).unwrap(), "");
    }
}
