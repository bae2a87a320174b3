//! Restricts the files that controllers' programs can include. Diagnostics quote lines of included
//! files, so controllers may include only P4 files in folders that the server's owner names.

use std::path::{Component, Path};

use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

/// Loads the files that a controller's program includes.
pub struct ConfinedLoader<'l>(pub &'l dyn SourceLoader);

impl SourceLoader for ConfinedLoader<'_> {
    fn load(&self, name: &str, angled: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        match from {
            Some(_) if !is_inside || !has_p4_or_h_extension(name) => Err(LoadError::Unreadable(
                "programs of controllers include files named *.p4 or *.h inside the server's folders only"
                    .to_owned(),
            )),
            // The program itself has no folder.
            Some(from) => self.0.load(name, angled || !Path::new(from).is_absolute(), Some(from)),
            None => self.0.load(name, angled, from),
        }
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn libraries(&self) -> Vec<String> {
        self.0.libraries()
    }
}

/// Returns whether a file's name ends in `.p4` or `.h`.
fn has_p4_or_h_extension(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "p4" || end == "h")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loader that finds every file, and records how the search began.
    struct Anything;

    impl SourceLoader for Anything {
        fn load(&self, name: &str, angled: bool, _: Option<&str>) -> Result<LoadedSource, LoadError> {
            let text = if angled { "in the folders" } else { "next to the including file" };
            Ok(LoadedSource { name: name.to_owned(), text: text.to_owned() })
        }
    }

    #[test]
    fn programs_reach_p4_files_inside_the_folders() {
        let load = |name, from| ConfinedLoader(&Anything).load(name, false, from).map(|file| file.text);
        let main = Some("p4_device_config.p4");
        assert_eq!(load("headers.p4", main).unwrap(), "in the folders");
        assert_eq!(load("lib/headers.h", main).unwrap(), "in the folders");
        assert_eq!(load("more.p4", Some("/p4/lib/headers.p4")).unwrap(), "next to the including file");
        assert!(load("p4_device_config.p4", None).is_ok(), "the program itself");
        for name in ["/etc/passwd", "/p4/x.p4", "../x.p4", "lib/../../x.p4", "key.pem", "p4", ".p4"] {
            let Err(LoadError::Unreadable(why)) = load(name, main) else { panic!("{name}") };
            assert!(why.contains("*.p4 or *.h"), "{why}");
        }
    }
}
