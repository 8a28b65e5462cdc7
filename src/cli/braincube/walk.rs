//! `braincube walk`: random walks.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::components::plural;
use super::input::{BoardArgs, Ends};
use crate::cli::Outcome;
use crate::cli::globals::{Format, FormatChoice, Globals, Place};
use crate::cli::output::{JSON_FORMAT, duration, print, print_json};
use crate::gpu::Gpu;
use crate::puzzles::braincube::Board;
use crate::puzzles::state_graph::StateGraph;
use crate::search::graph::walk::{
    Check, DEFAULT_TOLERANCE, Distribution, Estimate, Region, Solvers, Work, distribution, falling, falling_exact,
    free, free_exact,
};
use crate::search::linear::device::DeviceCg;
use crate::search::linear::exact::Fraction;
use crate::search::linear::refine::DIRECT_LIMIT;
use crate::search::linear::{self, Network, SolveError, SolverChoice};

/// A check of theory may be off by this many times the tolerance before the answer is refused.
const CHECK_SLACK: f64 = 10.0;

/// Random walks from start to goal: expected moves, probabilities to win and to fall,
/// the distribution after K moves
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  gpu-solve braincube walk --rows 3 --cols 3 --exact\n  gpu-solve braincube walk --rows 100 --cols 100 --fall\n  \
    gpu-solve braincube walk --rows 4 --cols 4 --steps 16\n\nExit code 1: the goal can't be reached."
)]
pub struct Walk {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    ends: Ends,
    /// Choose among all four directions, and fall when the move is illegal [default: among the legal moves]
    #[arg(long)]
    fall: bool,
    /// Reduced fractions (small boards)
    #[arg(long, conflicts_with_all = ["solver", "tolerance", "steps"])]
    exact: bool,
    /// The whole distribution after K moves, and the chance to have won by then
    #[arg(long, value_name = "K", conflicts_with_all = ["solver", "tolerance"])]
    steps: Option<u64>,
    /// List at most K states of the distribution, the likeliest first (text)
    #[arg(long, value_name = "K", default_value_t = 20, requires = "steps")]
    list: usize,
    /// How to solve the linear system
    #[arg(long, value_enum, default_value_t, value_name = "SOLVER")]
    solver: Solver,
    /// The relative error to stay below
    #[arg(long, value_name = "E", default_value_t = DEFAULT_TOLERANCE)]
    tolerance: f64,
}

/// `--solver`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Solver {
    /// direct up to 500,000 states, cg past that
    #[default]
    Auto,
    /// Sparse Cholesky factorisation
    Direct,
    /// Conjugate gradients, preconditioned by multigrid
    Cg,
}

impl Solver {
    fn choice(self) -> SolverChoice {
        match self {
            Self::Auto => SolverChoice::Auto,
            Self::Direct => SolverChoice::Direct,
            Self::Cg => SolverChoice::Cg,
        }
    }
}

/// The answer, as rows for people and fields for JSON.
#[derive(Default)]
struct Answer {
    fields: Map<String, Value>,
    rows: Vec<(String, String)>,
}

impl Answer {
    fn field(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    fn row(&mut self, name: &str, value: String) {
        self.rows.push((name.to_owned(), value));
    }

    fn estimate(&mut self, name: &str, field: &str, estimate: Estimate) {
        if estimate.relative_error.is_finite() {
            self.field(field, estimate.value);
            self.field(&format!("{field}_relative_error"), estimate.relative_error);
            self.row(name, format!("{} (relative error at most {:.1e})", estimate.value, estimate.relative_error));
        } else {
            self.field(field, Value::Null);
            self.field(&format!("{field}_below"), 1e-280);
            self.row(name, "positive, but too small to be told in double precision".to_owned());
        }
    }

    fn fraction(&mut self, name: &str, field: &str, exact_field: &str, fraction: &Fraction) {
        self.field(field, fraction.to_f64());
        self.field(exact_field, fraction.to_string());
        self.row(name, format!("{fraction} = {}", fraction.to_f64()));
    }

    fn check(&mut self, name: &str, field: &str, check: Option<Check>, tolerance: f64) -> anyhow::Result<()> {
        let Some(check) = check else { return Ok(()) };
        self.field(field, json!({ "found": check.found, "expected": check.expected, "gap": check.gap() }));
        self.row(name, format!("{} for {}, apart by {:.1e}", check.found, check.expected, check.gap()));
        // Written so that a gap that is not a number is refused too.
        let close = check.gap() <= CHECK_SLACK * tolerance + 1e-12;
        if !close {
            bail!(
                "the solution fails its check, {name}: {} where theory gives {}; nothing of it is to be trusted",
                check.found,
                check.expected
            );
        }
        Ok(())
    }

    fn work(&mut self, work: Option<&Work>) {
        let Some(work) = work else { return };
        self.field("solver", work.solver.clone());
        self.field("unknowns", work.unknowns);
        self.field("residual", work.residual);
        self.field("refinements", work.refinements);
        self.field("iterations", work.iterations);
        self.row("solver", work.solver.clone());
        let iterations = if work.iterations > 0 { format!(", {} iterations", work.iterations) } else { String::new() };
        self.row(
            "residual",
            format!("{:.1e} (largest, relative) after {} solves{iterations}", work.residual, work.refinements),
        );
    }
}

/// Where the linear systems are solved.
struct Solving {
    choice: SolverChoice,
    device: Option<(Arc<Gpu>, &'static str)>,
    /// Cycles compared with the CPU's, in lockstep.
    compared: Option<Rc<Cell<u64>>>,
    /// A fault of the device after which the CPU went on.
    fault: RefCell<Option<String>>,
}

impl Solving {
    fn cpu(solver: Solver) -> Self {
        Self { choice: solver.choice(), device: None, compared: None, fault: RefCell::default() }
    }

    /// A device takes part only in conjugate gradients; `auto` opens one only where those are used.
    fn decide(globals: &Globals, solver: Solver, unknowns: usize) -> anyhow::Result<Self> {
        let iterates = solver == Solver::Cg || solver == Solver::Auto && unknowns > DIRECT_LIMIT;
        let Place::Device(adapter) = globals.place(!iterates)? else { return Ok(Self::cpu(solver)) };
        if solver == Solver::Direct {
            bail!(
                "--solver direct runs on the CPU only; leave out --backend, --adapter and --lockstep, or say --solver cg"
            );
        }
        Ok(Self {
            choice: SolverChoice::Cg,
            device: Some((Gpu::open(&adapter)?, adapter.description.backend.name())),
            compared: globals.lockstep.then(Rc::default),
            fault: RefCell::default(),
        })
    }

    fn solve<T>(&self, run: impl Fn(&dyn Solvers) -> Result<T, SolveError>) -> Result<T, SolveError> {
        match &self.device {
            None => run(&self.choice),
            Some((gpu, _)) => match run(&OnDevice { gpu, compared: self.compared.clone() }) {
                Err(SolveError::Elsewhere(fault)) if self.compared.is_none() => {
                    *self.fault.borrow_mut() = Some(format!("{fault}; solved on the CPU instead"));
                    run(&self.choice)
                }
                outcome => outcome,
            },
        }
    }

    fn tell(&self, globals: &Globals, answer: &mut Answer) -> anyhow::Result<()> {
        let fault = self.fault.borrow();
        if let Some(fault) = &*fault {
            globals.fault(&format!("warning: {fault}"));
        }
        answer.field("faults", fault.iter().cloned().collect::<Vec<_>>());
        let compared = self.compared.as_ref().map(|cycles| cycles.get());
        if compared == Some(0) {
            bail!("the lockstep run compared nothing: a system this small is factored on the CPU");
        }
        let backend = self.device.as_ref().map_or("cpu", |(_, backend)| *backend);
        answer.field("backend", backend);
        answer.field("adapter", self.device.as_ref().map(|(gpu, _)| gpu.description().line()));
        answer.field("lockstep", compared.is_some());
        if let Some(cycles) = compared {
            answer.row("lockstep", format!("{} compared with the CPU's", plural(cycles, "multigrid cycle")));
        }
        Ok(())
    }
}

/// Solvers that iterate on a device.
struct OnDevice<'a> {
    gpu: &'a Arc<Gpu>,
    compared: Option<Rc<Cell<u64>>>,
}

impl Solvers for OnDevice<'_> {
    fn ready<'n>(&self, network: &'n Network) -> Result<linear::Solver<'n>, SolveError> {
        let inner = DeviceCg::new(self.gpu, network, self.compared.clone())?;
        Ok(linear::Solver::with(network, Box::new(inner)))
    }
}

impl Walk {
    /// Solves and prints the answer.
    ///
    /// # Errors
    /// Bad input, a system too large for fractions, a solver that fails, a check that fails.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        if !(1e-20..=1e-2).contains(&self.tolerance) {
            bail!("--tolerance {}: expected a number from 1e-20 to 1e-2, e.g. --tolerance 1e-10", self.tolerance);
        }
        let begun = Instant::now();
        let loaded = self.board.load()?;
        let (start, goal) = loaded.ends(&self.ends)?;
        let board = &loaded.board;
        let mut answer = Answer::default();
        for (name, value) in [("format", JSON_FORMAT), ("command", "braincube walk")] {
            answer.field(name, value);
        }
        answer.field("rows", board.rows());
        answer.field("cols", board.cols());
        answer.field("start", board.label(start).to_string());
        answer.field("goal", board.label(goal).to_string());
        answer.field("states", board.state_count());
        answer.field("fall", self.fall);
        if self.exact || self.steps.is_some() {
            globals.cpu_only(if self.exact { "braincube walk --exact" } else { "braincube walk --steps" })?;
        }
        let mut solving = Solving::cpu(self.solver);
        let met = if let Some(steps) = self.steps {
            let found = distribution(board, start, goal, steps);
            self.tell_steps(&mut answer, board, steps, &found);
            found.states.binary_search(&goal).is_ok()
        } else {
            let region = Region::of(board, start, goal);
            if !self.exact {
                solving = Solving::decide(globals, self.solver, region.len())?;
            }
            match (self.exact, self.fall) {
                (true, true) => tell_falling_exact(&mut answer, &region)?,
                (true, false) => tell_free_exact(&mut answer, &region)?,
                (false, true) => self.tell_falling(&mut answer, &region, &solving)?,
                (false, false) => self.tell_free(&mut answer, &region, &solving)?,
            }
            region.meets_goal()
        };
        let seconds = begun.elapsed().as_secs_f64();
        answer.field("seconds", seconds);
        solving.tell(globals, &mut answer)?;
        if globals.format == Format::Json {
            print_json(&answer.fields)?;
        } else {
            let kind = if self.fall { "all four directions, falling when illegal" } else { "legal moves only" };
            let mut text = format!(
                "{} to {}, {kind}, {}\n",
                board.label(start),
                board.label(goal),
                plural(board.state_count(), "state")
            );
            for (name, value) in &answer.rows {
                // Writing to a string does not fail.
                let _ = writeln!(text, "{name}: {value}");
            }
            let _ = writeln!(text, "{}", duration(seconds));
            print(&text)?;
        }
        Ok(if met { Outcome::Found } else { Outcome::None })
    }

    fn tell_free(&self, answer: &mut Answer, region: &Region, place: &Solving) -> anyhow::Result<()> {
        let walk = place.solve(|solvers| free(region, solvers, self.tolerance))?;
        match walk.expected_moves {
            Some(moves) => answer.estimate("expected moves", "expected_moves", moves),
            None => tell_infinite(answer),
        }
        answer.field("exact", Value::Null);
        answer.work(walk.work.as_ref());
        answer.check("check, return time to the goal (Kac)", "return_time", walk.return_time, self.tolerance)?;
        answer.check("check, expected moves from a column of the inverse", "adjoint", walk.adjoint, self.tolerance)
    }

    fn tell_falling(&self, answer: &mut Answer, region: &Region, place: &Solving) -> anyhow::Result<()> {
        let walk = place.solve(|solvers| falling(region, solvers, self.tolerance))?;
        answer.estimate("probability to win", "win_probability", walk.win);
        answer.estimate("probability to fall first", "fall_probability", walk.fall);
        answer.estimate("expected moves until either", "expected_moves_fall", walk.expected_moves);
        answer.work(walk.work.as_ref());
        answer.check("check, probabilities add up to 1", "total_probability", walk.total, self.tolerance)?;
        answer.check("check, expected moves from a column of the inverse", "adjoint", walk.adjoint, self.tolerance)
    }

    fn tell_steps(&self, answer: &mut Answer, board: &Board, steps: u64, found: &Distribution) {
        answer.field("steps", steps);
        let (vector, name) = if self.fall { (&found.falling, "falling") } else { (&found.free, "free") };
        let mut likely: Vec<(u32, f64)> =
            found.states.iter().copied().zip(vector.iter().copied()).filter(|&(_, p)| p > 0.0).collect();
        if self.fall {
            answer.field("won_by", found.won_falling);
            answer.field("fallen_by", found.fallen);
            answer.row(&format!("won by {steps} moves"), found.won_falling.to_string());
            answer.row(&format!("fallen by {steps} moves"), found.fallen.to_string());
        } else {
            answer.field("at_goal", found.at_goal);
            answer.field("won_by", found.won);
            answer.row(&format!("at the goal after {steps} moves"), found.at_goal.to_string());
            answer.row(&format!("goal met by {steps} moves"), found.won.to_string());
        }
        let label = |state: u32| board.label(state).to_string();
        answer.field(
            "distribution",
            likely.iter().map(|&(state, p)| (label(state), Value::from(p))).collect::<Map<_, _>>(),
        );
        likely.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        answer.row(
            &format!("states the {name} walk can be in after {steps} moves"),
            plural(likely.len() as u64, "state"),
        );
        for &(state, p) in likely.iter().take(self.list) {
            answer.row(&format!("  {}", label(state)), p.to_string());
        }
    }
}

fn tell_infinite(answer: &mut Answer) {
    answer.field("expected_moves", "infinite");
    answer.row("expected moves", "infinite: the goal can't be reached from the start".to_owned());
}

fn tell_free_exact(answer: &mut Answer, region: &Region) -> anyhow::Result<()> {
    if let Some(moves) = free_exact(region)? {
        answer.fraction("expected moves", "expected_moves", "exact", &moves);
    } else {
        tell_infinite(answer);
        answer.field("exact", Value::Null);
    }
    answer.field("solver", "exact (elimination modulo primes)");
    Ok(())
}

fn tell_falling_exact(answer: &mut Answer, region: &Region) -> anyhow::Result<()> {
    let [win, fall, moves] = falling_exact(region)?;
    answer.fraction("probability to win", "win_probability", "win_probability_exact", &win);
    answer.fraction("probability to fall first", "fall_probability", "fall_probability_exact", &fall);
    answer.fraction("expected moves until either", "expected_moves_fall", "expected_moves_fall_exact", &moves);
    answer.field("solver", "exact (elimination modulo primes)");
    Ok(())
}
