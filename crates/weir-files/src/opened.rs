//! The names of files that the caller of a command has opened.

use std::path::{Component, Path};

/// Returns whether a name is that of a file that the caller of the command has opened:
/// `/dev/stdin`, or names such as the `/dev/fd/63` of a shell's `<(command)`. Only such names may
/// be pipes, because anybody can make a named pipe in a folder such as `/dev/shm`.
pub fn is_opened_by_caller(path: &Path) -> bool {
    let Ok(path) = std::path::absolute(path) else { return false };
    let parts: Vec<_> = path.components().collect();
    let [Component::RootDir, names @ ..] = &parts[..] else { return false };
    let names: Vec<_> = names.iter().filter_map(|name| name.as_os_str().to_str()).collect();
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    match names[..] {
        ["dev", "stdin"] => true,
        ["dev", "fd", number] | ["proc", "self" | "thread-self", "fd", number] => is_number(number),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_names_of_opened_files_are_among_them() {
        for name in
            ["/dev/stdin", "/dev/./stdin", "//dev//fd/63", "/proc/self/fd/0", "/proc/thread-self/fd/12"]
        {
            assert!(is_opened_by_caller(Path::new(name)), "{name}");
        }
        for name in [
            "/dev",
            "/dev/fd",
            "/dev/fd/x",
            "/dev/fd/+1",
            "/dev/fd/1/x",
            "/dev/shm/fd/1",
            "/dev/shm/../stdin",
            "/dev/null",
            "/dev/stdinx",
            "/proc/1/fd/3",
            "/proc/self/cwd/fd/1",
            "/proc/self/fd",
            "/x/dev/stdin",
            "dev/stdin",
            "",
        ] {
            assert!(!is_opened_by_caller(Path::new(name)), "{name}");
        }
    }
}
