//! What becomes of a search whose device is lost on the way.

use std::sync::Arc;

use gpu_solve::gpu::Gpu;
use gpu_solve::puzzles::braincube::{Board, State};
use gpu_solve::puzzles::state_graph::StateGraph;
use gpu_solve::search::graph::costs::Costs;
use gpu_solve::search::graph::expansion::{DeviceExpander, ExpandError};
use gpu_solve::search::graph::shortest::{CpuExpander, Expander, field_to};

use crate::support::adapters;

/// Destroys the device before a frontier.
struct Loses<'g> {
    inner: DeviceExpander<'g, Board>,
    gpu: Arc<Gpu>,
    frontiers_left: u32,
}

impl Loses<'_> {
    fn count_down(&mut self) {
        self.frontiers_left = self.frontiers_left.wrapping_sub(1);
        if self.frontiers_left == 0 {
            self.gpu.destroy();
        }
    }
}

impl Expander for Loses<'_> {
    type Error = ExpandError;

    fn claim(&mut self, frontier: &[u32]) -> Result<Vec<u32>, ExpandError> {
        self.count_down();
        self.inner.claim(frontier)
    }

    fn meet(&mut self, state: u32) -> Result<(), ExpandError> {
        self.inner.meet(state)
    }

    fn moves_into(&mut self, frontier: &[u32]) -> Result<Vec<(u32, u8)>, ExpandError> {
        self.count_down();
        self.inner.moves_into(frontier)
    }
}

#[test]
fn a_search_goes_on_on_the_cpu_from_the_frontier_at_which_its_device_was_lost() {
    let board = Board::from_squares(40, 50, |r, c| (r * 7 + c * 5) % 19 != 3).unwrap();
    let goal = board.index(State::upright(20, 20)).unwrap();
    for adapter in adapters() {
        for costs in [Costs::unit(3), Costs::read(&["1", "2", "3"]).unwrap()] {
            let gpu = Gpu::open(adapter).unwrap();
            let inner = DeviceExpander::new(&gpu, &board, false).unwrap();
            let mut loses = Loses { inner, gpu, frontiers_left: 7 };
            let (field, effort) = field_to(&board, goal, None, &costs, &mut loses).unwrap();
            assert!(loses.inner.fault().unwrap().contains("went on on the CPU from frontier 6"));
            let (alone, same) = field_to(&board, goal, None, &costs, &mut CpuExpander::new(&board)).unwrap();
            assert_eq!(effort, same);
            assert!(board.each_state().all(|state| field.get(state) == alone.get(state)));
        }
        // In lockstep there is nothing left to compare with: an error.
        let gpu = Gpu::open(adapter).unwrap();
        let inner = DeviceExpander::new(&gpu, &board, true).unwrap();
        let mut loses = Loses { inner, gpu, frontiers_left: 3 };
        let outcome = field_to(&board, goal, None, &Costs::unit(3), &mut loses);
        assert!(matches!(outcome, Err(ExpandError::Fault(_))));
        assert_eq!(loses.inner.compared(), 2);
    }
}
