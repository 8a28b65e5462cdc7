//! Connected components of a graph whose moves can all be undone.

use crate::puzzles::state_graph::StateGraph;

/// The components, largest first; of equally large ones, the one with the smallest state number first.
#[derive(Debug)]
pub struct Components {
    /// By state number: the component plus 1, 0 where there is no state.
    marks: Vec<u32>,
    /// States of each component.
    sizes: Vec<u64>,
    /// The smallest state number of each component.
    first: Vec<u32>,
}

impl Components {
    /// Finds the components.
    ///
    /// # Panics
    /// Never: components are fewer than state numbers.
    #[must_use]
    pub fn of<G: StateGraph>(graph: &G) -> Self {
        let mut marks = vec![0u32; graph.index_bound() as usize];
        let (mut sizes, mut first) = (Vec::new(), Vec::new());
        let mut stack = Vec::new();
        for state in graph.each_state() {
            if marks[state as usize] != 0 {
                continue;
            }
            let mark = u32::try_from(sizes.len() + 1).expect("fewer components than state numbers");
            marks[state as usize] = mark;
            stack.push(state);
            let mut size = 0;
            while let Some(state) = stack.pop() {
                size += 1;
                graph.successors(state, |step| {
                    let seen = &mut marks[step.state as usize];
                    if *seen == 0 {
                        *seen = mark;
                        stack.push(step.state);
                    }
                });
            }
            sizes.push(size);
            first.push(state);
        }
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&k| (std::cmp::Reverse(sizes[k]), first[k]));
        let mut rank = vec![0u32; sizes.len() + 1];
        for (place, &k) in (1u32..).zip(&order) {
            rank[k + 1] = place;
        }
        for mark in &mut marks {
            *mark = rank[*mark as usize];
        }
        Self {
            marks,
            sizes: order.iter().map(|&k| sizes[k]).collect(),
            first: order.iter().map(|&k| first[k]).collect(),
        }
    }

    /// States of each component, largest first.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The smallest state number of a component (from 0).
    #[must_use]
    pub fn first(&self, component: usize) -> u32 {
        self.first[component]
    }

    /// The component (from 0) of a state.
    #[must_use]
    pub fn of_state(&self, state: u32) -> Option<usize> {
        (self.marks.get(state as usize)?.checked_sub(1)).map(|component| component as usize)
    }
}
