//! `braincube components`: the connected components.

use std::fmt::Write;

use clap::Args;
use serde_json::json;

use super::input::BoardArgs;
use crate::cli::Outcome;
use crate::cli::globals::{Format, FormatChoice, Globals};
use crate::cli::output::{JSON_FORMAT, grouped, print, print_json};
use crate::puzzles::braincube::Board;
use crate::search::graph::components::Components;

/// The connected components of the graph, largest first, with their members
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube components --rows 3 --cols 3")]
pub struct ComponentsCommand {
    #[command(flatten)]
    board: BoardArgs,
    /// List at most K components, and at most K members of each (sizes stay exact)
    #[arg(long, value_name = "K", default_value_t = 1000)]
    list: usize,
}

/// The first members of the first components, in the order of their labels.
fn members(board: &Board, components: &Components, list: usize) -> Vec<Vec<String>> {
    let shown = list.min(components.sizes().len());
    let mut members = vec![Vec::new(); shown];
    if list > 0 {
        for state in board.states_by_label() {
            match components.of_state(state).and_then(|k| members.get_mut(k)) {
                Some(known) if known.len() < list => known.push(board.label(state).to_string()),
                _ => {}
            }
        }
    }
    members
}

impl ComponentsCommand {
    /// Prints the components.
    ///
    /// # Errors
    /// Bad input, or a failure of stdout.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        globals.cpu_only("braincube components")?;
        let board = self.board.load()?.board;
        let components = Components::of(&board);
        let (sizes, members) = (components.sizes(), members(&board, &components, self.list));
        let states: u64 = sizes.iter().sum();
        if globals.format == Format::Json {
            print_json(&json!({
                "format": JSON_FORMAT, "command": "braincube components",
                "rows": board.rows(), "cols": board.cols(), "states": states,
                "components": sizes.len(), "sizes": sizes, "members": members,
            }))?;
        } else {
            let mut text =
                format!("{} of {} states\n", plural(sizes.len() as u64, "component"), grouped(states.into()));
            for (place, (names, size)) in members.iter().zip(sizes).enumerate() {
                let rest = size - names.len() as u64;
                let more = if rest > 0 { format!(" … and {} more", grouped(rest.into())) } else { String::new() };
                // Writing to a string does not fail.
                let _ = writeln!(text, "{}: {}: {}{more}", place + 1, plural(*size, "state"), names.join(" "));
            }
            let rest = sizes.len() - members.len();
            if rest > 0 {
                let _ = writeln!(text, "… and {} more components", grouped(rest as u128));
            }
            print(&text)?;
        }
        Ok(Outcome::Found)
    }
}

/// A number with its noun.
pub fn plural(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number.into()), if number == 1 { "" } else { "s" })
}
