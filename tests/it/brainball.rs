//! BrainBall: rules, layers and solvers against published and independently computed values.
//!
//! `tests/data/brainball/cases.json` holds positions with optimal lengths under both goals, found by an independent
//! program; the layer counts were found by two.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use gpu_solve::gpu::{Fault, Gpu};
use gpu_solve::puzzles::brainball::ball::TILES;
use gpu_solve::puzzles::brainball::packed::{FixedSpace, Packed, RingSpace, Space};
use gpu_solve::puzzles::brainball::solution::{Step, Task, turns};
use gpu_solve::puzzles::brainball::{Ball, Goal, scramble};
use gpu_solve::puzzles::expansion::Expanding;
use gpu_solve::puzzles::layered::Estimated;
use gpu_solve::search::layers::ends::Ends;
use gpu_solve::search::layers::frontier::{Layers, build};
use gpu_solve::search::layers::frontier_gpu;
use gpu_solve::search::layers::ida::{Ida, Unseen};
use rayon::prelude::*;
use serde::Deserialize;

static GO_ON: AtomicBool = AtomicBool::new(false);

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: u32,
    state: Vec<i8>,
    fixed: Expected,
    ring: Expected,
}

#[derive(Deserialize)]
struct Expected {
    optimal: usize,
    solution: Vec<usize>,
    turn180_after: Vec<u8>,
}

fn cases() -> Vec<Case> {
    let cases: Cases = serde_json::from_str(include_str!("../data/brainball/cases.json")).unwrap();
    assert_eq!(cases.cases.len(), 22);
    cases.cases
}

fn fixed() -> &'static Layers {
    static LAYERS: OnceLock<Layers> = OnceLock::new();
    LAYERS.get_or_init(|| build(&FixedSpace::default(), 8, &GO_ON, |_| {}).unwrap())
}

fn ring() -> &'static Layers {
    static LAYERS: OnceLock<Layers> = OnceLock::new();
    LAYERS.get_or_init(|| build(&RingSpace::default(), 8, &GO_ON, |_| {}).unwrap())
}

/// The length of a way that the solver finds, replayed by the rules.
fn solve(ball: &Ball, goal: Goal, (fixed, ring): (&Layers, &Layers)) -> usize {
    let task = Task::new(ball, &Ball::solved(TILES), goal).unwrap();
    let state = Packed::new(&task.relative).unwrap();
    let way = match goal {
        Goal::Fixed => Ends::new(&FixedSpace::default(), fixed).solve(&state, &GO_ON),
        Goal::Ring => Ends::new(&RingSpace::default(), ring).solve(&state, &GO_ON),
    };
    let steps = task.steps(&way.unwrap().turns).unwrap();
    replay(ball, &steps, goal)
}

/// Plays steps by the rules, with every turn180 where they say; gives the number of turns.
fn replay(start: &Ball, steps: &[Step], goal: Goal) -> usize {
    let mut ball = start.clone();
    for step in steps {
        match step {
            Step::Turn(axis) => {
                assert!(ball.yellow() <= 6, "a turn on {ball} before its white majority is up");
                ball.turn_sides(*axis);
            }
            Step::Turn180 => {
                assert!(ball.yellow() > 6, "a needless turn180 on {ball}");
                ball.turn180();
            }
        }
    }
    assert!(ball.is_solved(goal), "{start} became {ball}");
    turns(steps).len()
}

#[test]
fn the_cases_solutions_lead_to_solved_by_these_rules() {
    for case in cases() {
        for (goal, expected) in [(Goal::Fixed, &case.fixed), (Goal::Ring, &case.ring)] {
            let mut ball = Ball::from_tiles(&case.state).unwrap();
            ball.normalise();
            assert_eq!(expected.solution.len(), expected.optimal);
            for (axis, over) in expected.solution.iter().zip(&expected.turn180_after) {
                ball.turn_sides(*axis);
                assert_eq!(ball.normalise(), *over == 1, "case {}", case.id);
            }
            assert!(ball.is_solved(goal), "case {} ends as {ball}", case.id);
        }
    }
}

#[test]
fn every_case_is_solved_in_its_optimal_length() {
    for case in cases() {
        let ball = Ball::from_tiles(&case.state).unwrap();
        let tables = (fixed(), ring());
        assert_eq!(solve(&ball, Goal::Fixed, tables), case.fixed.optimal, "case {}, fixed", case.id);
        assert_eq!(solve(&ball, Goal::Ring, tables), case.ring.optimal, "case {}, ring", case.id);
    }
}

#[test]
fn layers_have_the_sizes_that_two_independent_programs_found() {
    let sizes = |layers: &Layers| {
        layers.layers.iter().take(8).map(gpu_solve::search::layers::closed::Layer::states).collect::<Vec<_>>()
    };
    assert_eq!(sizes(fixed()), [1, 13, 156, 1_872, 21_972, 255_541, 2_935_248, 33_252_362]);
    assert_eq!(sizes(ring()), [1, 13, 143, 1_547, 16_640, 176_787, 1_850_381, 19_057_454]);
}

#[test]
fn a_table_takes_at_most_8_bytes_a_class() {
    for layers in [fixed(), ring()] {
        assert!(layers.bytes() <= 8 * layers.classes(), "{} bytes, {} classes", layers.bytes(), layers.classes());
    }
}

/// Breadth-first by the plain rules with a plain set: side turns alone, names rotated to a common start under `ring`.
fn plain_layers(size: usize, goal: Goal, depth: usize) -> Vec<HashSet<Vec<i8>>> {
    let told = |ball: &Ball| match goal {
        Goal::Fixed => ball.tiles().to_vec(),
        Goal::Ring => {
            let n = i8::try_from(size).unwrap();
            let first = ball.tiles()[0].abs();
            ball.tiles().iter().map(|tile| ((tile.abs() - first).rem_euclid(n) + 1) * tile.signum()).collect()
        }
    };
    let mut layers = vec![HashSet::from([told(&Ball::solved(size))])];
    while layers.len() <= depth {
        let mut next = HashSet::new();
        for tiles in &layers[layers.len() - 1] {
            for axis in 0..size {
                let mut ball = Ball::from_tiles(tiles).unwrap();
                ball.turn_sides(axis);
                let told = told(&ball);
                if layers.len() < 2 || !layers[layers.len() - 2].contains(&told) {
                    next.insert(told);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        layers.push(next);
    }
    layers
}

fn sizes<S: Estimated>(space: &S, depth: u32) -> Vec<u64> {
    build(space, depth, &GO_ON, |_| {})
        .unwrap()
        .layers
        .iter()
        .map(gpu_solve::search::layers::closed::Layer::states)
        .collect()
}

fn plain_sizes(size: usize, goal: Goal, depth: usize) -> Vec<u64> {
    plain_layers(size, goal, depth).iter().map(|layer| layer.len() as u64).collect()
}

#[test]
fn the_ring_of_7_is_enumerated_whole_as_by_a_plain_set() {
    let (fixed, ring) = (sizes(&Space::<7, false>, 99), sizes(&Space::<7, true>, 99));
    assert_eq!(fixed, plain_sizes(7, Goal::Fixed, 99));
    assert_eq!(ring, plain_sizes(7, Goal::Ring, 99));
    // The two arcs fill the ring, so a turn mirrors it all: a dihedral group of order 14.
    assert_eq!(fixed.iter().sum::<u64>(), 14);
}

/// Breadth-first on the ring of 9 under `ring` with one bit a state in place of a set: 8!·2⁸ ranks of permutation and
/// colours, by the plain rules. 10 million states are too many for a plain set in a test.
#[test]
fn the_ring_of_9_is_enumerated_whole_as_by_a_plain_search() {
    const N: usize = 9;
    const COLOURS: usize = 1 << N;
    let rank = |tiles: &[i8; N]| {
        let first = tiles[0].abs();
        let names = tiles.map(|tile| (tile.abs() - first).rem_euclid(9));
        let mut rank = 0;
        for k in 1..N {
            rank = rank * (N - k) + names[k + 1..].iter().filter(|name| **name < names[k]).count();
        }
        tiles.iter().fold(rank, |rank, tile| rank * 2 + usize::from(*tile < 0))
    };
    let mut seen = vec![false; 40_320 * COLOURS];
    let start: [i8; N] = std::array::from_fn(|k| i8::try_from(k + 1).unwrap());
    seen[rank(&start)] = true;
    let mut layer = vec![start];
    let mut plain = Vec::new();
    while !layer.is_empty() {
        plain.push(layer.len() as u64);
        let mut next = Vec::new();
        for tiles in &layer {
            for axis in 0..N {
                let mut after = *tiles;
                for place in Ball::arcs(N, axis) {
                    after[place] = -tiles[(2 * axis + N - place) % N];
                }
                if !std::mem::replace(&mut seen[rank(&after)], true) {
                    next.push(after);
                }
            }
        }
        layer = next;
    }
    assert_eq!(sizes(&Space::<9, true>, 99), plain);
    // Permutations up to rotation, with colours of the permutation's parity.
    assert_eq!(plain.iter().sum::<u64>(), 40_320 * 256);
}

#[test]
fn the_ring_of_9_from_a_fixed_start_is_a_group_of_order_9_factorial_times_2_to_the_8() {
    let whole = sizes(&Space::<9, false>, 99);
    assert_eq!(whole.iter().sum::<u64>(), 362_880 * 256);
    let plain = plain_sizes(9, Goal::Fixed, 5);
    assert_eq!(whole[..6], plain);
}

#[test]
fn the_first_layers_of_the_ring_of_11_are_those_of_a_plain_set() {
    assert_eq!(sizes(&Space::<11, false>, 5), plain_sizes(11, Goal::Fixed, 5));
    assert_eq!(sizes(&Space::<11, true>, 5), plain_sizes(11, Goal::Ring, 5));
}

/// With layers to depth 3 only, so that the solvers have to search.
#[test]
fn every_position_up_to_5_turns_away_is_solved_in_exactly_its_distance() {
    let small = (
        build(&FixedSpace::default(), 3, &GO_ON, |_| {}).unwrap(),
        build(&RingSpace::default(), 3, &GO_ON, |_| {}).unwrap(),
    );
    for goal in Goal::ALL {
        for (distance, layer) in plain_layers(TILES, goal, 5).into_iter().enumerate() {
            let layer: Vec<_> = layer.into_iter().collect();
            layer.par_iter().for_each(|tiles| {
                let ball = Ball::from_tiles(tiles).unwrap();
                assert_eq!(solve(&ball, goal, (&small.0, &small.1)), distance, "{ball} under {goal}");
            });
        }
    }
}

#[test]
fn no_random_walk_is_shorter_than_the_solution_of_where_it_ends() {
    let tables = (fixed(), ring());
    (0..400u64).into_par_iter().for_each(|seed| {
        let walked = 1 + usize::try_from(seed % 13).unwrap();
        let (ball, _) = scramble::scramble(TILES, walked, seed);
        let fixed = solve(&ball, Goal::Fixed, tables);
        let ring = solve(&ball, Goal::Ring, tables);
        assert!(ring <= fixed && fixed <= walked, "{ball}: {ring}, {fixed}, walked {walked}");
        assert_eq!((fixed % 2, ring % 2), (walked % 2, walked % 2), "{ball}: every turn is odd");
    });
}

#[test]
fn ida_star_agrees_with_the_search_from_both_ends() {
    let space = FixedSpace::default();
    let layers = build(&space, 6, &GO_ON, |_| {}).unwrap();
    for seed in 0..20 {
        let (ball, _) = scramble::scramble(TILES, 8, seed);
        let task = Task::new(&ball, &Ball::solved(TILES), Goal::Fixed).unwrap();
        let state = Packed::new(&task.relative).unwrap();
        let ends = Ends::new(&space, &layers).solve(&state, &GO_ON).unwrap();
        let ida = Ida::new(&space, &layers, Unseen::Beyond).solve(&state, &GO_ON).unwrap();
        task.steps(&ida.turns).unwrap();
        assert_eq!(ida.turns.len(), ends.turns.len(), "{ball}");
    }
    // The original's estimate is no bound, but with layers this deep it cannot mislead.
    let seed = Ida::new(&space, &layers, Unseen::Estimate);
    assert!(seed.is_optimal());
    let (ball, _) = scramble::scramble(TILES, 7, 2);
    let task = Task::new(&ball, &Ball::solved(TILES), Goal::Fixed).unwrap();
    let state = Packed::new(&task.relative).unwrap();
    let ends = Ends::new(&space, &layers).solve(&state, &GO_ON).unwrap();
    assert_eq!(seed.solve(&state, &GO_ON).unwrap().turns.len(), ends.turns.len());
}

/// All optimal solutions, counted by walking every sequence of turns with the plain rules.
#[test]
fn all_optimal_solutions_are_found() {
    let space = RingSpace::default();
    let layers = build(&space, 2, &GO_ON, |_| {}).unwrap();
    for seed in 0..6 {
        let (ball, _) = scramble::scramble(TILES, 4, seed);
        let task = Task::new(&ball, &Ball::solved(TILES), Goal::Ring).unwrap();
        let ways = Ends::new(&space, &layers).all(&Packed::new(&task.relative).unwrap(), &GO_ON).unwrap();
        let length = ways.turns[0].len();
        let mut plain = Vec::new();
        every_sequence(&task.relative, length, &mut Vec::new(), &mut plain);
        assert_eq!(ways.turns, plain, "{ball}");
    }
}

fn every_sequence(ball: &Ball, rest: usize, turns: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if rest == 0 {
        if ball.is_solved(Goal::Ring) {
            found.push(turns.clone());
        }
        return;
    }
    for axis in 0..TILES {
        let mut after = ball.clone();
        after.turn_sides(axis);
        turns.push(axis);
        every_sequence(&after, rest - 1, turns, found);
        turns.pop();
    }
}

/// A pure rotation of the ring is solved on the real toy and 4 to 10 turns away from a fixed start (GAP).
#[test]
fn pure_rotations_take_4_to_10_turns_under_fixed_and_none_under_ring() {
    let lengths: Vec<_> = (1..13)
        .map(|by| {
            let mut ball = Ball::solved(TILES);
            ball.shift(by);
            assert_eq!(solve(&ball, Goal::Ring, (fixed(), ring())), 0);
            solve(&ball, Goal::Fixed, (fixed(), ring()))
        })
        .collect();
    assert_eq!((lengths.iter().min(), lengths.iter().max()), (Some(&4), Some(&10)));
}

#[test]
fn between_any_two_positions_there_is_a_way_of_any_parity() {
    for seed in 0..8 {
        let start = scramble::random(TILES, seed);
        let mut target = scramble::scramble(TILES, 3, seed + 100).0;
        if seed % 2 == 1 {
            // The other half of all positions: one turn180 is needed.
            target.turn180();
        }
        for goal in Goal::ALL {
            let task = Task::new(&start, &target, goal).unwrap();
            let state = Packed::new(&task.relative).unwrap();
            let way = match goal {
                Goal::Fixed => Ends::new(&FixedSpace::default(), fixed()).solve(&state, &GO_ON),
                Goal::Ring => Ends::new(&RingSpace::default(), ring()).solve(&state, &GO_ON),
            };
            let mut ball = start.clone();
            for step in task.steps(&way.unwrap().turns).unwrap() {
                match step {
                    Step::Turn(axis) => ball.turn_sides(axis),
                    Step::Turn180 => ball.turn180(),
                }
            }
            assert!(ball.relative_to(&target).is_solved(goal), "{start} to {target} ended at {ball}");
        }
    }
}

#[test]
fn every_device_builds_the_layers_that_the_cpu_builds() {
    for gpu in super::support::devices() {
        let open = || Ok(std::sync::Arc::clone(gpu));
        let fixed = device_layers(&FixedSpace::default(), 6, &open);
        assert_eq!(fixed, [1, 13, 156, 1_872, 21_972, 255_541, 2_935_248]);
        let ring = device_layers(&RingSpace::default(), 5, &open);
        assert_eq!(ring, [1, 13, 143, 1_547, 16_640, 176_787]);
    }
}

fn device_layers<S: Expanding>(space: &S, depth: u32, open: &dyn Fn() -> Result<Arc<Gpu>, Fault>) -> Vec<u64> {
    let plan = frontier_gpu::Plan { space, depth, device: Some(open), lockstep: true, stop: &GO_ON };
    let outcome = frontier_gpu::build(&plan, &mut |_| {}).unwrap();
    assert!(outcome.on_device);
    assert_eq!(outcome.compared, depth);
    outcome.reports.iter().map(|report| report.states).collect()
}

#[test]
fn layers_go_on_on_the_cpu_after_a_device_is_lost() {
    let open = || Err(Fault::Lost { adapter: "a test".to_owned(), reason: "it was unplugged".to_owned() });
    let space = RingSpace::default();
    let plan = frontier_gpu::Plan { space: &space, depth: 4, device: Some(&open), lockstep: false, stop: &GO_ON };
    let outcome = frontier_gpu::build(&plan, &mut |_| {}).unwrap();
    assert!(!outcome.on_device);
    assert_eq!(outcome.faults.len(), 1);
    let states: Vec<_> = outcome.reports.iter().map(|report| report.states).collect();
    assert_eq!(states, [1, 13, 143, 1_547, 16_640]);
    let plan = frontier_gpu::Plan { lockstep: true, ..plan };
    assert!(frontier_gpu::build(&plan, &mut |_| {}).is_err(), "lockstep compared nothing");
}

#[test]
fn every_device_finds_the_way_that_the_cpu_finds() {
    let space = FixedSpace::default();
    let layers = build(&space, 4, &GO_ON, |_| {}).unwrap();
    let ends = Ends::new(&space, &layers);
    let table = layers.layers[4].words();
    for gpu in super::support::devices() {
        for seed in 0..6 {
            let (ball, _) = scramble::scramble(TILES, 3 + usize::try_from(seed).unwrap(), seed);
            let task = Task::new(&ball, &Ball::solved(TILES), Goal::Fixed).unwrap();
            let state = Packed::new(&task.relative).unwrap();
            let device = super::support::Shared(Arc::clone(gpu));
            let sought = ends.solve_on(&state, &table, &device, true, &GO_ON).unwrap();
            assert_eq!(sought.compared, sought.batches);
            assert_eq!(sought.way.turns, ends.solve(&state, &GO_ON).unwrap().turns);
        }
    }
}
