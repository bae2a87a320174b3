//! The kinds of tokens and their patterns (specification section "Lexical constructs").

use logos::Logos;

/// A kind of token.
///
/// There are no kinds for `>>` and `>>=`. Because of `f<g<a>>(b)`, `>` is always a separate token,
/// and the parser combines adjacent tokens. Keywords have the kind of identifiers, since a macro
/// may have any name.
///
/// A backslash at the end of a line joins it with the next, as in C, also inside names, numbers,
/// strings and operators.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(skip r"[ \t\r\x0b\f]+")]
#[logos(skip r"\\[ \t\r\x0b\f]*\n")]
#[logos(skip(r"//([^\n\\]|\\[ \t\r\x0b\f]*\n|\\)*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum TokenKind {
    #[token("\n")]
    Newline,
    #[regex(r"[A-Za-z_]((\\[ \t\r\x0b\f]*\n)*[A-Za-z0-9_])*")]
    Identifier,
    #[regex(r"[0-9]((\\[ \t\r\x0b\f]*\n)*[A-Za-z0-9_])*")]
    Integer,
    #[regex(r#""([^"\\]|\\[^\n]|\\\n)*""#)]
    String,
    #[token("{#}")]
    InvalidHeader,
    #[token("#")]
    Hash,
    #[token("##")]
    HashHash,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("...")]
    Dots,
    #[token("?")]
    Question,
    #[token("@")]
    At,
    #[token("=")]
    Assign,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("!")]
    Bang,
    #[token("~")]
    Tilde,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token("<<")]
    Shl,
    #[token("<<=")]
    ShlAssign,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("+")]
    Plus,
    #[token("++")]
    PlusPlus,
    #[token("+=")]
    PlusAssign,
    #[token("-")]
    Minus,
    #[token("-=")]
    MinusAssign,
    #[token("*")]
    Star,
    #[token("*=")]
    StarAssign,
    #[token("/")]
    Slash,
    #[token("/=")]
    SlashAssign,
    #[token("%")]
    Percent,
    #[token("%=")]
    PercentAssign,
    #[token("&")]
    And,
    #[token("&&")]
    AndAnd,
    #[token("&&&")]
    Mask,
    #[token("&=")]
    AndAssign,
    #[token("|")]
    Or,
    #[token("||")]
    OrOr,
    #[token("|=")]
    OrAssign,
    #[token("|+|")]
    PlusSat,
    #[token("|-|")]
    MinusSat,
    #[token("|+|=")]
    PlusSatAssign,
    #[token("|-|=")]
    MinusSatAssign,
    #[token("^")]
    Caret,
    #[token("^=")]
    CaretAssign,
    /// A character that is not part of any P4 token.
    Unknown,
    /// A string without closing quote.
    UnterminatedString,
    /// A comment without `*/`. The pattern of a terminated comment would match more characters.
    #[regex(r"/\*([^*]|\*+[^*/])*\**")]
    UnterminatedComment,
    /// The end of the file.
    Eof,
}

impl TokenKind {
    /// Returns the spelling, for kinds that have only one spelling; a description for other kinds.
    pub fn symbol(self) -> &'static str {
        use TokenKind::*;
        match self {
            Newline => "end of line",
            Identifier => "name",
            Integer => "integer",
            String => "string",
            InvalidHeader => "{#}",
            Hash => "#",
            HashHash => "##",
            LParen => "(",
            RParen => ")",
            LBracket => "[",
            RBracket => "]",
            LBrace => "{",
            RBrace => "}",
            Semicolon => ";",
            Colon => ":",
            Comma => ",",
            Dot => ".",
            DotDot => "..",
            Dots => "...",
            Question => "?",
            At => "@",
            Assign => "=",
            EqEq => "==",
            NotEq => "!=",
            Bang => "!",
            Tilde => "~",
            Lt => "<",
            Le => "<=",
            Shl => "<<",
            ShlAssign => "<<=",
            Gt => ">",
            Ge => ">=",
            Plus => "+",
            PlusPlus => "++",
            PlusAssign => "+=",
            Minus => "-",
            MinusAssign => "-=",
            Star => "*",
            StarAssign => "*=",
            Slash => "/",
            SlashAssign => "/=",
            Percent => "%",
            PercentAssign => "%=",
            And => "&",
            AndAnd => "&&",
            Mask => "&&&",
            AndAssign => "&=",
            Or => "|",
            OrOr => "||",
            OrAssign => "|=",
            PlusSat => "|+|",
            MinusSat => "|-|",
            PlusSatAssign => "|+|=",
            MinusSatAssign => "|-|=",
            Caret => "^",
            CaretAssign => "^=",
            Unknown => "unknown character",
            UnterminatedString => "unterminated string",
            UnterminatedComment => "unterminated comment",
            Eof => "end of file",
        }
    }

    /// Returns whether the kind's spelling is [`TokenKind::symbol`].
    pub fn is_punctuation(self) -> bool {
        use TokenKind::*;
        !matches!(
            self,
            Newline
                | Identifier
                | Integer
                | String
                | Unknown
                | UnterminatedString
                | UnterminatedComment
                | Eof
        )
    }
}
