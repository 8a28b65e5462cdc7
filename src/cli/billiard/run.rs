//! `gpu-solve billiard` itself, and what its searches have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use anyhow::Context;

use super::answer::Answer;
use super::{Chosen, SearchArgs};
use crate::cli::Outcome;
use crate::cli::globals::Globals;
use crate::cli::kept::{Searched, settle};
use crate::puzzles::billiard::rules::Triangle;
use crate::puzzles::billiard::{BilliardSpace, Solver};
use crate::puzzles::index_space::IndexSpace;
use crate::search::index::record::{Job, Record};

/// What decides the index space.
pub fn job(command: &str, space: &Chosen) -> Job {
    let parameters =
        [("order", space.order.to_string()), ("max", space.max.to_string()), ("solver", space.solver.to_string())];
    let parameters: BTreeMap<_, _> = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Job { command: command.to_owned(), parameters, size: space.space.size() }
}

/// The triangles behind the lowest hits, mirror images included, each checked by the rules, in the rules' order; no more
/// than `most`, and no more of the hits are looked into than that takes.
pub fn expand(space: &dyn BilliardSpace, hits: &[u128], most: usize) -> anyhow::Result<Vec<Triangle>> {
    let mut triangles = Vec::new();
    for &hit in hits {
        if triangles.len() >= most {
            break;
        }
        for triangle in space.expand(hit).context("the device or its driver is at fault; check it with --lockstep")? {
            if space.weight() == 2 {
                triangles.push(triangle.mirror());
            }
            triangles.push(triangle);
        }
    }
    triangles.sort();
    Ok(triangles)
}

impl SearchArgs {
    /// Indices to keep.
    fn kept(&self) -> usize {
        if self.count { 0 } else { self.list.unwrap_or(100) }
    }

    /// Searches and prints the answer.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let begun = Instant::now();
        let space = self.space.space()?;
        let range = self.part.within(space.space.size())?;
        let wanted = Record::new(job("billiard", &space), range.clone());
        // Brute force counts mirror images by looking at every solution; there are eight at the most.
        let keep = if space.solver == Solver::BruteForce { usize::MAX } else { self.kept() };
        let indices = (&*space.space as &dyn IndexSpace, space.space.unit());
        let Searched { report, backend, adapter, seconds, unsaved } =
            settle(globals, begun, &wanted, indices, (&self.keep, keep, self.dots))?;
        let triangles = expand(&*space.space, &report.tally.hits, keep)?;
        let up_to_mirror = if space.solver == Solver::BruteForce {
            // Both mirror images are hits here, or only one of them in a part of the space; all hits were kept.
            triangles.iter().map(|triangle| triangle.clone().min(triangle.mirror())).collect::<BTreeSet<_>>().len()
                as u64
        } else {
            report.tally.found
        };
        let listed = &triangles[..triangles.len().min(self.kept())];
        Answer { space: &space, range: &range, report: &report, backend, adapter, listed, up_to_mirror, seconds }
            .print(globals)?;
        self.keep.ended(globals, (report.complete, report.tally.found > 0), unsaved)
    }
}
