//! Random walks on a graph whose moves can all be undone: expected times, probabilities, and the distribution after some moves.
//!
//! Two walks, both until the goal is met:
//! - *free*: each legal move is equally likely. The expected number of moves `x` solves `(D − A)·x = d` over the states that
//!   can be on the way, `A` joining them and `D` holding their numbers of legal moves `d`.
//! - *falling*: each of the [`StateGraph::MOVES`] moves is equally likely, and an illegal one ends the walk. The expected number of
//!   moves solves `(4I − A)·x = 4`, the probability to win `(4I − A)·p = b`, `b` counting a state's moves to the goal (with 4 moves).
//!
//! No entry of either inverse is negative. So an approximate `x` with the residual `r` is off by at most the factor
//! `1 ± max_i |r_i|/d_i` in every state: the error `e` has `|e| ≤ A⁻¹|r| ≤ max_i(|r_i|/d_i)·A⁻¹d`. For the probability, the column
//! `g` of the inverse at the start gives `p(start) = p̃(start) + g·r`, which is off by no more than a product of two residuals.

use rayon::prelude::*;

use crate::puzzles::state_graph::StateGraph;
use crate::search::linear::exact::{self, ExactError, Fraction};
use crate::search::linear::network::CHUNK;
use crate::search::linear::refine::Solution;
use crate::search::linear::{Network, SolveError, Solver, SolverChoice};

/// Relative error asked for when nothing else is said.
pub const DEFAULT_TOLERANCE: f64 = 1e-10;

/// Makes an inner solver for a network; what [`SolverChoice`] offers, or one that runs elsewhere.
pub trait Solvers {
    /// A solver made ready for a network.
    ///
    /// # Errors
    /// When it can't be made.
    fn ready<'n>(&self, network: &'n Network) -> Result<Solver<'n>, SolveError>;
}

impl Solvers for SolverChoice {
    fn ready<'n>(&self, network: &'n Network) -> Result<Solver<'n>, SolveError> {
        Solver::new(network, *self)
    }
}

/// The states that a walk from the start can visit before the goal, numbered from 0 in the order of their state numbers.
#[derive(Debug)]
pub struct Region {
    states: Vec<u32>,
    /// Neighbours among them, by unknown.
    offsets: Vec<u32>,
    links: Vec<u32>,
    /// Moves to the goal, by unknown.
    into_goal: Vec<u32>,
    /// The unknown that is the start; none when the start is the goal.
    start: Option<usize>,
    /// Moves there are in every state, legal or not.
    moves: u32,
}

impl Region {
    /// The region around a start.
    ///
    /// # Panics
    /// When the graph has 2^32 links or more.
    #[must_use]
    pub fn of<G: StateGraph>(graph: &G, start: u32, goal: u32) -> Self {
        let mut numbers = vec![0u32; graph.index_bound() as usize];
        let mut region = Self {
            states: Vec::new(),
            offsets: vec![0],
            links: Vec::new(),
            into_goal: Vec::new(),
            start: None,
            moves: u32::try_from(G::MOVES).expect("a state has a few moves"),
        };
        if start != goal {
            let mut stack = vec![start];
            numbers[start as usize] = 1;
            while let Some(state) = stack.pop() {
                graph.successors(state, |step| {
                    let number = &mut numbers[step.state as usize];
                    if *number == 0 && step.state != goal {
                        *number = 1;
                        stack.push(step.state);
                    }
                });
            }
        }
        for (state, number) in (0u32..).zip(&mut numbers).filter(|(_, number)| **number != 0) {
            region.states.push(state);
            *number = u32::try_from(region.states.len()).expect("as many as state numbers at most");
        }
        region.into_goal.reserve_exact(region.states.len());
        region.links.reserve(region.states.len() * G::MOVES);
        for &state in &region.states {
            let mut into_goal = 0;
            graph.successors(state, |step| match numbers[step.state as usize] {
                0 => into_goal += 1,
                number => region.links.push(number - 1),
            });
            region.into_goal.push(into_goal);
            region.offsets.push(u32::try_from(region.links.len()).expect("fewer than 2^32 links"));
        }
        region.start = region.states.binary_search(&start).ok();
        region
    }

    /// States in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether the start is the goal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether the goal can be reached from the start.
    #[must_use]
    pub fn meets_goal(&self) -> bool {
        self.start.is_none() || self.into_goal.iter().any(|&moves| moves > 0)
    }

    fn neighbours(&self, unknown: usize) -> &[u32] {
        &self.links[self.offsets[unknown] as usize..self.offsets[unknown + 1] as usize]
    }

    /// Legal moves of a state, those to the goal included.
    fn degree(&self, unknown: usize) -> u32 {
        self.offsets[unknown + 1] - self.offsets[unknown] + self.into_goal[unknown]
    }

    fn degrees(&self) -> Vec<u32> {
        (0..self.len()).map(|i| self.degree(i)).collect()
    }

    /// The network of one of the walks.
    fn network(&self, ground: impl Fn(usize) -> u32) -> Network {
        let mut network = Network::with_capacity(self.len(), self.links.len());
        for i in 0..self.len() {
            network.push(self.neighbours(i).iter().copied(), ground(i));
        }
        network
    }

    /// `D − A`.
    #[must_use]
    pub fn free_network(&self) -> Network {
        self.network(|i| self.into_goal[i])
    }

    /// `4I − A` (with 4 moves).
    #[must_use]
    pub fn falling_network(&self) -> Network {
        self.network(|i| self.moves - (self.offsets[i + 1] - self.offsets[i]))
    }
}

/// A number with a bound on its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// It is off by no more than this share of itself.
    pub relative_error: f64,
}

/// A value that theory gives twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// What the solution gives.
    pub found: f64,
    /// What it must be.
    pub expected: f64,
}

impl Check {
    /// How far the two are apart, relative to the second.
    #[must_use]
    pub fn gap(&self) -> f64 {
        if self.expected == 0.0 { self.found.abs() } else { ((self.found - self.expected) / self.expected).abs() }
    }
}

/// What the solver did.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The inner solver.
    pub solver: String,
    /// Unknowns of the system.
    pub unknowns: usize,
    /// Inner solves.
    pub refinements: usize,
    /// Iterations of all of them (0: direct).
    pub iterations: usize,
    /// Largest residual over its right-hand side, of the system for the expected moves.
    pub residual: f64,
}

/// The free walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    /// Expected moves to the goal; none when it can't be reached: then the expectation is infinite.
    pub expected_moves: Option<Estimate>,
    /// Kac's formula: the expected time to come back to the goal is the sum of the degrees over the goal's degree
    /// (in the part of the graph that the walk can see).
    pub return_time: Option<Check>,
    /// The expected moves again from a column of the inverse, a solution of its own.
    pub adjoint: Option<Check>,
    /// The solver's work.
    pub work: Option<Work>,
}

/// The falling walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Falling {
    /// Probability to meet the goal before falling.
    pub win: Estimate,
    /// Probability to fall first.
    pub fall: Estimate,
    /// Expected moves until either.
    pub expected_moves: Estimate,
    /// The two probabilities, each from its own sum, make 1.
    pub total: Option<Check>,
    /// The expected moves again from a column of the inverse.
    pub adjoint: Option<Check>,
    /// The solver's work.
    pub work: Option<Work>,
}

/// The largest of |residual|/side.
fn largest_share(residual: &[f64], side: &[f64]) -> f64 {
    residual
        .par_iter()
        .zip(side)
        .with_min_len(CHUNK)
        .map(|(r, b)| if r.is_nan() { f64::NAN } else { r.abs() / b })
        .reduce(|| 0.0, |a, b| if a.is_nan() || a > b { a } else { b })
}

/// The sum of the products, each taken positive.
fn absolute_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}

fn unit(n: usize, at: usize) -> Vec<f64> {
    let mut vector = vec![0.0; n];
    vector[at] = 1.0;
    vector
}

/// Solves for the expected times, with the bound of the module's head.
fn expected_times(solver: &mut Solver, side: &[f64], tolerance: f64) -> Result<Solution, SolveError> {
    // ρ/(1 − ρ) ≤ tolerance.
    solver.solve(side, tolerance / (1.0 + tolerance), |_, residual| largest_share(residual, side))
}

/// Solves for the column of the inverse at `start`, so well that its product with `side` is right to the tolerance.
fn column(solver: &mut Solver, start: usize, times: &[f64], tolerance: f64) -> Result<Solution, SolveError> {
    let one = unit(times.len(), start);
    // side·A⁻¹·r = x·r, x being the expected times.
    solver.solve(&one, tolerance, |_, residual| absolute_dot(residual, times) / times[start])
}

fn work_of(solver: &Solver, unknowns: usize, residual: f64, solutions: &[&Solution]) -> Work {
    Work {
        solver: solver.name(),
        unknowns,
        refinements: solutions.iter().map(|s| s.refinements).sum(),
        iterations: solutions.iter().map(|s| s.iterations).sum(),
        residual,
    }
}

/// The expected number of moves of the free walk, to a relative error of `tolerance`.
///
/// # Errors
/// When the solver fails or stalls.
pub fn free(region: &Region, solvers: &dyn Solvers, tolerance: f64) -> Result<Free, SolveError> {
    let nothing = |expected_moves| Free { expected_moves, return_time: None, adjoint: None, work: None };
    let Some(start) = region.start else {
        return Ok(nothing(Some(Estimate { value: 0.0, relative_error: 0.0 })));
    };
    if !region.meets_goal() {
        return Ok(nothing(None));
    }
    let network = region.free_network();
    let side: Vec<f64> = region.degrees().into_iter().map(f64::from).collect();
    let mut solver = solvers.ready(&network)?;
    let times = expected_times(&mut solver, &side, tolerance)?;
    let column = column(&mut solver, start, &times.x.high, tolerance)?;
    let into_goal: Vec<f64> = region.into_goal.iter().copied().map(f64::from).collect();
    let goal_degree: f64 = into_goal.iter().sum();
    let degrees: f64 = side.iter().sum();
    let value = times.x.high[start];
    Ok(Free {
        expected_moves: Some(Estimate { value, relative_error: within(times.bound) }),
        return_time: Some(Check {
            found: 1.0 + times.x.dot(&into_goal) / goal_degree,
            expected: (degrees + goal_degree) / goal_degree,
        }),
        adjoint: Some(Check { found: column.x.dot(&side), expected: value }),
        work: Some(work_of(&solver, network.len(), times.bound, &[&times, &column])),
    })
}

/// The bound on the relative error of a number that was rounded to a double at the end.
fn within(rho: f64) -> f64 {
    rho / (1.0 - rho) + f64::EPSILON / 2.0
}

/// Probabilities and expected moves of the falling walk, to a relative error of `tolerance`.
///
/// # Errors
/// When the solver fails or stalls.
pub fn falling(region: &Region, solvers: &dyn Solvers, tolerance: f64) -> Result<Falling, SolveError> {
    let sure = |value| Estimate { value, relative_error: 0.0 };
    let Some(start) = region.start else {
        return Ok(Falling {
            win: sure(1.0),
            fall: sure(0.0),
            expected_moves: sure(0.0),
            total: None,
            adjoint: None,
            work: None,
        });
    };
    let network = region.falling_network();
    let moves = f64::from(region.moves);
    let side = vec![moves; network.len()];
    let mut solver = solvers.ready(&network)?;
    let times = expected_times(&mut solver, &side, tolerance)?;
    let time = &times.x.high;
    let column = column(&mut solver, start, time, tolerance)?;
    let expected_moves = Estimate { value: time[start], relative_error: within(times.bound) };
    let adjoint = Some(Check { found: column.x.dot(&side), expected: time[start] });
    let falls: Vec<f64> = region.degrees().into_iter().map(|degree| moves - f64::from(degree)).collect();
    let fall_again = column.x.dot(&falls);
    if !region.meets_goal() {
        return Ok(Falling {
            win: sure(0.0),
            fall: sure(1.0),
            expected_moves,
            total: Some(Check { found: fall_again, expected: 1.0 }),
            adjoint,
            work: Some(work_of(&solver, network.len(), times.bound, &[&times, &column])),
        });
    }
    let into_goal: Vec<f64> = region.into_goal.iter().copied().map(f64::from).collect();
    // |g·r − g̃·r| ≤ Σ|r_g|·A⁻¹|r| ≤ max(|r|/4)·Σ|r_g|·x.
    let column_slack = absolute_dot(&column.residual, time) * (1.0 + 2.0 * tolerance);
    let corrected = |high: &[f64], residual: &[f64]| high[start] + column.x.dot(residual);
    let chances = solver.solve(&into_goal, tolerance, |p, residual| {
        let error = largest_share(residual, &side) * column_slack;
        let value = corrected(&p.high, residual);
        if value - error > f64::MIN_POSITIVE * 1e20 { error / (value - error) } else { f64::INFINITY }
    });
    let (win, chances) = match chances {
        Ok(chances) => {
            let value = corrected(&chances.x.high, &chances.residual);
            (Estimate { value, relative_error: chances.bound + f64::EPSILON }, Some(chances))
        }
        // Too small for a double, or for this solver to tell from 0.
        Err(SolveError::Stalled { .. }) => (Estimate { value: 0.0, relative_error: f64::INFINITY }, None),
        Err(error) => return Err(error),
    };
    let fall = 1.0 - win.value;
    let fall_error = win.value * if win.relative_error.is_finite() { win.relative_error } else { 0.0 };
    let mut solutions = vec![&times, &column];
    solutions.extend(&chances);
    Ok(Falling {
        win,
        fall: Estimate { value: fall, relative_error: fall_error / fall.max(f64::MIN_POSITIVE) + f64::EPSILON },
        expected_moves,
        total: Some(Check { found: win.value + fall_again, expected: 1.0 }),
        adjoint,
        work: Some(work_of(&solver, network.len(), times.bound, &solutions)),
    })
}

/// The free walk's expected moves as a fraction; none when they are infinite.
///
/// # Errors
/// When the system is too large for it.
pub fn free_exact(region: &Region) -> Result<Option<Fraction>, ExactError> {
    let Some(start) = region.start else { return Ok(Some(Fraction::whole(0))) };
    if !region.meets_goal() {
        return Ok(None);
    }
    Ok(exact::solve(&region.free_network(), &[region.degrees()], start)?.pop())
}

/// The falling walk in fractions: probability to win, to fall, expected moves.
///
/// # Errors
/// When the system is too large for it.
pub fn falling_exact(region: &Region) -> Result<[Fraction; 3], ExactError> {
    let Some(start) = region.start else { return Ok([1, 0, 0].map(Fraction::whole)) };
    let sides = [region.into_goal.clone(), vec![region.moves; region.len()]];
    let solved: [Fraction; 2] =
        exact::solve(&region.falling_network(), &sides, start)?.try_into().map_err(|_| ExactError::Check)?;
    let [win, moves] = solved;
    let fall = Fraction::reduced(&win.denominator - &win.numerator, win.denominator.clone());
    Ok([win, fall, moves])
}

/// Where the walks are after a number of moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The states that the walks can be in, ascending; the goal among them when it can be reached.
    pub states: Vec<u32>,
    /// The free walk that does not stop at the goal: the probability of each state.
    pub free: Vec<f64>,
    /// The free walk: probability to be at the goal now, having perhaps left it before.
    pub at_goal: f64,
    /// The free walk that stops at the goal: probability to have met it by now.
    pub won: f64,
    /// The falling walk: the probability of each state, the goal holding what has won.
    pub falling: Vec<f64>,
    /// The falling walk: probability to have won by now.
    pub won_falling: f64,
    /// The falling walk: probability to have fallen by now.
    pub fallen: f64,
}

/// The distributions after `steps` moves from the start: powers of the transition matrices applied to a vector.
#[must_use]
pub fn distribution<G: StateGraph>(graph: &G, start: u32, goal: u32, steps: u64) -> Distribution {
    let (states, network) = whole_component(graph, start);
    let n = states.len();
    let at = |state: u32| states.binary_search(&state).ok();
    let (origin, target) = (at(start).unwrap_or(0), at(goal));
    #[expect(clippy::cast_precision_loss, reason = "a state has a few moves")]
    let share_of_falling = 1.0 / G::MOVES as f64;
    let degree = |i: usize| network.diagonal(i);
    let mut free = unit(n, origin);
    let mut stopping = free.clone();
    let mut falling = free.clone();
    let mut fallen = 0.0;
    let (mut next, mut shares) = (vec![0.0; n], vec![0.0; n]);
    let mut advance = |now: &mut Vec<f64>, hold: Option<usize>, share: &(dyn Fn(usize) -> f64 + Sync)| {
        shares.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, out)| *out = now[i] * share(i));
        if let Some(goal) = hold {
            shares[goal] = 0.0;
        }
        next.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, out)| {
            *out = network.neighbours(i).iter().map(|&j| shares[j as usize]).sum();
        });
        // A state without a legal move keeps the free walk where it is.
        if let Some(goal) = hold {
            next[goal] += now[goal];
        }
        std::mem::swap(now, &mut next);
    };
    for _ in 0..steps {
        if n > 1 {
            let even = |i: usize| 1.0 / f64::from(degree(i));
            advance(&mut free, None, &even);
            advance(&mut stopping, target, &even);
        }
        let falls: f64 = falling
            .iter()
            .enumerate()
            .filter(|&(i, _)| Some(i) != target)
            .map(|(i, p)| p * (1.0 - f64::from(degree(i)) * share_of_falling))
            .sum();
        fallen += falls;
        advance(&mut falling, target, &|_| share_of_falling);
    }
    let of = |vector: &[f64]| target.map_or(0.0, |goal| vector[goal]);
    Distribution { at_goal: of(&free), won: of(&stopping), won_falling: of(&falling), fallen, states, free, falling }
}

/// The states that can be reached, ascending, and the links among them.
fn whole_component<G: StateGraph>(graph: &G, start: u32) -> (Vec<u32>, Network) {
    let mut seen = vec![0u64; graph.states().len()];
    seen[start as usize / 64] |= 1 << (start % 64);
    let mut states = vec![start];
    let mut next = 0;
    while let Some(&state) = states.get(next) {
        next += 1;
        graph.successors(state, |step| {
            let (word, bit) = (&mut seen[step.state as usize / 64], 1 << (step.state % 64));
            if *word & bit == 0 {
                *word |= bit;
                states.push(step.state);
            }
        });
    }
    states.sort_unstable();
    let mut numbers = vec![0u32; graph.index_bound() as usize];
    for (number, &state) in (0u32..).zip(&states) {
        numbers[state as usize] = number;
    }
    let mut network = Network::with_capacity(states.len(), states.len() * G::MOVES);
    let mut row = Vec::with_capacity(G::MOVES);
    for &state in &states {
        row.clear();
        graph.successors(state, |step| row.push(numbers[step.state as usize]));
        network.push(row.iter().copied(), 0);
    }
    (states, network)
}
