//! `--progress json`: what a program that watches a run reads on stderr, one JSON object a line. Every line has every
//! field, null where it has nothing to say; `docs/json.md` lists them.

use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::output::json_number;

/// The value of `"format"` in every line.
pub const FORMAT: &str = "gpu-solve-progress/1";
/// The least time between two lines of progress.
const BETWEEN: Duration = Duration::from_millis(500);
/// After so long in silence the last progress is said again: the run is alive.
const SILENCE: Duration = Duration::from_secs(10);

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The run begins.
    Begin,
    /// How far it has come.
    Progress,
    /// A layer is whole.
    Layer,
    /// A fault that the run survives.
    Fault,
    /// What would be a line of text.
    Say,
    /// The run has ended.
    End,
}

/// What a line says, but for the fields that all have.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Told {
    /// What `done` and `total` count.
    pub unit: Option<&'static str>,
    /// The distance that a search by layers is at.
    pub depth: Option<u32>,
    /// How many are done.
    pub done: Option<Value>,
    /// Of how many.
    pub total: Option<Value>,
    /// Solutions so far.
    pub found: Option<Value>,
    /// Words.
    pub text: Option<String>,
    /// The exit code.
    pub exit: Option<u8>,
}

#[derive(Serialize)]
struct Line<'a> {
    format: &'static str,
    command: &'a str,
    event: Kind,
    seconds: f64,
    #[serde(flatten)]
    told: &'a Told,
}

/// What a line of progress says, on its way or held back.
struct State {
    last: Told,
    held_back: bool,
    said: Option<Instant>,
    ended: bool,
}

struct Watch {
    command: String,
    begun: Instant,
    state: Mutex<State>,
}

static WATCH: OnceLock<Watch> = OnceLock::new();

impl Told {
    /// Progress, by counts.
    #[must_use]
    pub fn counts(unit: &'static str, done: u128, total: u128) -> Self {
        Self { unit: Some(unit), done: Some(json_number(done)), total: Some(json_number(total)), ..Self::default() }
    }

    /// Words.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }
}

impl Watch {
    fn write(&self, event: Kind, told: &Told) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let line = Line { format: FORMAT, command: &self.command, event, seconds, told };
        let Ok(mut text) = serde_json::to_string(&line) else { return };
        text.push('\n');
        // A reader that has gone away is no reason to end a search.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn progress(&self, told: Told) {
        self.with_state(|state| {
            state.last = told;
            state.held_back = state.said.is_some_and(|said| said.elapsed() < BETWEEN);
            if !state.held_back && !state.ended {
                state.said = Some(Instant::now());
                self.write(Kind::Progress, &state.last);
            }
        });
    }

    /// Writes progress that was held back.
    fn release(&self) {
        self.with_state(|state| {
            if std::mem::take(&mut state.held_back) && !state.ended {
                self.write(Kind::Progress, &state.last);
            }
        });
    }

    /// Says that the run is alive when nothing else does.
    fn pulse(&self) {
        loop {
            thread::sleep(SILENCE / 10);
            self.with_state(|state| {
                if !state.ended && state.said.is_none_or(|said| said.elapsed() >= SILENCE) {
                    state.said = Some(Instant::now());
                    state.held_back = false;
                    self.write(Kind::Progress, &state.last);
                }
            });
        }
    }
}

/// Begins to tell of a run of this command.
pub fn begin(command: String) {
    let begun = Instant::now();
    let state = State { last: Told::default(), held_back: false, said: Some(begun), ended: false };
    let watch = WATCH.get_or_init(|| Watch { command, begun, state: Mutex::new(state) });
    watch.write(Kind::Begin, &Told::default());
    // Without the thread a long silence is possible, and nothing else is lost.
    let _ = thread::Builder::new().name("progress".to_owned()).spawn(|| watch.pulse());
}

/// Whether lines are JSON.
#[must_use]
pub fn is_on() -> bool {
    WATCH.get().is_some()
}

/// Tells of progress, not more than twice a second: what is held back is told with the next event.
pub fn progress(told: Told) {
    if let Some(watch) = WATCH.get() {
        watch.progress(told);
    }
}

/// Tells something else.
pub fn tell(event: Kind, told: &Told) {
    if let Some(watch) = WATCH.get() {
        watch.release();
        watch.write(event, told);
    }
}

/// Tells of the end, once: the exit code, and why there is no answer.
pub fn end(exit: u8, why: Option<&str>) {
    let Some(watch) = WATCH.get() else { return };
    watch.release();
    let before = watch.with_state(|state| std::mem::replace(&mut state.ended, true));
    if !before {
        watch.write(Kind::End, &Told { exit: Some(exit), text: why.map(str::to_owned), ..Told::default() });
    }
}
