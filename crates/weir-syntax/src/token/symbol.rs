//! Interned strings. Keywords have the first symbols.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An interned string; equal strings have equal symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(pub u32);

macro_rules! keywords {
    ($($variant:ident $text:literal $contextual:literal,)*) => {
        /// The keywords of the grammar, including contextual ones, which are also allowed as names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Keyword { $($variant),* }

        impl Keyword {
            pub const ALL: &[Keyword] = &[$(Keyword::$variant),*];

            pub fn text(self) -> &'static str {
                match self { $(Keyword::$variant => $text),* }
            }

            /// Returns whether the grammar also allows the keyword as a name: `apply`, `key` …
            pub fn is_contextual(self) -> bool {
                match self { $(Keyword::$variant => $contextual),* }
            }
        }
    };
}

keywords! {
    Abstract "abstract" false,
    Action "action" false,
    Actions "actions" true,
    Apply "apply" true,
    Bit "bit" false,
    Bool "bool" false,
    Break "break" false,
    Const "const" false,
    Continue "continue" false,
    Control "control" false,
    Default "default" false,
    Else "else" false,
    Entries "entries" true,
    Enum "enum" false,
    Error "error" false,
    Exit "exit" false,
    Extern "extern" false,
    False "false" false,
    For "for" false,
    Header "header" false,
    HeaderUnion "header_union" false,
    If "if" false,
    In "in" false,
    InOut "inout" false,
    Int "int" false,
    Key "key" true,
    List "list" true,
    MatchKind "match_kind" false,
    Out "out" false,
    Package "package" false,
    Parser "parser" false,
    Priority "priority" true,
    Return "return" false,
    Select "select" false,
    State "state" true,
    String "string" false,
    Struct "struct" false,
    Switch "switch" false,
    Table "table" false,
    This "this" false,
    Transition "transition" false,
    True "true" false,
    Tuple "tuple" false,
    Type "type" true,
    Typedef "typedef" false,
    ValueSet "value_set" false,
    Varbit "varbit" false,
    Void "void" false,
    DontCare "_" false,
}

impl Symbol {
    /// The empty string.
    pub const EMPTY: Symbol = Symbol(Keyword::ALL.len() as u32);

    pub fn keyword(self) -> Option<Keyword> {
        Keyword::ALL.get(self.0 as usize).copied()
    }
}

impl From<Keyword> for Symbol {
    fn from(keyword: Keyword) -> Symbol {
        Symbol(keyword as u32)
    }
}

/// Stores each distinct string of a compilation once.
#[derive(Debug)]
pub(crate) struct Interner {
    texts: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
}

impl Interner {
    pub fn new() -> Interner {
        let mut interner = Interner { texts: Vec::new(), symbols: FxHashMap::default() };
        for keyword in Keyword::ALL {
            interner.intern(keyword.text());
        }
        interner.intern("");
        interner
    }

    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// Returns the symbol of a string, if it is interned.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    pub fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}
