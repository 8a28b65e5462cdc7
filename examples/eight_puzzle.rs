//! The 8-puzzle, added to the engine from outside it: every state by its distance from the solved one, on the CPU and,
//! compared with it layer by layer, on every adapter present. `cargo run --example eight_puzzle`

use std::sync::atomic::AtomicBool;

use gpu_solve::gpu::{Gpu, adapters::list};
use gpu_solve::kernel::Kernel;
use gpu_solve::puzzles::expansion::{self, Expanding};
use gpu_solve::puzzles::layered::{Layered, Successor};
use gpu_solve::search::layers::closed::Layer;
use gpu_solve::search::layers::{frontier, frontier_gpu};
use gpu_solve::search::trials::compare;

/// Nine places in three rows. A key has the tile at place `p` in nibble `p`, and 0 for the gap: 36 bits.
struct EightPuzzle;

/// 1 to 8 in order, the gap in the last corner.
const SOLVED: u64 = 0x0_8765_4321;

fn tile(key: u64, place: u32) -> u64 {
    key >> (4 * place) & 15
}

/// The states that one slide leads to.
fn slides(key: u64) -> impl Iterator<Item = u64> {
    let gap = (0..8).find(|&place| tile(key, place) == 0).unwrap_or(8);
    let (row, col) = (gap / 3, gap % 3);
    let places =
        [(row > 0, gap.wrapping_sub(3)), (row < 2, gap + 3), (col > 0, gap.wrapping_sub(1)), (col < 2, gap + 1)];
    places.into_iter().filter(|(there, _)| *there).map(move |(_, place)| {
        let what = tile(key, place);
        key ^ what << (4 * place) ^ what << (4 * gap)
    })
}

// A slide moves the gap to a square of the other colour, so the space is bipartite, as `Layered` asks.
impl Layered for EightPuzzle {
    fn name(&self) -> String {
        "8-puzzle".to_owned()
    }
    fn key_bits(&self) -> u32 {
        36
    }
    fn start(&self) -> Successor {
        Successor { key: SOLVED, orbit: 1 }
    }
    fn branching(&self) -> usize {
        4
    }
    fn expand(&self, key: u64, out: &mut Vec<Successor>) {
        out.extend(slides(key).map(|key| Successor { key, orbit: 1 }));
    }
}

static KERNEL: Kernel = Kernel {
    name: "examples/eight_puzzle",
    wgsl: &[expansion::WGSL, include_str!("eight_puzzle.wgsl")],
    bindings: expansion::BINDINGS,
    constants: &[],
    twin: |launch| expansion::twin(&EightPuzzle, launch),
    trials: || expansion::trials(&EightPuzzle),
};

impl Expanding for EightPuzzle {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }
    fn constants(&self) -> Vec<u32> {
        Vec::new()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stop = AtomicBool::new(false);
    let layers = frontier::build(&EightPuzzle, 100, &stop, |layer| println!("{:>3} {:>6}", layer.depth, layer.states))?;
    let states: Vec<u64> = layers.layers.iter().map(Layer::states).collect();
    println!("{} states, the farthest {} slides from solved:", states.iter().sum::<u64>(), layers.depth());
    let farthest = &layers.layers[layers.layers.len() - 1];
    for key in farthest.keys(0..farthest.table().len()) {
        let row = |row: u32| (0..3).map(|col| tile(key, 3 * row + col).to_string()).collect::<String>();
        println!("{}", [row(0), row(1), row(2)].join("/"));
    }
    // A089473 of the OEIS.
    let known = [
        1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993, 17110,
        23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
    ];
    assert_eq!(states, known);

    for adapter in list(None) {
        let gpu = Gpu::open(&adapter)?;
        let trials = compare(&KERNEL, &(KERNEL.trials)(), &|kernel, launch| gpu.launch(kernel, launch))?;
        let open = || Ok(gpu.clone());
        let plan =
            frontier_gpu::Plan { space: &EightPuzzle, depth: 100, device: Some(&open), lockstep: true, stop: &stop };
        let outcome = frontier_gpu::build(&plan, &mut |_| {})?;
        assert!(outcome.complete && outcome.reports.iter().map(|layer| layer.states).eq(known));
        let line = adapter.description.line();
        println!("{line}: {} trials and {} layers equal to the CPU's", trials.launches, outcome.compared);
    }
    Ok(())
}
