//! The board as a picture of squares.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use crate::puzzles::braincube::{Board, State};

/// Boards with a longer side are not drawn.
pub const MAX_DRAWN: u32 = 200;

/// Draws a board: `□` a square, `·` a hole, `■` a square under the block.
pub fn picture(board: &Board, block: Option<State>) -> String {
    let covered: Vec<(u32, u32)> = block.into_iter().flat_map(State::squares).collect();
    let dark = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    let faint = Style::new().dimmed();
    let mut text = String::new();
    for row in 0..board.rows() {
        for col in 0..board.cols() {
            if col > 0 {
                text.push(' ');
            }
            // Writing to a string does not fail.
            let _ = if covered.contains(&(row, col)) {
                write!(text, "{dark}■{dark:#}")
            } else if board.has_square(row, col) {
                write!(text, "□")
            } else {
                write!(text, "{faint}·{faint:#}")
            };
        }
        text.push('\n');
    }
    text
}
