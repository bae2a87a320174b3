//! The lexer. It marks the tokens that start a line, since directives end with their line.

use std::borrow::Cow;

use super::{Interner, MAX_TOKENS, Symbol, Token, TokenKind};
use crate::span::{FileId, Span};
use logos::Logos;

/// The limit of unterminated strings per file. After the last one, the rest of the file is skipped,
/// since each unterminated string costs a scan to the end of the file.
const MAX_RESTARTS: usize = 16;

/// Returns all tokens of a file, without newlines; [`TokenKind::Eof`] is the last token. If there
/// are more than [`MAX_TOKENS`], some of the others are missing.
pub(crate) fn lex(text: &str, file: FileId, interner: &mut Interner) -> Vec<Token> {
    lex_from(text, 0, file, interner)
}

/// Returns the tokens of a file from byte `base` on, which is at the start or end of a line.
pub(crate) fn lex_from(text: &str, base: usize, file: FileId, interner: &mut Interner) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        file,
        interner,
        tokens: Vec::with_capacity(((text.len() - base) / 4).min(MAX_TOKENS)),
        end: 0,
        line_start: true,
        in_directive: false,
    };
    let mut base = base;
    let mut restarts = 0;
    while let Some(restart) = lexer.run(base) {
        restarts += 1;
        base = if restarts > MAX_RESTARTS { text.len() } else { restart };
    }
    lexer.push(TokenKind::Eof, Symbol::EMPTY, text.len(), text.len());
    lexer.tokens
}

/// Returns the token that the whole text forms, or `None` if it is not exactly one. Used to paste
/// tokens.
pub(crate) fn lex_single(text: &str, span: Span, interner: &mut Interner) -> Option<Token> {
    match lex(text, span.file, interner).as_slice() {
        [token, _eof] if token.span.end as usize == text.len() && token.span.start == 0 => {
            Some(Token { span, ..*token }.with_line_start(false))
        }
        _ => None,
    }
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    interner: &'a mut Interner,
    tokens: Vec<Token>,
    end: usize,
    line_start: bool,
    in_directive: bool,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, text: Symbol, start: usize, end: usize) {
        let span = Span::new(self.file, start as u32, end as u32);
        if self.line_start {
            self.in_directive = kind == TokenKind::Hash;
        }
        let token = Token::new(kind, text, span)
            .with_line_start(self.line_start)
            .with_space_before(start != self.end);
        self.tokens.push(token);
        self.line_start = false;
        self.end = end;
    }

    /// Lexes from byte `base` on. Returns where to restart after a token that logos cannot delimit.
    fn run(&mut self, base: usize) -> Option<usize> {
        let mut logos = TokenKind::lexer(&self.text[base..]);
        while let Some(result) = logos.next().filter(|_| self.tokens.len() <= MAX_TOKENS) {
            let (start, end) = (base + logos.span().start, base + logos.span().end);
            match result {
                Ok(TokenKind::Newline) => self.line_start = true,
                Ok(kind @ (TokenKind::Identifier | TokenKind::Integer)) => {
                    let text = self.interner.intern(&join_lines(&self.text[start..end]));
                    self.push(kind, text, start, end);
                }
                Ok(TokenKind::String) => {
                    let inside = join_lines(&self.text[start + 1..end - 1]);
                    // A string can span several lines, but a directive cannot.
                    if self.in_directive && !self.line_start && inside.contains('\n') {
                        return Some(self.unterminated_token(TokenKind::UnterminatedString, start));
                    }
                    let text = self.interner.intern(&inside);
                    self.push(TokenKind::String, text, start, end);
                }
                Ok(TokenKind::UnterminatedComment) => {
                    let text = self.interner.intern("/*");
                    self.push(TokenKind::UnterminatedComment, text, start, start + 2);
                }
                Ok(kind) => match self.joined_operator(kind, start) {
                    Some(whole) => self.extend_last(whole, end),
                    None => self.push(kind, Symbol::EMPTY, start, end),
                },
                Err(()) => {
                    let rest = &self.text[start..];
                    if rest.starts_with('"') {
                        return Some(self.unterminated_token(TokenKind::UnterminatedString, start));
                    }
                    let length = rest.chars().next().map_or(1, char::len_utf8);
                    let text = self.interner.intern(&rest[..length.min(rest.len())]);
                    self.push(TokenKind::Unknown, text, start, start + length);
                    if end != start + length {
                        return Some(start + length);
                    }
                }
            }
        }
        None
    }

    /// Returns the operator that the last token forms together with a token of the kind `kind` at
    /// `start`, if only joined line ends are between the two tokens.
    fn joined_operator(&self, kind: TokenKind, start: usize) -> Option<TokenKind> {
        let last = self.tokens.last()?;
        let between = self.text.get(self.end..start).filter(|between| between.starts_with('\\'))?;
        if self.line_start || !last.kind.is_punctuation() || !join_lines(between).is_empty() {
            return None;
        }
        let text = format!("{}{}", last.kind.symbol(), kind.symbol());
        let mut logos = TokenKind::lexer(&text);
        logos.next().and_then(Result::ok).filter(|_| logos.remainder().is_empty())
    }

    /// Changes the last token to a token of the kind `kind` that ends at `end`.
    fn extend_last(&mut self, kind: TokenKind, end: usize) {
        if let Some(last) = self.tokens.last_mut() {
            (last.kind, last.span.end, self.end) = (kind, end as u32, end);
        }
    }

    /// Pushes a token that extends to the end of its line, and returns that end.
    fn unterminated_token(&mut self, kind: TokenKind, start: usize) -> usize {
        let end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let text = self.interner.intern(&self.text[start..end]);
        self.push(kind, text, start, end);
        end
    }
}

/// Returns a text without the backslashes that join lines, and without the ends of these lines.
fn join_lines(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\n', ' ', '\t', '\r', '\x0b', '\x0c']);
        match end.strip_suffix('\\').filter(|_| line.ends_with('\n')) {
            Some(start) => joined.push_str(start),
            None => joined.push_str(line),
        }
    }
    Cow::Owned(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spellings(text: &str) -> Vec<String> {
        let mut interner = Interner::new();
        let tokens = lex(text, FileId(0), &mut interner);
        tokens.iter().map(|t| t.spelling(&interner).into_owned()).collect()
    }

    #[test]
    fn longest_operators_match() {
        assert_eq!(
            spellings("a|+|=b|-|c&&&d>>=e...f..g{#}h++i"),
            [
                "a",
                "|+|=",
                "b",
                "|-|",
                "c",
                "&&&",
                "d",
                ">",
                ">=",
                "e",
                "...",
                "f",
                "..",
                "g",
                "{#}",
                "h",
                "++",
                "i",
                "end of file"
            ]
        );
    }

    #[test]
    fn comments_do_not_start_lines() {
        let mut interner = Interner::new();
        let tokens = lex("a /* \n */ b \\\n c // d \\\n e\nf", FileId(0), &mut interner);
        let starts: Vec<bool> = tokens.iter().map(|t| t.at_line_start()).collect();
        assert_eq!(starts, [true, false, false, true, false]);
    }

    #[test]
    fn unterminated_tokens_are_reported() {
        assert_eq!(spellings("a \"bc\nd"), ["a", "\"bc", "d", "end of file"]);
        assert_eq!(spellings("a /* b"), ["a", "/*", "end of file"]);
        assert_eq!(spellings("#include \"x\ny \"z\""), ["#", "include", "\"x", "y", "\"z\"", "end of file"]);
        assert_eq!(spellings("a ` é b"), ["a", "`", "é", "b", "end of file"]);
    }

    #[test]
    fn backslashes_join_lines_inside_tokens() {
        let text = "na\\\nme 1\\ \t\n6w0x\\\n\\\nff \"a\\\nb\" +\\\n+ a\\\n(b\\\n c |\\\n| d >\\\n> e";
        let expected =
            ["name", "16w0xff", "\"ab\"", "++", "a", "(", "b", "c", "||", "d", ">", ">", "e", "end of file"];
        assert_eq!(spellings(text), expected);
        assert_eq!(spellings("a\\ b\\"), ["a", "\\", "b", "\\", "end of file"]);
    }

    #[test]
    fn strings_may_span_lines_and_escape_quotes() {
        assert_eq!(spellings("\"a\\\"b\nc\""), ["\"a\\\"b\nc\"", "end of file"]);
    }
}
