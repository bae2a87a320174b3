//! Tests an owner that changes pages, and readers of its snapshots, over all interleavings:
//! `cargo test -p weir-tables --features loom --lib loom_tests`.

use loom::sync::{Arc, Mutex};
use loom::thread;

use super::{PageAllocator, PageEditor, Pages, WordArray};
use crate::sync::TokenArc;

/// The number of words of the array, in two pages.
const WORDS: usize = 4;

/// The data that a reader receives.
struct Snapshot {
    pages: Pages,
    array: WordArray,
    _token: TokenArc<()>,
}

/// The owner and its array.
struct Owner {
    allocator: PageAllocator,
    pages: Pages,
    array: WordArray,
}

impl Owner {
    fn new() -> Self {
        let (mut allocator, mut pages) = PageAllocator::new(1);
        let mut array = WordArray::default();
        let mut editor = PageEditor { allocator: &mut allocator, pages: &mut pages };
        editor.move_to_pages(&mut array);
        editor.grow(&mut array, WORDS);
        Self { allocator, pages, array }
    }

    /// Writes a value to a word of each page, as a change of a table does.
    fn write(&mut self, value: u64) {
        self.allocator.reclaim();
        let mut editor = PageEditor { allocator: &mut self.allocator, pages: &mut self.pages };
        editor.set(&mut self.array, 0, value);
        editor.set(&mut self.array, WORDS - 1, value);
    }

    /// Takes a snapshot of the array.
    fn snapshot(&mut self) -> Snapshot {
        let token = self.allocator.register_snapshot();
        Snapshot { pages: self.pages.clone(), array: self.array.clone(), _token: token }
    }
}

/// The place where snapshots are published. Like `ArcSwap`, it synchronizes a reader with the
/// publication that the reader sees; unlike `ArcSwap`, loom can check its type. A reader accesses a
/// snapshot after it has released the lock, so the lock does not order these accesses before the
/// owner's next changes.
type Published = Arc<Mutex<Arc<Snapshot>>>;

/// Reads both words twice. Checks that both have the same value, and that it is the same when they
/// are read again.
fn read(published: &Published) -> u64 {
    let snapshot = Arc::clone(&published.lock().unwrap());
    let word = |at| snapshot.array.get(&snapshot.pages, at);
    let value = word(0);
    assert_eq!(word(WORDS - 1), value, "a snapshot has one version of all pages");
    assert_eq!((word(0), word(WORDS - 1)), (value, value), "a snapshot does not change");
    value
}

/// Replaces the published snapshot by a new one.
fn publish(owner: &mut Owner, published: &Published) {
    let snapshot = Arc::new(owner.snapshot());
    let old = std::mem::replace(&mut *published.lock().unwrap(), snapshot);
    drop(old);
}

/// Pages are reused when the snapshot that held them is dropped, which happens from the third
/// change on in this test.
#[test]
fn a_reader_sees_each_snapshot_unchanged() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = None;
    model.check(|| {
        let mut owner = Owner::new();
        let published: Published = Arc::new(Mutex::new(Arc::new(owner.snapshot())));
        let reader = {
            let published = Arc::clone(&published);
            thread::spawn(move || {
                let first = read(&published);
                assert!(read(&published) >= first, "versions do not go back");
            })
        };
        for version in 1..=4 {
            owner.write(version);
            publish(&mut owner, &published);
        }
        reader.join().unwrap();
        assert_eq!(read(&published), 4);
    });
}

/// Two readers hold different snapshots at the same time.
#[test]
fn two_readers_hold_different_snapshots() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = None;
    model.check(|| {
        let mut owner = Owner::new();
        let published: Published = Arc::new(Mutex::new(Arc::new(owner.snapshot())));
        let readers = [(); 2].map(|()| {
            let published = Arc::clone(&published);
            thread::spawn(move || read(&published))
        });
        for version in 1..=3 {
            owner.write(version);
            publish(&mut owner, &published);
        }
        readers.into_iter().for_each(|reader| assert!(reader.join().unwrap() <= 3));
    });
}
