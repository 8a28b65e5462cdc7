//! A scrambled ball, solved in the fewest turns from both ends. `cargo run --example brainball`

use std::sync::atomic::AtomicBool;

use gpu_solve::puzzles::brainball::packed::{FixedSpace, Packed};
use gpu_solve::puzzles::brainball::scramble::scramble;
use gpu_solve::puzzles::brainball::solution::Task;
use gpu_solve::puzzles::brainball::{Ball, Goal};
use gpu_solve::search::layers::ends::Ends;
use gpu_solve::search::layers::frontier;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stop = AtomicBool::new(false);
    // Five layers grown from the solved ball; the search from the other end meets the outermost.
    let space = FixedSpace::default();
    let layers = frontier::build(&space, 5, &stop, |_| {})?;
    let ends = Ends::new(&space, &layers);

    let (ball, made) = scramble(13, 7, 1);
    let task = Task::new(&ball, &Ball::solved(13), Goal::Fixed)?;
    let state = Packed::new(&task.relative).ok_or("out of reach of side turns")?;
    let way = ends.solve(&state, &stop)?;
    println!("{ball}: {} turns, {} positions looked at", way.turns.len(), way.nodes);
    // Replayed by the rules, with the half turns of the whole ball that come between.
    println!("{:?}", task.steps(&way.turns)?);
    assert!(way.turns.len() <= made.len());
    Ok(())
}
