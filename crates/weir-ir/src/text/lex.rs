//! Words of the text form, and quoted names.

use num_bigint::BigInt;
use num_traits::Num;

use crate::bits::Bits;
use crate::loc::Loc;

use super::ParseError;
use super::spelling::plain_length;

/// A word of the text form with its position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) offset: usize,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A token of the text form of the IR.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    /// A reserved word or an unquoted name.
    Plain(String),
    /// A name in backticks.
    Quoted(String),
    Text(String),
    Int(BigInt),
    Const {
        value: Bits,
        signed: bool,
    },
    Loc(Loc),
    Symbol(&'static str),
    End,
}

impl Word {
    /// Describes the token for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Plain(name) | Self::Quoted(name) => format!("`{name}`"),
            Self::Text(text) => format!("{text:?}"),
            Self::Int(value) => format!("`{value}`"),
            Self::Const { value, .. } => format!("the constant {value:?}"),
            Self::Loc(_) => "a source place".into(),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::End => "the end of the text".into(),
        }
    }
}

/// The symbols, longer ones first. `>>` is two symbols, because type arguments may end with `>>`;
/// the parser compares their positions.
const SYMBOLS: &[&str] = &[
    "&&&", "|+|", "|-|", "::", "->", "..", "==", "!=", "<=", ">=", "&&", "||", "<<", "++", "&[", "&{", "{",
    "}", "(", ")", "[", "]", "<", ">", "=", ";", ":", ",", "?", "+", "-", "*", "/", "%", "&", "|", "^", "!",
    "~", "@", "_",
];

/// The maximum number of words of a text.
const MAX_WORDS: usize = 1 << 22;

/// Splits a text in the IR's text form into words.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { text, offset: 0, line: 1, column: 1, counted: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let offset = lexer.offset;
        let line = lexer.line;
        let column = lexer.column();
        let word = lexer.word().map_err(|message| ParseError { line, column, message })?;
        let end = word == Word::End;
        if tokens.len() == MAX_WORDS {
            let message = format!("the program has more than {MAX_WORDS} words and signs, the maximum");
            return Err(ParseError { line, column, message });
        }
        tokens.push(Token { word, offset, line, column });
        if end {
            return Ok(tokens);
        }
    }
}

/// The state of splitting the text form of the IR into tokens.
struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
    /// Column of the byte at `counted`.
    column: u32,
    counted: usize,
}

impl<'a> Lexer<'a> {
    fn rest_of_text(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Returns the current column, counted in characters.
    fn column(&mut self) -> u32 {
        self.column += self.text[self.counted..self.offset].chars().count() as u32;
        self.counted = self.offset;
        self.column
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.rest_of_text().chars().next() {
            if c == '\n' {
                self.offset += 1;
                self.line += 1;
                self.column = 1;
                self.counted = self.offset;
            } else if c.is_whitespace() {
                self.offset += c.len_utf8();
            } else if self.rest_of_text().starts_with("//") {
                self.offset += self.rest_of_text().find('\n').unwrap_or(self.rest_of_text().len());
            } else {
                return;
            }
        }
    }

    /// Takes the next characters, as long as they satisfy `ok`.
    fn take(&mut self, ok: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest_of_text();
        let end = rest.find(|c| !ok(c)).unwrap_or(rest.len());
        self.offset += end;
        &rest[..end]
    }

    fn skip_text(&mut self, text: &str) -> bool {
        let eaten = self.rest_of_text().starts_with(text);
        self.offset += if eaten { text.len() } else { 0 };
        eaten
    }

    /// Reads the next token.
    fn word(&mut self) -> Result<Word, String> {
        let rest = self.rest_of_text();
        let Some(first) = rest.chars().next() else { return Ok(Word::End) };
        if first.is_ascii_digit() {
            return self.read_number();
        }
        if first == '@' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            return self.read_place();
        }
        if first == '"' {
            return Ok(Word::Text(self.read_quoted('"')?));
        }
        if first == '`' {
            return Ok(Word::Quoted(self.read_quoted('`')?));
        }
        let length = plain_length(rest);
        if length > 0 {
            self.offset += length;
            return Ok(Word::Plain(rest[..length].to_owned()));
        }
        for symbol in SYMBOLS {
            if self.skip_text(symbol) {
                return Ok(Word::Symbol(symbol));
            }
        }
        Err(format!("unexpected character `{first}`"))
    }

    /// Reads a number, decimal or after `0x`.
    fn digits(&mut self) -> Result<BigInt, String> {
        let (digits, radix) = if self.skip_text("0x") {
            (self.take(|c| c.is_ascii_hexdigit()), 16)
        } else {
            (self.take(|c| c.is_ascii_digit()), 10)
        };
        BigInt::from_str_radix(digits, radix).map_err(|_| "expected digits".into())
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.take(|c| c.is_ascii_digit()).parse().map_err(|_| "expected a number below 2^32".into())
    }

    /// Reads a number: `12`, `0x1f`, `8w255` or `8s-1`.
    fn read_number(&mut self) -> Result<Word, String> {
        let start = self.offset;
        let value = self.digits()?;
        let signed = match self.rest_of_text().chars().next() {
            Some('w') => false,
            Some('s') => true,
            _ => return Ok(Word::Int(value)),
        };
        let width: u32 = self.text[start..self.offset]
            .parse()
            .map_err(|_| "expected a width in bits before `w`".to_owned())?;
        self.offset += 1;
        let negative = signed && self.skip_text("-");
        let digits = self.digits()?;
        let number = if negative { -digits } else { digits };
        let value = Bits::wrap_signed(width, &number);
        let fits =
            if signed { value.to_signed() == number } else { BigInt::from(value.to_biguint()) == number };
        if !fits {
            return Err(format!("{number} does not fit {width} bits"));
        }
        Ok(Word::Const { value, signed })
    }

    /// Reads a place: `@12:3`, or `@2/12:3` in the third file.
    fn read_place(&mut self) -> Result<Word, String> {
        self.skip_text("@");
        let first = self.u32()?;
        let (file, line) = if self.skip_text("/") { (first, self.u32()?) } else { (0, first) };
        if !self.skip_text(":") {
            return Err("expected `:` and a column after the line".into());
        }
        Ok(Word::Loc(Loc { file, line, column: self.u32()? }))
    }

    fn read_quoted(&mut self, quote: char) -> Result<String, String> {
        let unclosed = || format!("no closing `{quote}`");
        self.offset += 1;
        let mut content = String::new();
        loop {
            content.push_str(self.take(|c| c != quote && c != '\\' && c != '\n'));
            let c = self.rest_of_text().chars().next().filter(|c| *c != '\n').ok_or_else(unclosed)?;
            self.offset += c.len_utf8();
            if c == quote {
                return Ok(content);
            }
            if self.skip_text("n") {
                content.push('\n');
            } else if self.skip_text("u{") {
                let hex = self.take(|c| c.is_ascii_hexdigit());
                let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
                content.push(c.ok_or("no such character")?);
                if !self.skip_text("}") {
                    return Err("expected `}`".into());
                }
            } else {
                let c = self.rest_of_text().chars().next().ok_or_else(unclosed)?;
                self.offset += c.len_utf8();
                content.push(c);
            }
        }
    }
}
