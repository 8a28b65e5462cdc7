//! `gpu-solve brainball play`: the ball under the keyboard.

use std::io::{IsTerminal, Write, stdin, stdout};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use clap::Args;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};

use super::input::Words;
use super::scramble::ScrambleArgs;
use super::solver::{SearchArgs, Solver, TableArgs};
use super::{Goal, view};
use crate::cli::Outcome;
use crate::cli::globals::{Globals, Place};
use crate::puzzles::brainball::ball::TILES;
use crate::puzzles::brainball::solution::{Step, Task, turns};
use crate::puzzles::brainball::{self, Ball};

/// Turn the ball by the keyboard, with undo and hints: a position, or a scramble
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve brainball play --turns 5 --goal ring")]
pub struct Play {
    #[command(flatten)]
    start: Words,
    #[command(flatten)]
    how: ScrambleArgs,
    /// When the ball counts as solved
    #[arg(long, value_enum, default_value_t, value_name = "GOAL")]
    goal: Goal,
    #[command(flatten)]
    table: TableArgs,
}

const KEYS: &str = "0-9 a b c: turn   left, right, space: choose, turn   u: undo   h: hint   q: quit";

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Turn(usize),
    Left,
    Right,
    TurnHere,
    Undo,
    Hint,
    Quit,
}

impl Key {
    fn of(event: &KeyEvent) -> Option<Self> {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        Some(match event.code {
            KeyCode::Char('c') if control => Self::Quit,
            KeyCode::Char('q') | KeyCode::Esc => Self::Quit,
            KeyCode::Char('u') | KeyCode::Backspace => Self::Undo,
            KeyCode::Char('h') => Self::Hint,
            KeyCode::Char(' ') | KeyCode::Enter => Self::TurnHere,
            KeyCode::Left => Self::Left,
            KeyCode::Right => Self::Right,
            KeyCode::Char(digit) => {
                Self::Turn(digit.to_digit(16).map(|digit| digit as usize).filter(|axis| *axis < TILES)?)
            }
            _ => return None,
        })
    }
}

/// A game, apart from any terminal.
struct Game {
    goal: Goal,
    ball: Ball,
    /// Positions before each turn.
    before: Vec<Ball>,
    axis: usize,
    moved: Vec<usize>,
    message: String,
}

impl Game {
    fn new(mut ball: Ball, goal: Goal) -> Self {
        let message = if ball.normalise() { view::words(Step::Turn180, TILES) } else { String::new() };
        Self { goal, ball, before: Vec::new(), axis: 0, moved: Vec::new(), message }
    }

    fn solved(&self) -> bool {
        self.ball.is_solved(self.goal.into())
    }

    fn turn(&mut self, axis: usize) {
        self.before.push(self.ball.clone());
        self.axis = axis;
        self.ball.turn_sides(axis);
        self.moved = view::moved(Step::Turn(axis), TILES);
        self.message = view::words(Step::Turn(axis), TILES);
        if self.ball.normalise() {
            let last = TILES - 1;
            self.moved = self.moved.iter().map(|place| last - place).collect();
            self.message = format!("turn {axis}, then {}", view::words(Step::Turn180, TILES));
        }
        if self.solved() {
            self.message = {
                let made = self.before.len();
                format!("solved in {made} {}!", if made == 1 { "turn" } else { "turns" })
            };
        }
    }

    /// What a key does; false ends the game.
    fn press(&mut self, key: Key, hint: impl FnOnce(&Ball) -> anyhow::Result<Vec<Step>>) -> anyhow::Result<bool> {
        match key {
            Key::Quit => return Ok(false),
            Key::Turn(axis) => self.turn(axis),
            Key::TurnHere => self.turn(self.axis),
            Key::Left => self.axis = (self.axis + TILES - 1) % TILES,
            Key::Right => self.axis = (self.axis + 1) % TILES,
            Key::Undo => match self.before.pop() {
                Some(ball) => {
                    (self.ball, self.moved) = (ball, Vec::new());
                    "the last turn is undone".clone_into(&mut self.message);
                }
                None => "nothing to undo".clone_into(&mut self.message),
            },
            Key::Hint => {
                let turns = turns(&hint(&self.ball)?);
                self.message = match turns.first() {
                    None => "it is solved".to_owned(),
                    Some(axis) => {
                        self.axis = *axis;
                        format!("turn {axis}: {} to go at best", turns.len())
                    }
                };
            }
        }
        Ok(true)
    }

    fn screen(&self) -> String {
        let goal = brainball::Goal::from(self.goal);
        let made = self.before.len();
        format!(
            "BrainBall, goal {goal}, turns made: {made}\n\n{}\n{}\n\n{KEYS}\n",
            view::circle(&self.ball, &self.moved, Some(self.axis)),
            self.message
        )
    }
}

impl Play {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        if !stdin().is_terminal() || !stdout().is_terminal() {
            bail!("play needs a terminal for its keys and pictures; see brainball apply for moves without one");
        }
        let ball = match self.start.position()? {
            None => self.how.make(self.how.seed()).0,
            Some(ball) => ball,
        };
        let mut game = Game::new(ball, self.goal);
        let mut out = anstream::stdout().lock();
        enable_raw_mode().context("taking the keyboard over")?;
        let played = execute!(out, EnterAlternateScreen, Hide)
            .map_err(anyhow::Error::from)
            .and_then(|()| self.play(globals, &mut game, &mut out));
        // Whatever happened, the terminal is given back as it was.
        let restored = execute!(out, Show, LeaveAlternateScreen).and_then(|()| disable_raw_mode());
        played?;
        restored?;
        Ok(Outcome::Found)
    }

    fn play(&self, globals: &Globals, game: &mut Game, out: &mut impl Write) -> anyhow::Result<()> {
        // What is said on stderr would run across the picture.
        let quiet = Globals { quiet: true, verbose: false, ..globals.clone() };
        let stop = AtomicBool::new(false);
        let mut solver: Option<Solver> = None;
        loop {
            queue!(out, MoveTo(0, 0), Clear(ClearType::All))?;
            write!(out, "{}", game.screen().replace('\n', "\r\n"))?;
            out.flush()?;
            let key = loop {
                if let Event::Key(event) = read()?
                    && event.kind != KeyEventKind::Release
                    && let Some(key) = Key::of(&event)
                {
                    break key;
                }
            };
            let goal = self.goal;
            let on = game.press(key, |ball| {
                let place = Place::Cpu("a hint is found at once".to_owned());
                let solver = match &mut solver {
                    Some(solver) => solver,
                    none => none.insert(self.table.solver(&quiet, goal, SearchArgs::default(), place, &stop)?),
                };
                let task = Task::new(ball, &Ball::solved(TILES), goal.into())?;
                Ok(task.steps(&solver.find(&task, &stop)?.way.turns)?)
            })?;
            if !on {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it stands for a hint that may fail")]
    fn none(_: &Ball) -> anyhow::Result<Vec<Step>> {
        Ok(Vec::new())
    }

    #[test]
    fn turns_undo_and_quit() {
        let mut game = Game::new(Ball::solved(TILES), Goal::Fixed);
        assert!(game.press(Key::Turn(3), none).unwrap());
        assert!(!game.solved());
        assert_eq!(game.before.len(), 1);
        assert!(game.press(Key::Undo, none).unwrap());
        assert_eq!(game.ball, Ball::solved(TILES));
        game.press(Key::Undo, none).unwrap();
        assert_eq!(game.message, "nothing to undo");
        assert!(!game.press(Key::Quit, none).unwrap());
    }

    #[test]
    fn a_hint_chooses_the_axis_and_the_turn_solves() {
        let start = brainball::parse::position("10,11,12,13,-9,-8,-7,4,5,6,-3,-2,-1").unwrap();
        let mut game = Game::new(start, Goal::Fixed);
        game.press(Key::Hint, |_| Ok(vec![Step::Turn(8), Step::Turn180])).unwrap();
        assert_eq!(game.message, "turn 8: 1 to go at best");
        game.press(Key::TurnHere, none).unwrap();
        assert!(game.solved());
        assert_eq!(game.message, "solved in 1 turn!");
    }

    #[test]
    fn the_screen_fits_80_by_24() {
        let mut game = Game::new(Ball::solved(TILES), Goal::Ring);
        for axis in 0..TILES {
            game.turn(axis);
            let text = anstream::adapter::strip_str(&game.screen()).to_string();
            assert!(text.lines().count() <= 24, "{}", text.lines().count());
            let widest = text.lines().map(str::len).max();
            assert!(widest <= Some(80), "{widest:?}: {text}");
        }
    }

    #[test]
    fn keys() {
        let key = |code| Key::of(&KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(key(KeyCode::Char('c')), Some(Key::Turn(12)));
        assert_eq!(key(KeyCode::Char('0')), Some(Key::Turn(0)));
        assert_eq!(key(KeyCode::Char('d')), None);
        assert_eq!(Key::of(&KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Key::Quit));
    }
}
