//! Board files: our text grid and the EPFL course's terrain, told apart by content.
//!
//! Both are lines of equal length, a character a square, and may hold one `S` and one `T` (squares on which the block
//! stands at the start and at the goal). Our grid writes `#` for a square and `.` for a hole; the terrain writes `o` and `-`.
//! A line that starts with `;`, with `//`, or with `#` and a space is a comment. White space at a line's end, a byte-order mark
//! and empty lines before and after the board are skipped.

use super::board::{Board, MAX_SIDE, SizeError};
use super::state::State;

/// More bytes than any board needs, with room for comments.
pub const MAX_BYTES: usize = 24 << 20;

/// How a board file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardFormat {
    /// `#` a square, `.` a hole.
    Grid,
    /// `o` a square, `-` a hole: the terrain of the EPFL course's Bloxorz.
    Epfl,
}

impl BoardFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Grid => "a grid",
            Self::Epfl => "an EPFL terrain",
        }
    }

    fn alphabet(self) -> &'static str {
        match self {
            Self::Grid => "# (square), . (hole), S (start) or T (goal), e.g. S##.T",
            Self::Epfl => "o (square), - (hole), S (start) or T (goal), e.g. Soo-T",
        }
    }
}

/// What a board file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardFile {
    /// The board; `S` and `T` are squares of it.
    pub board: Board,
    /// The square marked `S`, the block standing on it.
    pub start: Option<State>,
    /// The square marked `T`, the block standing on it.
    pub goal: Option<State>,
    /// How it was written.
    pub format: BoardFormat,
}

/// Why a board file can't be read. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are places, and the messages say what each is")]
pub enum BoardFileError {
    /// No line holds a square or a hole.
    #[error("no board in it: expected lines of {}", BoardFormat::Grid.alphabet())]
    Empty,
    /// A character of no board.
    #[error("line {line}, column {column}: {found} in {}: expected {}", format.name(), format.alphabet())]
    Character { line: usize, column: usize, found: String, format: BoardFormat },
    /// A character of the other format.
    #[error(
        "line {line}, column {column}: {found} belongs to {}, but line {other_line}, column {other_column} has {other}, which makes the file {}: \
         write one of the two throughout",
        other_format.name(), format.name()
    )]
    Mixed {
        line: usize,
        column: usize,
        found: char,
        format: BoardFormat,
        other: char,
        other_line: usize,
        other_column: usize,
        other_format: BoardFormat,
    },
    /// The terrain's extension by fragile squares.
    #[error(
        "line {line}, column {column}: '.' is a fragile square in extensions of the EPFL terrain; boards here have only o (square) and - (hole)"
    )]
    Fragile { line: usize, column: usize },
    /// Lines of different lengths.
    #[error(
        "line {line}, column {column}: the line has {length} squares and holes, but line {first_line} has {first_length}: write holes at the end of short lines too"
    )]
    Ragged { line: usize, column: usize, length: usize, first_line: usize, first_length: usize },
    /// An empty line inside the board.
    #[error("line {line}, column 1: an empty line inside the board; a row of holes is written as {}", if *.format == BoardFormat::Grid { "..." } else { "---" })]
    Gap { line: usize, format: BoardFormat },
    /// Two `S` or two `T`.
    #[error(
        "line {line}, column {column}: a second {mark}, the first is at line {first_line}, column {first_column}: a board has one {mark} at most"
    )]
    Second { mark: char, line: usize, column: usize, first_line: usize, first_column: usize },
    /// Too many rows or columns.
    #[error("line {line}, column {column}: the board is too large: rows and columns go to {MAX_SIDE}")]
    TooLarge { line: usize, column: usize },
    /// More bytes than a board can have.
    #[error("too large: the file has more than {} MiB, and a board has at most {MAX_SIDE}×{MAX_SIDE} squares", MAX_BYTES >> 20)]
    TooManyBytes,
    /// A size that [`Board`] refuses.
    #[error(transparent)]
    Size(#[from] SizeError),
}

/// A line of a file that is no comment, without white space at its end.
struct Line<'a> {
    number: usize,
    text: &'a [u8],
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|&b| b == b'\n').enumerate().filter_map(|(at, text)| {
        let text = text.trim_ascii_end();
        let comment = [&b";"[..], b"//", b"# ", b"#\t"].iter().any(|mark| text.starts_with(mark));
        (!comment).then_some(Line { number: at + 1, text })
    })
}

/// The format that the first telling character stands for.
fn tell(bytes: &[u8]) -> (BoardFormat, Option<(char, usize, usize)>) {
    for line in lines(bytes) {
        for (at, &byte) in line.text.iter().enumerate().take(MAX_SIDE as usize) {
            let found = Some((char::from(byte), line.number, at + 1));
            match byte {
                b'#' => return (BoardFormat::Grid, found),
                b'o' | b'-' => return (BoardFormat::Epfl, found),
                _ => {}
            }
        }
    }
    (BoardFormat::Grid, None)
}

/// Reads a board file; `format` is told by content when it is not given.
///
/// # Errors
/// The first thing wrong, with its line and column.
pub fn read(bytes: &[u8], format: Option<BoardFormat>) -> Result<BoardFile, BoardFileError> {
    if bytes.len() > MAX_BYTES {
        return Err(BoardFileError::TooManyBytes);
    }
    let (format, telling) = format.map_or_else(|| tell(bytes), |given| (given, None));
    let mut squares: Vec<bool> = Vec::new();
    let (mut rows, mut first): (u32, Option<(usize, usize)>) = (0, None);
    let mut marks: [Option<(usize, usize, State)>; 2] = [None, None];
    let mut gap = None;
    for Line { number: line, text } in lines(bytes) {
        if text.is_empty() {
            gap = gap.or(first.map(|_| line));
            continue;
        }
        for (at, &byte) in text.iter().enumerate() {
            let column = at + 1;
            if column > MAX_SIDE as usize || rows >= MAX_SIDE {
                return Err(BoardFileError::TooLarge { line, column });
            }
            squares.push(match (format, byte) {
                (BoardFormat::Grid, b'#') | (BoardFormat::Epfl, b'o') => true,
                (BoardFormat::Grid, b'.') | (BoardFormat::Epfl, b'-') => false,
                (_, b'S' | b'T') => {
                    #[expect(clippy::cast_possible_truncation, reason = "a column is at most MAX_SIDE, just checked")]
                    let state = State::upright(rows, at as u32);
                    let mark = &mut marks[usize::from(byte == b'T')];
                    if let Some((first_line, first_column, _)) = *mark {
                        let mark = char::from(byte);
                        return Err(BoardFileError::Second { mark, line, column, first_line, first_column });
                    }
                    *mark = Some((line, column, state));
                    true
                }
                _ => return Err(unexpected(text, at, line, format, telling)),
            });
        }
        if let Some(line) = gap {
            return Err(BoardFileError::Gap { line, format });
        }
        let (first_line, first_length) = *first.get_or_insert((line, text.len()));
        if text.len() != first_length {
            let column = text.len().min(first_length) + 1;
            return Err(BoardFileError::Ragged { line, column, length: text.len(), first_line, first_length });
        }
        rows += 1;
    }
    let (_, length) = first.ok_or(BoardFileError::Empty)?;
    #[expect(clippy::cast_possible_truncation, reason = "a column is at most MAX_SIDE, checked above")]
    let cols = length as u32;
    let board = Board::from_squares(rows, cols, |row, col| squares[row as usize * length + col as usize])?;
    let [start, goal] = marks.map(|mark| mark.map(|(_, _, state)| state));
    Ok(BoardFile { board, start, goal, format })
}

/// What to say of a byte that a format does not have.
fn unexpected(
    text: &[u8],
    at: usize,
    line: usize,
    format: BoardFormat,
    telling: Option<(char, usize, usize)>,
) -> BoardFileError {
    let (byte, column) = (text[at], at + 1);
    let other_format = match byte {
        b'#' | b'.' => BoardFormat::Grid,
        _ => BoardFormat::Epfl,
    };
    match (byte, telling) {
        (b'.', _) if format == BoardFormat::Epfl => BoardFileError::Fragile { line, column },
        (b'#' | b'o' | b'-', Some((other, other_line, other_column))) => BoardFileError::Mixed {
            line,
            column,
            found: char::from(byte),
            format,
            other,
            other_line,
            other_column,
            other_format,
        },
        _ => BoardFileError::Character { line, column, found: show(&text[at..]), format },
    }
}

/// The first character of some bytes as a person would name it.
fn show(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    match valid.chars().next() {
        Some(' ') => "a space".into(),
        Some(found) if !found.is_control() => format!("'{found}'"),
        _ => format!("the byte 0x{:02x}", bytes[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        read(text.as_bytes(), None).unwrap_err().to_string()
    }

    #[test]
    fn a_grid_is_read_with_its_start_goal_and_comments() {
        let file = read(b"; a comment\n# and another\n\nS##.\r\n//between\n####  \n..#T\n\n", None).unwrap();
        assert_eq!((file.board.rows(), file.board.cols(), file.format), (3, 4, BoardFormat::Grid));
        assert_eq!(file.start, Some(State::upright(0, 0)));
        assert_eq!(file.goal, Some(State::upright(2, 3)));
        assert_eq!(file.board.square_count(), 9);
    }

    #[test]
    fn the_epfl_terrain_is_told_by_its_characters() {
        let file = read(b"ooo-------\noSoooo----\nooooooooo-\n-ooooooooo\n-----ooToo\n------ooo-", None).unwrap();
        assert_eq!(file.format, BoardFormat::Epfl);
        assert_eq!((file.board.rows(), file.board.cols()), (6, 10));
        assert_eq!((file.start, file.goal), (Some(State::upright(1, 1)), Some(State::upright(4, 7))));
    }

    #[test]
    fn each_fault_is_named_with_its_line_and_column() {
        for (text, expected) in [
            ("", "no board in it"),
            ("; only a comment\n\n", "no board in it"),
            ("###\n##\n", "line 2, column 3: the line has 2 squares and holes, but line 1 has 3"),
            ("###\n####\n", "line 2, column 4: the line has 4"),
            ("S##\n#S#\n", "line 2, column 2: a second S, the first is at line 1, column 1"),
            ("#T#T", "line 1, column 4: a second T"),
            ("###\n\n###\n", "line 2, column 1: an empty line inside the board"),
            ("###\n#x#\n", "line 2, column 2: 'x' in a grid"),
            ("### ###", "line 1, column 4: a space in a grid"),
            ("###\n#o#", "line 2, column 2: o belongs to an EPFL terrain, but line 1, column 1 has #"),
            ("ooo\n-o#", "line 2, column 3: # belongs to a grid, but line 1, column 1 has o"),
            ("oo.", "line 1, column 3: '.' is a fragile square"),
            ("##\n#\u{e9}", "line 2, column 2: 'é' in a grid"),
            ("#\u{0}", "line 1, column 2: the byte 0x00"),
        ] {
            let found = message(text);
            assert!(found.contains(expected), "{text:?}: {found}");
        }
    }

    #[test]
    fn boards_past_the_limit_are_refused_early() {
        let wide = "#".repeat(4097);
        assert!(message(&wide).contains("line 1, column 4097: the board is too large"));
        let tall = "#\n".repeat(4097);
        assert!(message(&tall).contains("line 4097, column 1: the board is too large"));
        assert_eq!(read(&vec![b'#'; MAX_BYTES + 1], None), Err(BoardFileError::TooManyBytes));
        assert!(read("#\n".repeat(4096).as_bytes(), None).is_ok());
    }

    #[test]
    fn binary_bytes_are_shown_as_bytes() {
        let found = read(b"\x7fELF\x02", None).unwrap_err().to_string();
        assert!(found.contains("line 1, column 1: the byte 0x7f"), "{found}");
    }
}
