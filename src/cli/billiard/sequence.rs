//! `gpu-solve billiard sequence`: OEIS A226239 and A094225 computed, beside the terms published.

use std::fmt::Write;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use super::minimum::find;
use super::run::job;
use super::{Chosen, SolverChoice};
use crate::cli::Outcome;
use crate::cli::devices::Devices;
use crate::cli::globals::{Format, Globals};
use crate::cli::kept::{Ends, search};
use crate::cli::output::{JSON_FORMAT, duration, grouped, print, print_json};
use crate::puzzles::billiard::rules::balls;
use crate::search::index::record::Record;
use crate::search::index::session::Session;

/// A226239, from order 1 on: the least M with a solution (OEIS, thirteen terms known).
const A226239: [usize; 13] = [1, 3, 6, 10, 15, 22, 33, 44, 59, 76, 101, 125, 158];
/// A094225, from order 1 on: solutions with M = N(N+1)/2 up to mirror; none from order 6 on (Chang, Hu, Lih, Shieh 1977).
const A094225: [u64; 5] = [1, 2, 4, 4, 1];

/// Compute A226239 (the least M of each order) and A094225 (solutions with the least M there
/// could be), beside the published terms
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve billiard sequence --to 9")]
pub struct Sequence {
    /// The last order
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=16))]
    to: u8,
}

#[derive(Serialize)]
struct Term {
    order: usize,
    minimum: usize,
    published_minimum: Option<usize>,
    exact: u64,
    published_exact: u64,
    nodes: u64,
    steps: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct Object {
    format: &'static str,
    command: &'static str,
    complete: bool,
    agree: bool,
    terms: Vec<Term>,
    seconds: f64,
}

impl Term {
    fn agrees(&self) -> bool {
        self.exact == self.published_exact && self.published_minimum.is_none_or(|published| published == self.minimum)
    }
}

impl Sequence {
    /// Computes and prints the terms.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let begun = Instant::now();
        let mut terms: Vec<Term> = Vec::new();
        // A triangle of order n holds one of order n - 1 below its top row, whose largest value is less than its own.
        let mut least = 1;
        let mut complete = true;
        for order in 1..=usize::from(self.to) {
            let started = Instant::now();
            let mut session = Session::open(None, Duration::MAX, false)?;
            let Some(exact) = exact(globals, &mut session, order)? else {
                complete = false;
                break;
            };
            let mut session = Session::open(None, Duration::MAX, false)?;
            let found = find(globals, &mut session, order, balls(order).max(least), None)?;
            let Some((minimum, _)) = found.answer else {
                complete = false;
                break;
            };
            least = minimum + 1;
            let sum = |of: fn(&Record) -> u64| found.tried.iter().map(of).sum();
            terms.push(Term {
                order,
                minimum,
                published_minimum: A226239.get(order - 1).copied(),
                exact,
                published_exact: A094225.get(order - 1).copied().unwrap_or(0),
                nodes: sum(|record| record.nodes),
                steps: sum(|record| record.steps),
                seconds: started.elapsed().as_secs_f64(),
            });
        }
        let agree = terms.iter().all(Term::agrees);
        let seconds = begun.elapsed().as_secs_f64();
        match globals.format {
            Format::Text => print(&text(&terms, agree, seconds))?,
            Format::Json => {
                let command = "billiard sequence";
                print_json(&Object { format: JSON_FORMAT, command, complete, agree, terms, seconds })?;
            }
        }
        anyhow::ensure!(agree, "a term differs from the published one");
        Ok(if complete { Outcome::Found } else { Outcome::Interrupted })
    }
}

/// Solutions with M = N(N+1)/2, up to mirror; `None`: interrupted.
fn exact(globals: &Globals, session: &mut Session, order: usize) -> anyhow::Result<Option<u64>> {
    let space = Chosen::new(order, balls(order), SolverChoice::Rows)?;
    let at = session.record(&Record::new(job("billiard", &space), 0..space.space.size()), &[])?;
    let devices = Devices::choose(&globals.quieter(), true)?;
    let ends = Ends { deadline: None, first: false, keep: 0, dots: false };
    let report = search(globals, session, at, (&*space.space, space.space.unit()), &devices, ends)?;
    Ok(report.complete.then_some(report.tally.found))
}

fn text(terms: &[Term], agree: bool, seconds: f64) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{:>5}  {:>8}  {:>9}  {:>8}  {:>9}  {:>17}  {:>12}",
        "order", "A226239", "published", "A094225", "published", "steps", "time"
    );
    for term in terms {
        let published = term.published_minimum.map_or_else(|| "open".to_owned(), |published| published.to_string());
        let _ = writeln!(
            text,
            "{:>5}  {:>8}  {:>9}  {:>8}  {:>9}  {:>17}  {:>12}{}",
            term.order,
            term.minimum,
            published,
            term.exact,
            term.published_exact,
            grouped(term.steps.into()),
            duration(term.seconds),
            if term.agrees() { "" } else { "  DIFFERS" }
        );
    }
    let _ = writeln!(text, "{} in {}", if agree { "all terms agree" } else { "terms differ" }, duration(seconds));
    text
}
