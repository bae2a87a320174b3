//! The files that a topology names, and their locations.

use std::path::{Component, Path, PathBuf};

use crate::text::nearest;

/// Access to files for topologies. Paths have the form of the platform.
pub trait FileSystem {
    /// Returns whether there is a file of this name, which is not a folder.
    fn exists(&self, path: &Path) -> bool;

    /// Returns the absolute path of a folder, without links; `None` if the folder does not exist.
    fn canonical_path(&self, folder: &Path) -> Option<PathBuf>;

    /// Returns the names of the files in a folder.
    fn names(&self, folder: &Path) -> Vec<String>;
}

/// Access to the files around a topology.
pub struct Files<'f> {
    /// The topology's file, as the user names it.
    topology: PathBuf,
    system: &'f dyn FileSystem,
}

impl<'f> Files<'f> {
    /// Creates access to the files around a topology's file.
    pub fn new(topology: impl Into<PathBuf>, system: &'f dyn FileSystem) -> Self {
        Self { topology: topology.into(), system }
    }

    /// Returns the topology's own name in messages: `topology.json`.
    pub(crate) fn topology(&self) -> String {
        self.topology.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the file that a topology calls `name`: next to the topology, in the parent folder
    /// (the tutorials name files relative to the exercise's folder), or in the current one. Its
    /// path is as the user would write it.
    pub(crate) fn find(&self, name: &str) -> Option<String> {
        if name.contains('\0') {
            return None;
        }
        let candidates =
            [Some(self.folder().join(name)), self.path_in_parent_folder(name), Some(PathBuf::from(name))];
        let file = candidates.into_iter().flatten().find(|path| self.system.exists(path))?;
        Some(file.to_string_lossy().into_owned())
    }

    /// Among the files next to the topology file that have the extension of `name`, returns the
    /// name most similar to `name`.
    pub(crate) fn nearest_name(&self, name: &str) -> Option<String> {
        let wanted = self.folder().join(name);
        let mut names = self.system.names(wanted.parent()?);
        names.sort();
        // The topology itself may have the nearest name, but the user never means it.
        let own = self.topology();
        names.retain(|known| Path::new(known).extension() == wanted.extension() && *known != own);
        nearest(wanted.file_name()?.to_str()?, &names)
    }

    /// Returns the folder of the topology's file.
    fn folder(&self) -> &Path {
        self.topology.parent().unwrap_or(Path::new(""))
    }

    /// Returns the path of a file in the parent of the topology's folder: an absolute path if the
    /// topology's path is absolute, otherwise a path relative to the current folder.
    fn path_in_parent_folder(&self, name: &str) -> Option<PathBuf> {
        let folder = self.system.canonical_path(self.folder())?;
        let file = normalized_path(&folder.parent().unwrap_or(&folder).join(name));
        if self.topology.is_absolute() {
            return Some(file);
        }
        Some(relative_path(&file, &self.system.canonical_path(Path::new(""))?))
    }
}

/// Makes a path relative to a folder; both are absolute and without links.
fn relative_path(path: &Path, from: &Path) -> PathBuf {
    let same = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(same).map(|_| Component::ParentDir);
    up.chain(path.components().skip(same)).collect()
}

/// Returns a path without `.`, and without names that `..` cancels.
fn normalized_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files by absolute path; the current folder is `/lab/net`. `/lab/link` links to `/far/pod`.
    struct Tree(&'static [&'static str]);

    impl Tree {
        fn absolute(path: &Path) -> PathBuf {
            let path = normalized_path(&Path::new("/lab/net").join(path));
            path.strip_prefix("/lab/link").map_or(path.clone(), |rest| Path::new("/far/pod").join(rest))
        }
    }

    impl FileSystem for Tree {
        fn exists(&self, path: &Path) -> bool {
            self.0.iter().any(|known| Path::new(known) == Self::absolute(path))
        }

        fn canonical_path(&self, folder: &Path) -> Option<PathBuf> {
            Some(Self::absolute(folder)).filter(|folder| folder != Path::new("/lab/none"))
        }

        fn names(&self, folder: &Path) -> Vec<String> {
            let folder = Self::absolute(folder);
            let own = self.0.iter().map(Path::new).filter(|path| path.parent() == Some(&folder));
            own.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
        }
    }

    fn find(files: &'static [&'static str], topology: &str, name: &str) -> Option<String> {
        Files::new(topology, &Tree(files)).find(name)
    }

    #[test]
    fn the_search_order_is_topology_folder_parent_current_folder() {
        let all: &[&str] = &["/lab/net/pod/a.p4", "/lab/net/a.p4", "/lab/a.p4"];
        assert_eq!(find(all, "pod/topology.json", "a.p4").as_deref(), Some("pod/a.p4"));
        assert_eq!(find(&all[1..], "pod/topology.json", "a.p4").as_deref(), Some("a.p4"));
        assert_eq!(find(&all[2..], "pod/topology.json", "a.p4"), None);
        assert_eq!(find(all, "topology.json", "a.p4").as_deref(), Some("a.p4"));
        assert_eq!(find(&all[2..], "topology.json", "a.p4").as_deref(), Some("../a.p4"));
        assert_eq!(find(&all[2..], "/lab/net/topology.json", "a.p4").as_deref(), Some("/lab/a.p4"));
        assert_eq!(find(all, "/other/b/topology.json", "a.p4").as_deref(), Some("a.p4"));
        assert_eq!(find(all, "/other/b/topology.json", "b.p4"), None);
        assert_eq!(find(all, "topology.json", "a.p4\0"), None);
    }

    #[test]
    fn paths_are_as_users_write_them() {
        let all: &[&str] = &["/lab/x/src/a.p4", "/far/b.p4"];
        assert_eq!(find(all, "../x/pod/topology.json", "src/a.p4").as_deref(), Some("../x/src/a.p4"));
        assert_eq!(find(all, "../x/pod/topology.json", "./src/a.p4").as_deref(), Some("../x/src/a.p4"));
        let own: &[&str] = &["/lab/net/b.json"];
        assert_eq!(find(own, "topology.json", "net/b.json").as_deref(), Some("b.json"));
        // The parent of a linked folder is the parent of the folder that it links to.
        assert_eq!(find(all, "../link/topology.json", "b.p4").as_deref(), Some("../../far/b.p4"));
    }

    #[test]
    fn suggestions_have_the_same_extension() {
        let files = Tree(&["/lab/net/pod/firewal.json", "/lab/net/pod/firewall.p4"]);
        let files = Files::new("pod/topology.json", &files);
        assert_eq!(files.nearest_name("firewal.p4").as_deref(), Some("firewall.p4"));
        assert_eq!(files.nearest_name("../none/firewal.p4"), None);
        assert_eq!(files.topology(), "topology.json");
    }
}
