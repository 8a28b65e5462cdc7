//! Where the block can be, how it moves, and the poster's labels.

use std::fmt;

/// How the block is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pose {
    /// Standing on (row, col).
    Upright,
    /// Lying on (row, col) and (row, col + 1).
    AlongRow,
    /// Lying on (row, col) and (row + 1, col).
    DownColumn,
}

impl Pose {
    /// All poses, in the order of the planes of a state's number.
    pub const ALL: [Self; 3] = [Self::Upright, Self::AlongRow, Self::DownColumn];

    /// The poster's letter: `u`, `h` or `v`.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Upright => 'u',
            Self::AlongRow => 'h',
            Self::DownColumn => 'v',
        }
    }

    /// Rows and columns that the block covers.
    #[must_use]
    pub fn extent(self) -> (u32, u32) {
        match self {
            Self::Upright => (1, 1),
            Self::AlongRow => (1, 2),
            Self::DownColumn => (2, 1),
        }
    }
}

/// The block's place: its pose and its top left square, rows and columns from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// How it is placed.
    pub pose: Pose,
    /// Row of its upper square.
    pub row: u32,
    /// Column of its left square.
    pub col: u32,
}

/// A roll over one edge, in the order in which searches try them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Over the left edge.
    Left,
    /// Over the right edge.
    Right,
    /// Over the upper edge, towards row 0.
    Up,
    /// Over the lower edge.
    Down,
}

impl Move {
    /// All moves, in order; a move's number is its place here.
    pub const ALL: [Self; 4] = [Self::Left, Self::Right, Self::Up, Self::Down];

    /// `L`, `R`, `U` or `D`.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Left => 'L',
            Self::Right => 'R',
            Self::Up => 'U',
            Self::Down => 'D',
        }
    }

    /// The move of a number.
    ///
    /// # Panics
    /// When the number is not below 4.
    #[must_use]
    pub fn from_number(number: u8) -> Self {
        Self::ALL[usize::from(number)]
    }

    /// The move that undoes this one.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

/// What a move does to the block. A move over a short edge of a lying block, or over any edge of an upright one, changes
/// between upright and lying; a move over a long edge rolls a lying block sideways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// Upright to lying.
    Tip,
    /// Lying to upright.
    Stand,
    /// Lying to lying: its axis keeps its direction.
    Roll,
}

impl MoveKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Tip, Self::Stand, Self::Roll];

    /// `tip`, `stand` or `roll`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tip => "tip",
            Self::Stand => "stand",
            Self::Roll => "roll",
        }
    }

    /// The kind of a move from one pose to another.
    #[must_use]
    pub fn between(from: Pose, to: Pose) -> Self {
        match (from, to) {
            (Pose::Upright, _) => Self::Tip,
            (_, Pose::Upright) => Self::Stand,
            _ => Self::Roll,
        }
    }
}

/// Where a move takes a block of a pose: the new pose, and what is added to row and column.
#[must_use]
pub fn roll(pose: Pose, direction: Move) -> (Pose, i32, i32) {
    use Move::{Down, Left, Right, Up};
    use Pose::{AlongRow, DownColumn, Upright};
    match (pose, direction) {
        (Upright, Left) => (AlongRow, 0, -2),
        (Upright, Right) => (AlongRow, 0, 1),
        (Upright, Up) => (DownColumn, -2, 0),
        (Upright, Down) => (DownColumn, 1, 0),
        (AlongRow, Left) => (Upright, 0, -1),
        (AlongRow, Right) => (Upright, 0, 2),
        (DownColumn, Up) => (Upright, -1, 0),
        (DownColumn, Down) => (Upright, 2, 0),
        (lying, Left) => (lying, 0, -1),
        (lying, Right) => (lying, 0, 1),
        (lying, Up) => (lying, -1, 0),
        (lying, Down) => (lying, 1, 0),
    }
}

/// Why a text names no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// Not of either form.
    #[error("{0:?} is not a state: expected a label such as u1, h4 or v2, or POSE:ROW,COL from 0 such as u:0,3")]
    Form(String),
    /// A number past the last of its letter.
    #[error("the label {label} is past the last one: a {rows}×{cols} board has {letter}1 to {letter}{last}")]
    PastLast {
        /// The label.
        label: String,
        /// Its letter.
        letter: char,
        /// The last number with that letter.
        last: u64,
        /// Rows of the board.
        rows: u32,
        /// Columns of the board.
        cols: u32,
    },
    /// No label has this letter on this board, because the block does not fit that way.
    #[error("no state of a {rows}×{cols} board has the letter {letter}: the block does not fit that way")]
    NoneOfLetter {
        /// The letter.
        letter: char,
        /// Rows of the board.
        rows: u32,
        /// Columns of the board.
        cols: u32,
    },
    /// Coordinates off the board.
    #[error("{text} is off the board: with {letter}, rows go from 0 to {max_row} and columns from 0 to {max_col}")]
    OffBoard {
        /// What was given.
        text: String,
        /// The pose's letter.
        letter: char,
        /// Largest row.
        max_row: u32,
        /// Largest column.
        max_col: u32,
    },
}

impl State {
    /// A block standing on a square.
    #[must_use]
    pub fn upright(row: u32, col: u32) -> Self {
        Self { pose: Pose::Upright, row, col }
    }

    /// The squares under the block (one or two).
    pub fn squares(self) -> impl Iterator<Item = (u32, u32)> {
        let (height, width) = self.pose.extent();
        (0..height).flat_map(move |r| (0..width).map(move |c| (self.row + r, self.col + c)))
    }

    /// The state's number within its letter in the poster's scheme, from 1: `u` and `v` row by row, `h` column by column.
    /// Holes keep their numbers.
    #[must_use]
    pub fn number(self, rows: u32, cols: u32) -> u64 {
        let (row, col) = (u64::from(self.row), u64::from(self.col));
        match self.pose {
            Pose::AlongRow => col * u64::from(rows) + row + 1,
            Pose::Upright | Pose::DownColumn => row * u64::from(cols) + col + 1,
        }
    }

    /// The poster's label on a board of this size, such as `h4`.
    #[must_use]
    pub fn label(self, rows: u32, cols: u32) -> Label {
        Label { letter: self.pose.letter(), number: self.number(rows, cols) }
    }

    /// Reads a label (`h4`) or coordinates (`h:0,1`) on a board of this size. Says nothing about holes.
    ///
    /// # Errors
    /// When the text has neither form or the state is not on the board.
    pub fn read(text: &str, rows: u32, cols: u32) -> Result<Self, LabelError> {
        let form = || LabelError::Form(text.chars().take(40).collect());
        let mut chars = text.chars();
        let letter = chars.next().ok_or_else(form)?.to_ascii_lowercase();
        let pose = Pose::ALL.into_iter().find(|p| p.letter() == letter).ok_or_else(form)?;
        let (height, width) = pose.extent();
        if rows < height || cols < width {
            return Err(LabelError::NoneOfLetter { letter, rows, cols });
        }
        let (max_row, max_col) = (rows - height, cols - width);
        let rest = chars.as_str();
        if let Some(place) = rest.strip_prefix(':') {
            let (row, col) = place.split_once(',').ok_or_else(form)?;
            let (row, col) = (decimal(row).ok_or_else(form)?, decimal(col).ok_or_else(form)?);
            if row > u64::from(max_row) || col > u64::from(max_col) {
                return Err(LabelError::OffBoard { text: text.into(), letter, max_row, max_col });
            }
            #[expect(clippy::cast_possible_truncation, reason = "both are at most a u32, just checked")]
            return Ok(Self { pose, row: row as u32, col: col as u32 });
        }
        let number = decimal(rest).filter(|&k| k > 0).ok_or_else(form)?;
        let last = u64::from(max_row + 1) * u64::from(max_col + 1);
        // `u` and `v` leave no gap at a row's end, `h` none at a column's end: numbers 1 to last are all states.
        if number > last {
            return Err(LabelError::PastLast { label: text.into(), letter, last, rows, cols });
        }
        #[expect(clippy::cast_possible_truncation, reason = "number is at most rows times cols, so both fit")]
        let split = |by: u32| (((number - 1) / u64::from(by)) as u32, ((number - 1) % u64::from(by)) as u32);
        Ok(if pose == Pose::AlongRow {
            let (col, row) = split(rows);
            Self { pose, row, col }
        } else {
            let (row, col) = split(cols);
            Self { pose, row, col }
        })
    }
}

/// A number of decimal digits only.
fn decimal(text: &str) -> Option<u64> {
    (!text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// A state's label, ready to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    letter: char,
    number: u64,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter, self.number)
    }
}
