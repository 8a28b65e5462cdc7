//! `gpu-solve braincube`: the block that rolls on a board. A file a subcommand.

mod boards;
mod components;
mod convert;
mod formula;
mod generate;
mod graph;
mod input;
mod matrix;
mod path;
mod picture;
mod play;
mod show;
mod stage;
mod stage_input;
mod walk;

use clap::{Args, Subcommand};

use super::Outcome;
use super::globals::Globals;

/// Roll a 1×1×2 block over its edges on a board with holes: the graph of its states,
/// shortest ways and their number, random walks
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "States: u1, h4, v2 (the poster's labels: u standing, h lying along a row, v down a column; u and v are \
    counted row by row, h column by column), or u:ROW,COL from 0. Moves: L R U D.\n\n\
    Board files: lines of # (square) and . (hole), or the EPFL terrain's o and -; S and T mark start and goal; \
    lines beginning with ; or // or \"# \" are comments.\n\n\
    Examples:\n  gpu-solve braincube path --rows 3 --cols 3\n  gpu-solve braincube walk --rows 4 --cols 4 --fall --exact\n  \
    gpu-solve braincube graph --rows 3 --cols 3 --format dot\n\nExit codes: 0 answered and found, 1 answered: none exists, 2 not answered, 130 interrupted."
)]
pub struct Braincube {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Clone, Debug)]
enum Command {
    Boards(boards::BoardsCommand),
    Merge(boards::Merge),
    Keyspace(boards::Keyspace),
    Graph(graph::Graph),
    Components(components::ComponentsCommand),
    Show(show::Show),
    Path(path::PathCommand),
    Formula(formula::Formula),
    Walk(walk::Walk),
    Adjacency(matrix::Adjacency),
    Transition(matrix::Transition),
    Stage(stage::StageCommand),
    Convert(convert::Convert),
    Play(play::Play),
    Generate(generate::Generate),
}

impl Braincube {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Bad input, and faults that keep it from an answer.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        match &self.command {
            Command::Boards(command) => command.run(globals),
            Command::Merge(command) => command.run(globals),
            Command::Keyspace(command) => command.run(globals),
            Command::Graph(command) => command.run(globals),
            Command::Components(command) => command.run(globals),
            Command::Show(command) => command.run(globals),
            Command::Path(command) => command.run(globals),
            Command::Formula(command) => command.run(globals),
            Command::Walk(command) => command.run(globals),
            Command::Adjacency(command) => command.run(globals),
            Command::Transition(command) => command.run(globals),
            Command::Stage(command) => command.run(globals),
            Command::Convert(command) => command.run(globals),
            Command::Play(command) => command.run(globals),
            Command::Generate(command) => command.run(globals),
        }
    }
}
