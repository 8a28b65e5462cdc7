//! The puzzle once more, as plainly as can be: to compare with.

use std::collections::{HashMap, VecDeque};

use gpu_solve::puzzles::braincube::{Board, Pose, State};

/// All states, by trying every pose on every square.
pub fn states(board: &Board) -> Vec<State> {
    let mut found = Vec::new();
    for pose in [Pose::Upright, Pose::AlongRow, Pose::DownColumn] {
        for row in 0..board.rows() {
            for col in 0..board.cols() {
                let state = State { pose, row, col };
                if squares(state).iter().all(|&(r, c)| board.has_square(r, c)) {
                    found.push(state);
                }
            }
        }
    }
    found
}

fn squares(state: State) -> Vec<(u32, u32)> {
    match state.pose {
        Pose::Upright => vec![(state.row, state.col)],
        Pose::AlongRow => vec![(state.row, state.col), (state.row, state.col + 1)],
        Pose::DownColumn => vec![(state.row, state.col), (state.row + 1, state.col)],
    }
}

/// The legal moves out of a state, from the squares that the block covers before and after: letter, state, kind.
pub fn moves(board: &Board, state: State) -> Vec<(char, State, &'static str)> {
    let covered = squares(state);
    let (top, bottom) = (covered[0].0.cast_signed(), covered[covered.len() - 1].0.cast_signed());
    let (left, right) = (covered[0].1.cast_signed(), covered[covered.len() - 1].1.cast_signed());
    let upright = state.pose == Pose::Upright;
    let (tall, wide) = (state.pose == Pose::DownColumn, state.pose == Pose::AlongRow);
    // The squares covered after a roll: as many as the block is long in that direction when it tips, else its other side.
    let candidates = [
        ('L', top, bottom, left - if upright { 2 } else { 1 }, left - 1),
        ('R', top, bottom, right + 1, right + if upright { 2 } else { 1 }),
        ('U', top - if upright { 2 } else { 1 }, top - 1, left, right),
        ('D', bottom + 1, bottom + if upright { 2 } else { 1 }, left, right),
    ];
    let mut found = Vec::new();
    for (letter, r0, r1, c0, c1) in candidates {
        let there = (r0..=r1)
            .all(|r| (c0..=c1).all(|c| r >= 0 && c >= 0 && board.has_square(r.unsigned_abs(), c.unsigned_abs())));
        if !there {
            continue;
        }
        let pose = match (r1 - r0, c1 - c0) {
            (0, 0) => Pose::Upright,
            (0, _) => Pose::AlongRow,
            _ => Pose::DownColumn,
        };
        let kind = if upright {
            "tip"
        } else if pose == Pose::Upright {
            "stand"
        } else {
            assert_eq!((tall, wide), (pose == Pose::DownColumn, pose == Pose::AlongRow));
            "roll"
        };
        found.push((letter, State { pose, row: r0.unsigned_abs(), col: c0.unsigned_abs() }, kind));
    }
    found
}

/// Moves from the start to every state, and the number of shortest ways, as far as a u128 holds it.
pub fn shortest(board: &Board, start: State) -> HashMap<State, (u64, u128)> {
    let mut found = HashMap::from([(start, (0, 1))]);
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        let (distance, ways) = found[&state];
        for (_, next, _) in moves(board, state) {
            match found.get_mut(&next) {
                None => {
                    found.insert(next, (distance + 1, ways));
                    queue.push_back(next);
                }
                Some((known, count)) if *known == distance + 1 => *count += ways,
                Some(_) => {}
            }
        }
    }
    found
}

/// Cheapest costs from the start and the number of cheapest ways, by relaxing every move until nothing changes.
pub fn cheapest(board: &Board, start: State, costs: [u64; 3]) -> HashMap<State, (u64, u128)> {
    let all = states(board);
    let cost = |kind: &str| costs[["tip", "stand", "roll"].iter().position(|k| *k == kind).unwrap()];
    let mut best: HashMap<State, u64> = HashMap::from([(start, 0)]);
    loop {
        let mut changed = false;
        for &state in &all {
            let Some(&here) = best.get(&state) else { continue };
            for (_, next, kind) in moves(board, state) {
                let there = here + cost(kind);
                if best.get(&next).is_none_or(|&known| known > there) {
                    best.insert(next, there);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut by_cost: Vec<State> = best.keys().copied().collect();
    by_cost.sort_by_key(|state| best[state]);
    let mut ways: HashMap<State, u128> = HashMap::from([(start, 1)]);
    for state in by_cost {
        let count = ways[&state];
        for (_, next, kind) in moves(board, state) {
            if best[&next] == best[&state] + cost(kind) {
                *ways.entry(next).or_insert(0) += count;
            }
        }
    }
    best.into_iter().map(|(state, cost)| (state, (cost, ways[&state]))).collect()
}

/// Solves a dense system by elimination with pivoting.
pub fn solve(mut matrix: Vec<Vec<f64>>, mut rhs: Vec<f64>) -> Vec<f64> {
    let n = rhs.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| matrix[a][k].abs().total_cmp(&matrix[b][k].abs())).unwrap();
        matrix.swap(k, pivot);
        rhs.swap(k, pivot);
        for i in k + 1..n {
            let factor = matrix[i][k] / matrix[k][k];
            if factor != 0.0 {
                let (done, rest) = matrix.split_at_mut(i);
                for (entry, above) in rest[0][k..].iter_mut().zip(&done[k][k..]) {
                    *entry -= factor * above;
                }
                rhs[i] -= factor * rhs[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| matrix[k][j] * rhs[j]).sum();
        rhs[k] = (rhs[k] - sum) / matrix[k][k];
    }
    rhs
}
