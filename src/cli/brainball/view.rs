//! The ball on a terminal: thirteen tiles in a circle, within 80 columns and 20 rows, readable without colour.

use std::f64::consts::TAU;
use std::fmt::Write;

use anstyle::{AnsiColor, Color, Style};

use crate::puzzles::brainball::Ball;
use crate::puzzles::brainball::solution::Step;

const ROWS: usize = 17;
const COLUMNS: usize = 62;

const WHITE: Style = on(AnsiColor::BrightWhite);
const YELLOW: Style = on(AnsiColor::Yellow);
const FAINT: Style = Style::new().dimmed();

const fn on(background: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(AnsiColor::Black))).bg_color(Some(Color::Ansi(background)))
}

/// Text at a place of the picture.
struct Label {
    row: usize,
    column: usize,
    width: usize,
    text: String,
}

/// The tiles in a circle, index 0 at the top and on clockwise: number and colour (w, y) on a background of that colour,
/// bold and starred where `moved` says so; inside, the ring indices, `axis` in brackets.
pub fn circle(ball: &Ball, moved: &[usize], axis: Option<usize>) -> String {
    let mut labels = Vec::new();
    for (index, tile) in ball.tiles().iter().enumerate() {
        let (letter, style) = if *tile < 0 { ('y', YELLOW) } else { ('w', WHITE) };
        let (star, style) = if moved.contains(&index) { ("*", style.bold()) } else { ("", style) };
        let name = format!("{star}{}{letter}", tile.unsigned_abs());
        let text = format!("{style}{name:>4} {style:#}");
        labels.push(place(ball.size(), index, 1.0, 5, text));
        let name = if axis == Some(index) { format!("[{index:>2}]") } else { format!(" {index:>2} ") };
        labels.push(place(ball.size(), index, 0.68, 4, format!("{FAINT}{name}{FAINT:#}")));
    }
    labels.sort_by_key(|label| (label.row, label.column));
    let mut text = String::new();
    let mut at = (0, 0);
    for label in labels {
        while at.0 < label.row {
            text.push('\n');
            at = (at.0 + 1, 0);
        }
        text.push_str(&" ".repeat(label.column.saturating_sub(at.1)));
        text.push_str(&label.text);
        at.1 = label.column.max(at.1) + label.width;
    }
    text.push('\n');
    text
}

/// Where the label of an index goes, on a circle of this share of the picture.
fn place(size: usize, index: usize, share: f64, width: usize, text: String) -> Label {
    let angle = TAU * index as f64 / size as f64;
    let (middle_row, middle_column) = ((ROWS - 1) as f64 / 2.0, (COLUMNS - 5) as f64 / 2.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the picture")]
    let at = |value: f64| value.round().max(0.0) as usize;
    let row = at(middle_row - middle_row * share * angle.cos());
    Label { row, column: at(middle_column + middle_column * share * angle.sin()), width, text }
}

/// A step in words.
pub fn words(step: Step, size: usize) -> String {
    match step {
        Step::Turn(axis) => {
            let places: Vec<_> = Ball::arcs(size, axis).map(|place| place.to_string()).collect();
            format!(
                "turn {axis}: tiles at {} and {} are mirrored about index {axis} and flip",
                places[..3].join(" "),
                places[3..].join(" ")
            )
        }
        Step::Turn180 => "turn180: the ball is turned over, all tiles flip; not counted".to_owned(),
    }
}

/// The indices that a step moves.
pub fn moved(step: Step, size: usize) -> Vec<usize> {
    match step {
        Step::Turn(axis) => Ball::arcs(size, axis).collect(),
        Step::Turn180 => (0..size).collect(),
    }
}

/// Does a step.
pub fn apply(ball: &mut Ball, step: Step) {
    match step {
        Step::Turn(axis) => ball.turn_sides(axis),
        Step::Turn180 => ball.turn180(),
    }
}

/// A position and each step after it, in words and as pictures.
pub fn steps(start: &Ball, steps: &[Step]) -> String {
    let mut ball = start.clone();
    let mut text = format!("start: {ball}\n{}", circle(&ball, &[], None));
    for (number, step) in (1..).zip(steps) {
        apply(&mut ball, *step);
        let axis = if let Step::Turn(axis) = step { Some(*axis) } else { None };
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\nstep {number} of {}: {}\n{}",
            steps.len(),
            words(*step, ball.size()),
            circle(&ball, &moved(*step, ball.size()), axis)
        );
    }
    text
}

/// Steps on one line: `3, turn180, 3, turn180`.
pub fn line(steps: &[Step]) -> String {
    let name = |step: &Step| match step {
        Step::Turn(axis) => axis.to_string(),
        Step::Turn180 => "turn180".to_owned(),
    };
    steps.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_fits_a_terminal_and_tells_every_tile_without_colour() {
        let mut ball = Ball::solved(13);
        ball.turn_sides(3);
        let text = anstream::adapter::strip_str(&circle(&ball, &moved(Step::Turn(3), 13), Some(3))).to_string();
        assert!(text.lines().count() <= 20, "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        for (index, tile) in ball.tiles().iter().enumerate() {
            let tile = format!("{}{}", tile.abs(), if *tile < 0 { "y" } else { "w" });
            assert!(text.split([' ', '*', '\n']).any(|word| word == tile), "tile {tile} at {index}:\n{text}");
        }
        assert_eq!(text.matches('*').count(), 7, "{text}");
        assert!(text.contains("[ 3]"), "{text}");
    }
}
