//! The board, and the graph of the states on it.

use super::state::{Move, MoveKind, Pose, State, roll};
use crate::puzzles::state_graph::{StateGraph, Step};

/// Rows and columns that a board may have.
pub const MAX_SIDE: u32 = 4096;
/// Unused rows above and below, and unused columns at the right, so that every roll lands inside its plane.
const MARGIN: u32 = 2;

/// A rectangle of squares, some of which may be holes, with a bit set of its states.
///
/// A state's number is `pose · plane + (row + 2) · stride + col`: a plane a pose, with two unused rows above and below and
/// two unused columns at each row's end. A roll over an edge is then one addition that depends on nothing but pose and
/// direction, and a roll off the board meets an unused place, which is no state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    rows: u32,
    cols: u32,
    stride: u32,
    plane: u32,
    states: Vec<u64>,
}

/// Why a board can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// A side of 0 or past [`MAX_SIDE`].
    #[error(
        "a board of {rows}×{cols} squares is out of range: rows and columns go from 1 to {MAX_SIDE}, e.g. --rows 3 --cols 3"
    )]
    OutOfRange {
        /// Rows asked for.
        rows: u64,
        /// Columns asked for.
        cols: u64,
    },
}

/// Why a state is not on a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// Part of it is off the rectangle.
    #[error("reaches off the board")]
    Off,
    /// Part of it is over a hole.
    #[error("lies over the hole at row {row}, column {col} (counted from 0)")]
    Hole {
        /// Row of the hole.
        row: u32,
        /// Column of the hole.
        col: u32,
    },
}

impl Board {
    /// A board without holes.
    ///
    /// # Errors
    /// When a side is 0 or above [`MAX_SIDE`].
    pub fn full(rows: u32, cols: u32) -> Result<Self, SizeError> {
        Self::from_squares(rows, cols, |_, _| true)
    }

    /// A board whose squares are those where `present(row, col)` holds.
    ///
    /// # Errors
    /// When a side is 0 or above [`MAX_SIDE`].
    pub fn from_squares(rows: u32, cols: u32, present: impl Fn(u32, u32) -> bool) -> Result<Self, SizeError> {
        if !(1..=MAX_SIDE).contains(&rows) || !(1..=MAX_SIDE).contains(&cols) {
            return Err(SizeError::OutOfRange { rows: rows.into(), cols: cols.into() });
        }
        let stride = cols + MARGIN;
        let plane = ((rows + 2 * MARGIN) * stride).next_multiple_of(64);
        let words = plane as usize / 64;
        let mut states = vec![0u64; 3 * words];
        let (upright, lying) = states.split_at_mut(words);
        let (along_row, down_column) = lying.split_at_mut(words);
        for row in 0..rows {
            for col in 0..cols {
                if present(row, col) {
                    let at = (row + MARGIN) * stride + col;
                    upright[at as usize / 64] |= 1 << (at % 64);
                }
            }
        }
        both(upright, 1, along_row);
        both(upright, stride, down_column);
        Ok(Self { rows, cols, stride, plane, states })
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Columns.
    #[must_use]
    pub fn cols(&self) -> u32 {
        self.cols
    }

    /// Places of a plane of the state numbers, a multiple of 64.
    #[must_use]
    pub fn plane(&self) -> u32 {
        self.plane
    }

    /// Whether a square is there (false off the board).
    #[must_use]
    pub fn has_square(&self, row: u32, col: u32) -> bool {
        row < self.rows && col < self.cols && self.is_state((row + MARGIN) * self.stride + col)
    }

    /// The number of squares that are no holes.
    #[must_use]
    pub fn square_count(&self) -> u64 {
        self.states[..self.plane as usize / 64].iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether the board has no hole.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.square_count() == u64::from(self.rows) * u64::from(self.cols)
    }

    /// The number of a state.
    ///
    /// # Errors
    /// When part of the block is off the board or over a hole.
    pub fn index(&self, state: State) -> Result<u32, PlaceError> {
        for (row, col) in state.squares() {
            if row >= self.rows || col >= self.cols {
                return Err(PlaceError::Off);
            }
            if !self.has_square(row, col) {
                return Err(PlaceError::Hole { row, col });
            }
        }
        Ok(state.pose as u32 * self.plane + (state.row + MARGIN) * self.stride + state.col)
    }

    /// The state of a number.
    ///
    /// # Panics
    /// May panic when the number is no state.
    #[must_use]
    pub fn state(&self, index: u32) -> State {
        let (pose, place) = (index / self.plane, index % self.plane);
        State { pose: Pose::ALL[pose as usize], row: place / self.stride - MARGIN, col: place % self.stride }
    }

    /// The poster's label of the state of a number, such as `h4`.
    #[must_use]
    pub fn label(&self, index: u32) -> super::state::Label {
        self.state(index).label(self.rows, self.cols)
    }

    /// The number of the state after a move, where that is legal.
    #[must_use]
    pub fn after(&self, index: u32, direction: Move) -> Option<u32> {
        let pose = self.pose(index);
        let (next, added) = self.shift(pose, direction);
        let at = index.wrapping_add(added);
        debug_assert!(at / self.plane == next as u32, "a roll stays inside its plane");
        self.is_state(at).then_some(at)
    }

    /// What a roll adds to a state's number, modulo 2^32, and the pose it leads to.
    #[must_use]
    pub fn shift(&self, pose: Pose, direction: Move) -> (Pose, u32) {
        let (next, rows, cols) = roll(pose, direction);
        let planes = (next as u32).wrapping_sub(pose as u32).wrapping_mul(self.plane);
        let squares = rows.cast_unsigned().wrapping_mul(self.stride).wrapping_add(cols.cast_unsigned());
        (next, planes.wrapping_add(squares))
    }

    fn pose(&self, index: u32) -> Pose {
        if index < self.plane {
            Pose::Upright
        } else if index < 2 * self.plane {
            Pose::AlongRow
        } else {
            Pose::DownColumn
        }
    }

    /// The states in the order of their labels: letter by letter (`u`, `h`, `v`), each in the order of its numbers.
    #[must_use]
    pub fn states_by_label(&self) -> Vec<u32> {
        let mut states: Vec<u32> = self.each_state().collect();
        states.sort_by_cached_key(|&index| {
            let state = self.state(index);
            (state.pose, state.number(self.rows, self.cols))
        });
        states
    }
}

/// Sets in `out` the bits that are set in `bits` together with the bit `distance` places above.
fn both(bits: &[u64], distance: u32, out: &mut [u64]) {
    let (whole, part) = (distance as usize / 64, distance % 64);
    let at = |word: usize| bits.get(word).copied().unwrap_or(0);
    for (word, target) in out.iter_mut().enumerate() {
        let low = at(word + whole) >> part;
        let high = if part == 0 { 0 } else { at(word + whole + 1) << (64 - part) };
        *target = bits[word] & (low | high);
    }
}

impl StateGraph for Board {
    const MOVES: usize = 4;
    const KINDS: usize = 3;

    fn index_bound(&self) -> u32 {
        3 * self.plane
    }

    fn states(&self) -> &[u64] {
        &self.states
    }

    #[inline]
    fn successors(&self, state: u32, mut visit: impl FnMut(Step)) {
        let pose = self.pose(state);
        for (label, direction) in (0u8..).zip(Move::ALL) {
            let (next, added) = self.shift(pose, direction);
            let at = state.wrapping_add(added);
            if self.is_state(at) {
                visit(Step { state: at, label, kind: MoveKind::between(pose, next) as u8 });
            }
        }
    }

    /// Every roll can be rolled back, so a move into a state is the opposite move out of it.
    #[inline]
    fn predecessors(&self, state: u32, mut visit: impl FnMut(Step)) {
        let pose = self.pose(state);
        for (label, direction) in (0u8..).zip(Move::ALL) {
            let (before, added) = self.shift(pose, direction.opposite());
            let at = state.wrapping_add(added);
            if self.is_state(at) {
                visit(Step { state: at, label, kind: MoveKind::between(before, pose) as u8 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn successors(board: &Board, label: &str) -> Vec<String> {
        let state = State::read(label, board.rows(), board.cols()).unwrap();
        let mut found = Vec::new();
        board.successors(board.index(state).unwrap(), |step| found.push(board.label(step.state).to_string()));
        found
    }

    /// The poster: on 3×3, h2 leads to h1, h3 and u6.
    #[test]
    fn h2_leads_to_h1_h3_and_u6_on_the_poster() {
        let board = Board::full(3, 3).unwrap();
        let mut found = successors(&board, "h2");
        found.sort();
        assert_eq!(found, ["h1", "h3", "u6"]);
        assert!(successors(&board, "u5").is_empty(), "u5 can't move on 3×3");
    }

    /// The poster's counts for full boards: 3mn−m−n states and 6mn−6m−6n+2 edges (two or more rows and columns).
    #[test]
    fn full_boards_have_the_posters_numbers_of_states_and_edges() {
        for (rows, cols) in (2..20).flat_map(|m| (2..20).map(move |n| (m, n))) {
            let board = Board::full(rows, cols).unwrap();
            let moves: u32 = board.each_state().map(|s| board.out_degree(s)).sum();
            assert_eq!(board.state_count(), u64::from(3 * rows * cols - rows - cols));
            assert_eq!(moves, 2 * (6 * rows * cols + 2 - 6 * rows - 6 * cols), "{rows}×{cols}");
        }
    }

    #[test]
    fn numbers_and_labels_go_back_and_forth() {
        let board = Board::from_squares(7, 66, |r, c| (r * 5 + c * 3) % 11 != 0).unwrap();
        for index in board.each_state() {
            let state = board.state(index);
            assert_eq!(board.index(state), Ok(index));
            assert_eq!(State::read(&board.label(index).to_string(), 7, 66), Ok(state));
        }
        assert_eq!(board.states_by_label().len() as u64, board.state_count());
    }

    #[test]
    fn a_block_over_a_hole_or_off_the_board_has_no_number() {
        let board = Board::from_squares(3, 3, |r, c| (r, c) != (1, 2)).unwrap();
        assert_eq!(
            board.index(State { pose: Pose::AlongRow, row: 1, col: 1 }),
            Err(PlaceError::Hole { row: 1, col: 2 })
        );
        assert_eq!(board.index(State { pose: Pose::DownColumn, row: 2, col: 0 }), Err(PlaceError::Off));
    }

    #[test]
    fn every_move_in_is_the_opposite_of_a_move_out() {
        let board = Board::from_squares(6, 9, |r, c| (r * 7 + c * 4) % 9 != 1).unwrap();
        for state in board.each_state() {
            board.predecessors(state, |step| {
                let direction = Move::from_number(step.label);
                assert_eq!(board.after(step.state, direction), Some(state));
                let mut kind = None;
                board.successors(step.state, |out| {
                    if out.state == state {
                        kind = Some(out.kind);
                    }
                });
                assert_eq!(kind, Some(step.kind));
            });
        }
    }
}
