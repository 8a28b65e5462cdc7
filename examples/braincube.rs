//! A block on a board of 4 by 7: a shortest way, how many there are, and how long a random walk takes.
//! `cargo run --example braincube`

use gpu_solve::puzzles::braincube::{Board, State};
use gpu_solve::search::graph::costs::Costs;
use gpu_solve::search::graph::counting::count_paths;
use gpu_solve::search::graph::shortest::{CpuExpander, Paths, field_to};
use gpu_solve::search::graph::walk::{DEFAULT_TOLERANCE, Region, free};
use gpu_solve::search::linear::SolverChoice;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let board = Board::full(4, 7)?;
    let (start, goal) = (board.index(State::upright(0, 0))?, board.index(State::upright(3, 6))?);
    // Every kind of move costs 1.
    let costs = Costs::unit(3);
    let (field, _) = field_to(&board, goal, Some(start), &costs, &mut CpuExpander::new(&board))?;
    let ways = count_paths(&board, &field, &costs, start);
    let way = Paths::new(&board, &field, &costs, start).next().ok_or("there is no way")?;
    let labels: Vec<_> = way.iter().map(|step| board.label(step.state).to_string()).collect();
    println!("{ways} shortest ways of {} moves, the first through {}", way.len(), labels.join(" "));
    assert_eq!(field.get(start), Some(way.len() as u64));

    let walk = free(&Region::of(&board, start, goal), &SolverChoice::Direct, DEFAULT_TOLERANCE)?;
    let moves = walk.expected_moves.ok_or("the goal is out of reach")?;
    println!("a random walk takes {:.6} moves on average, within 1 in {:.0e}", moves.value, 1.0 / moves.relative_error);
    Ok(())
}
