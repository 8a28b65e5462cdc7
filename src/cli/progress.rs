//! Progress on stderr: a bar with rate and time to go on a terminal, JSON for programs, or the original program's dots.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::globals::{Globals, ProgressChoice};
use super::output::{duration, grouped, json_number, rate};
use super::watch::{self, Kind, Told};
use crate::search::index::range::Progress;

/// Indices a dot stands for, and dots a line.
const PER_DOT: u128 = 200_000;
const DOTS_A_LINE: u128 = 50;
/// Steps of the bar: index spaces pass 64 bits.
const BAR_STEPS: u64 = 10_000;

/// Shows how far a search has come.
pub enum Meter {
    /// Nothing is shown.
    Silent,
    /// A bar, with the unit's name.
    Bar(ProgressBar, &'static str),
    /// Dots; how many were printed.
    Dots(u128),
    /// JSON, with the unit's name.
    Json(&'static str),
}

impl Meter {
    /// The meter for a command: dots where asked for, else a bar on a terminal. `unit`: what an index is, in the plural.
    #[must_use]
    pub fn new(globals: &Globals, dots: bool, unit: &'static str) -> Self {
        if watch::is_on() {
            return Self::Json(unit);
        }
        if dots {
            return Self::Dots(0);
        }
        if globals.quiet || globals.progress == ProgressChoice::None || !io::stderr().is_terminal() {
            return Self::Silent;
        }
        let bar = ProgressBar::with_draw_target(Some(BAR_STEPS), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3}% {msg}") {
            bar.set_style(style);
        }
        Self::Bar(bar, unit)
    }

    /// Shows a step.
    pub fn show(&mut self, progress: &Progress) {
        match self {
            Self::Silent => {}
            Self::Bar(bar, unit) => {
                let share = fraction(progress);
                let seconds = progress.elapsed.as_secs_f64();
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the bar")]
                bar.set_position((share * BAR_STEPS as f64) as u64);
                bar.set_message(format!(
                    "{} {unit}, {}, {} to go",
                    grouped(progress.done),
                    rate(progress.done as f64 / seconds.max(1e-9)),
                    if share > 0.0 { duration(seconds * (1.0 - share) / share) } else { "?".to_owned() },
                ));
            }
            Self::Json(unit) => watch::progress(Told {
                found: Some(json_number(progress.found.into())),
                ..Told::counts(unit, progress.done, progress.total)
            }),
            Self::Dots(printed) => {
                let due = progress.done / PER_DOT;
                let mut text = String::new();
                while *printed < due {
                    text.push('.');
                    *printed += 1;
                    if printed.is_multiple_of(DOTS_A_LINE) {
                        text.push('\n');
                    }
                }
                // Progress that cannot be shown is no reason to stop a search.
                let _ = io::stderr().write_all(text.as_bytes());
            }
        }
    }

    /// A line among the progress.
    pub fn note(&self, globals: &Globals, line: &str) {
        match self {
            Self::Bar(bar, _) => bar.suspend(|| globals.say(line)),
            Self::Silent | Self::Dots(_) | Self::Json(_) => globals.say(line),
        }
    }

    /// A fault among the progress, and how the search goes on.
    pub fn fault(&self, globals: &Globals, line: &str) {
        match self {
            Self::Json(_) => watch::tell(Kind::Fault, &Told::text(line)),
            _ => self.note(globals, line),
        }
    }

    /// Ends the progress.
    pub fn finish(self) {
        match self {
            Self::Silent | Self::Json(_) => {}
            Self::Bar(bar, _) => bar.finish_and_clear(),
            Self::Dots(printed) if printed.is_multiple_of(DOTS_A_LINE) => {}
            Self::Dots(_) => {
                let _ = io::stderr().write_all(b"\n");
            }
        }
    }
}

fn fraction(progress: &Progress) -> f64 {
    if progress.total == 0 { 1.0 } else { progress.done as f64 / progress.total as f64 }
}
