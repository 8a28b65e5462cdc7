//! `braincube play`: a stage under the keyboard.

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

use super::stage_input::{StageArgs, letter, picture};
use crate::cli::Outcome;
use crate::cli::globals::Globals;
use crate::puzzles::braincube::stage::{EXCHANGE, Rules, Stage, State};
use crate::search::layers::packed::search;

/// Roll the block through a stage by the keyboard, with undo and hints
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube play --builtin 1")]
pub struct Play {
    #[command(flatten)]
    stage: StageArgs,
}

const KEYS: &str = "arrows: roll   space: exchange   u: undo   r: restart   h: hint   q: quit";

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Move(u8),
    Undo,
    Restart,
    Hint,
    Quit,
}

impl Key {
    fn of(event: &KeyEvent) -> Option<Self> {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        Some(match event.code {
            KeyCode::Char('c') if control => Self::Quit,
            KeyCode::Char('q') | KeyCode::Esc => Self::Quit,
            KeyCode::Left | KeyCode::Char('a') => Self::Move(0),
            KeyCode::Right | KeyCode::Char('d') => Self::Move(1),
            KeyCode::Up | KeyCode::Char('w') => Self::Move(2),
            KeyCode::Down | KeyCode::Char('s') => Self::Move(3),
            KeyCode::Char(' ' | 'x') => Self::Move(EXCHANGE),
            KeyCode::Char('u') | KeyCode::Backspace => Self::Undo,
            KeyCode::Char('r') => Self::Restart,
            KeyCode::Char('h') => Self::Hint,
            _ => return None,
        })
    }
}

/// A game, apart from any terminal.
struct Game {
    stage: Stage,
    rules: Rules,
    /// The least moves from the start.
    par: Option<usize>,
    here: State,
    before: Vec<State>,
    message: String,
}

impl Game {
    fn new(stage: Stage, rules: Rules) -> Self {
        let par = search(&rules, rules.start(), &AtomicBool::new(false)).way.map(|way| way.len());
        let here = rules.start();
        Self { stage, rules, par, here, before: Vec::new(), message: String::new() }
    }

    /// What a key does; false ends the game.
    fn press(&mut self, key: Key) -> bool {
        self.message.clear();
        match key {
            Key::Quit => return false,
            Key::Move(_) if self.rules.is_won(self.here) => "solved; r begins again".clone_into(&mut self.message),
            Key::Move(label) => match self.rules.after(self.here, label) {
                Some(next) => {
                    self.before.push(self.here);
                    self.here = next;
                    if self.rules.is_won(next) {
                        self.message = format!("solved in {} moves!", self.before.len());
                    }
                }
                None if label == EXCHANGE => "there is one block, nothing to exchange".clone_into(&mut self.message),
                None => "that way it would fall".clone_into(&mut self.message),
            },
            Key::Undo => match self.before.pop() {
                Some(before) => self.here = before,
                None => "nothing to undo".clone_into(&mut self.message),
            },
            Key::Restart => {
                self.here = self.rules.start();
                self.before.clear();
            }
            Key::Hint => {
                let way = search(&self.rules, self.here, &AtomicBool::new(false)).way;
                self.message = match way.as_deref() {
                    None => "from here there is no way: undo".to_owned(),
                    Some([]) => "it is solved".to_owned(),
                    Some([first, ..]) => {
                        let left = way.as_ref().map_or(0, Vec::len);
                        format!("{}: {left} to go at best", letter(*first))
                    }
                };
            }
        }
        true
    }

    fn screen(&self) -> String {
        let par = self.par.map_or_else(|| "none: it has no solution".to_owned(), |par| par.to_string());
        format!(
            "{}  moves {}, par {par}\n\n{}\n{}\n\n{KEYS}\n",
            self.stage.name,
            self.before.len(),
            picture(&self.stage, &self.rules, self.here),
            self.message
        )
    }
}

impl Play {
    /// Plays.
    ///
    /// # Errors
    /// Bad input, or no terminal.
    pub fn run(&self, _: &Globals) -> anyhow::Result<Outcome> {
        let (stage, rules) = self.stage.load()?;
        if !stdin().is_terminal() || !stdout().is_terminal() {
            bail!(
                "play needs a terminal for its keys and pictures; see braincube stage --steps for a solution without one"
            );
        }
        let mut game = Game::new(stage, rules);
        let mut out = anstream::stdout().lock();
        enable_raw_mode().context("taking the keyboard over")?;
        let played = execute!(out, EnterAlternateScreen, Hide)
            .map_err(anyhow::Error::from)
            .and_then(|()| play(&mut game, &mut out));
        // Whatever happened, the terminal is given back as it was.
        let restored = execute!(out, Show, LeaveAlternateScreen).and_then(|()| disable_raw_mode());
        played?;
        restored?;
        Ok(Outcome::Found)
    }
}

fn play(game: &mut Game, out: &mut impl Write) -> anyhow::Result<()> {
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
        if !game.press(key) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::braincube::stage::text;

    fn game(map: &str) -> Game {
        let stage = text::read(map, None, None).unwrap();
        let rules = Rules::new(&stage).unwrap();
        Game::new(stage, rules)
    }

    #[test]
    fn hints_lead_to_the_goal_at_par_and_undo_takes_them_back() {
        let mut game = game("S##T\n");
        assert_eq!(game.par, Some(2));
        for left in [2, 1] {
            game.press(Key::Hint);
            assert_eq!(game.message, format!("R: {left} to go at best"));
            game.press(Key::Move(1));
        }
        assert_eq!(game.message, "solved in 2 moves!");
        game.press(Key::Undo);
        game.press(Key::Undo);
        assert_eq!(game.here, game.rules.start());
        game.press(Key::Undo);
        assert_eq!(game.message, "nothing to undo");
    }

    #[test]
    fn a_fall_is_refused_and_a_dead_end_is_told() {
        let mut game = game("S##.\n...T\n");
        game.press(Key::Move(0));
        assert_eq!(game.message, "that way it would fall");
        game.press(Key::Move(EXCHANGE));
        assert!(game.message.contains("nothing to exchange"));
        game.press(Key::Hint);
        assert!(game.message.contains("no way"));
        assert!(game.screen().contains("no solution"));
        assert!(!game.press(Key::Quit));
    }
}
