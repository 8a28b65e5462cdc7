//! Closed formulas for boards without holes: their states and edges, and the shortest way from the block standing on the
//! top left square to standing on the bottom right one.
//!
//! The lengths, and the numbers for sides of 4 and more, are the poster's; the numbers for a side of 3 or 2 were read off
//! the search, which agrees with them on every board up to 40×40 (`tests/braincube_search.rs`).

use num_bigint::BigUint;
use num_integer::binomial;

/// The shortest corner-to-corner solutions of a full board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CornerSolutions {
    /// Moves.
    pub length: u64,
    /// How many solutions have that length.
    pub count: BigUint,
}

/// What the formulas say of a full board, corner to corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There are solutions.
    Solvable(CornerSolutions),
    /// There is none.
    Unsolvable,
}

/// Which formula covers a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Both sides at least 4.
    Wide,
    /// One side 3, the other at least 3.
    SideOfThree,
    /// One side 2.
    SideOfTwo,
    /// One side 1.
    SideOfOne,
}

impl Case {
    /// The case of a board.
    #[must_use]
    pub fn of(rows: u32, cols: u32) -> Self {
        match rows.min(cols) {
            0 | 1 => Self::SideOfOne,
            2 => Self::SideOfTwo,
            3 => Self::SideOfThree,
            _ => Self::Wide,
        }
    }

    /// The formula in words, for rows m and columns n.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Wide => {
                "m, n ≥ 4: length ⌊2m/3⌋ + ⌊2n/3⌋; number C(a+b,a)·C(b+i−1,i)·C(a+j−1,j) with m−1 = 3a+i, n−1 = 3b+j, 0 ≤ i,j ≤ 2"
            }
            Self::SideOfThree => {
                "3×n (n ≥ 4): length 2 + ⌊2n/3⌋ and number C(b+1,2) if n = 3b+1, else length 4 + ⌊2n/3⌋ and number 2·C(b+2,3) for n = 3b+2, 2·C(b+1,3) for n = 3b; 3×3: length 8, number 2"
            }
            Self::SideOfTwo => "2×n: length 2k+1 and number k if n = 3k+1 (k ≥ 1), else no solution",
            Self::SideOfOne => "1×n: length 2k and number 1 if n = 3k+1, else no solution",
        }
    }
}

/// States of a full board: u, h and v together.
#[must_use]
pub fn states(rows: u32, cols: u32) -> u64 {
    let (m, n) = (u64::from(rows), u64::from(cols));
    3 * m * n - m - n
}

/// Edges (unordered pairs of states that one move joins) of a full board: 6mn−6m−6n+2 from two rows and columns on.
#[must_use]
pub fn edges(rows: u32, cols: u32) -> u64 {
    let (m, n) = (u64::from(rows), u64::from(cols));
    if m.min(n) >= 2 {
        return 6 * m * n + 2 - 6 * m - 6 * n;
    }
    // In a single row a lying block stands up at either end wherever there is a square, and never rolls.
    2 * m.max(n).saturating_sub(2)
}

/// Length and number of the shortest solutions from u1 to the last u, on a full board.
#[must_use]
pub fn corner_to_corner(rows: u32, cols: u32) -> Verdict {
    let (short, long) = (u64::from(rows.min(cols)), u64::from(rows.max(cols)));
    let solvable = |length, count| Verdict::Solvable(CornerSolutions { length, count });
    match Case::of(rows, cols) {
        Case::SideOfOne | Case::SideOfTwo if long % 3 != 1 => Verdict::Unsolvable,
        Case::SideOfOne => solvable(2 * (long / 3), BigUint::from(1u32)),
        Case::SideOfTwo => solvable(2 * (long / 3) + 1, BigUint::from(long / 3)),
        Case::SideOfThree if long == 3 => solvable(8, BigUint::from(2u32)),
        Case::SideOfThree => {
            let b = long / 3;
            match long % 3 {
                1 => solvable(2 + 2 * long / 3, choose(b + 1, 2)),
                2 => solvable(4 + 2 * long / 3, choose(b + 2, 3) * 2u32),
                _ => solvable(4 + 2 * long / 3, choose(b + 1, 3) * 2u32),
            }
        }
        Case::Wide => {
            let (a, i) = ((short - 1) / 3, (short - 1) % 3);
            let (b, j) = ((long - 1) / 3, (long - 1) % 3);
            let count = choose(a + b, a) * choose(b + i - u64::from(i > 0), i) * choose(a + j - u64::from(j > 0), j);
            solvable(2 * short / 3 + 2 * long / 3, count)
        }
    }
}

fn choose(n: u64, k: u64) -> BigUint {
    if k > n { BigUint::ZERO } else { binomial(BigUint::from(n), BigUint::from(k)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_4096_squared_has_all_its_digits() {
        let Verdict::Solvable(found) = corner_to_corner(4096, 4096) else { panic!("solvable") };
        assert_eq!(found.length, 5460);
        // Stirling: C(2730, 1365) ≈ 2^2730 / √(1365π) = 10^(821.812 − 1.816) = 10^819.996.
        assert_eq!(found.count.to_string().len(), 820);
        assert_eq!(found.count, binomial(BigUint::from(2730u32), BigUint::from(1365u32)));
    }

    #[test]
    fn boards_turn_without_a_change() {
        for (m, n) in (1..30).flat_map(|m| (1..30).map(move |n| (m, n))) {
            assert_eq!(corner_to_corner(m, n), corner_to_corner(n, m), "{m}×{n}");
        }
    }
}
