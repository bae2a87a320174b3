//! The preprocessor's output, as text.

use super::{SourceLoader, preprocess};
use crate::diagnostic::Diagnostics;
use crate::source_map::{Location, SourceMap};
use crate::token::{Interner, TokenKind};

/// The maximum number of empty lines that are written in place of a `#line` directive.
const MAX_EMPTY_LINES: usize = 8;

/// Preprocesses a root file with all its includes, as [`parse`](crate::parse) does, and returns the
/// remaining text. `#line` directives keep the places of diagnostics.
pub fn text(
    root: &str,
    loader: &dyn SourceLoader,
    defines: &[(String, String)],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> String {
    let mut interner = Interner::new();
    let tokens = preprocess(root, loader, defines, sources, diagnostics, &mut interner);
    let mut text = String::new();
    let mut current = Location { file: String::new(), line: 0, column: 1 };
    for token in tokens.iter().filter(|token| token.kind != TokenKind::Eof) {
        let Some(place) = sources.location(sources.user_site(token.span)) else { continue };
        if place.file != current.file
            || place.line < current.line
            || place.line > current.line + MAX_EMPTY_LINES
        {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let name = place.file.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("#line {} \"{name}\"\n", place.line));
        } else {
            text.extend(std::iter::repeat_n('\n', place.line - current.line));
        }
        if text.is_empty() || text.ends_with('\n') {
            text.extend(std::iter::repeat_n(' ', place.column - 1));
        } else if token.has_space_before() {
            text.push(' ');
        }
        let spelling = token.spelling(&interner);
        text.push_str(&spelling);
        current = Location { line: place.line + spelling.matches('\n').count(), ..place };
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preprocess::MemoryLoader;

    fn preprocessed(root: &str) -> String {
        let loader = MemoryLoader::new().with("a.p4", root).with("b.h", "const bit<8> B = 1;\n");
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let left = text("a.p4", &loader, &[("N".to_owned(), "7".to_owned())], &mut sources, &mut found);
        assert!(!found.has_errors());
        left
    }

    #[test]
    fn remaining_text_keeps_its_line_numbers() {
        assert_eq!(
            preprocessed("#include \"b.h\"\n#if N > 5\n  const bit<N> x = N*2;\n#endif\nstruct s {\n}\n"),
            "#line 1 \"b.h\"\nconst bit<8> B = 1;\n#line 3 \"a.p4\"\n  const bit<7> x = 7*2;\n\nstruct s {\n}\n"
        );
    }

    #[test]
    fn remaining_text_is_unchanged() {
        let once =
            preprocessed("#define T(a) #a a##1\n@name(\"x\") T(y)\n\n\n\n\n\n\n\n\n\n\n\nz \"a\nb\" c");
        assert_eq!(once, "#line 2 \"a.p4\"\n@name(\"x\") \"y\" y1\n#line 14 \"a.p4\"\nz \"a\nb\" c\n");
        assert_eq!(preprocessed(&once), once);
    }
}
