//! Exact solutions as reduced fractions, by elimination modulo many primes.
//!
//! By Cramer's rule the wanted unknown is a quotient of two determinants, whole numbers with known bounds: the denominator's
//! is the product of the diagonal (Hadamard, for a positive definite matrix), the numerator's is Hadamard's product of the
//! columns' lengths. Both are computed modulo enough primes to be known exactly, so that no fraction has to be guessed.

use std::collections::VecDeque;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use rayon::prelude::*;

use super::modular::{Field, primes};
use super::network::Network;

/// Multiplications above which an exact solution is refused: a few minutes on two cores.
pub const WORK_LIMIT: f64 = 2e11;

/// A fraction in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// Above the line.
    pub numerator: BigUint,
    /// Below the line, at least 1.
    pub denominator: BigUint,
}

impl Fraction {
    /// Reduces a fraction.
    ///
    /// # Panics
    /// When the denominator is 0.
    #[must_use]
    pub fn reduced(numerator: BigUint, denominator: BigUint) -> Self {
        let common = numerator.gcd(&denominator);
        Self { numerator: numerator / &common, denominator: denominator / common }
    }

    /// The nearest double, or one next to it.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        // A quotient of at least 65 bits, so that cutting it off costs less than the rounding to a double.
        let bits = |number: &BigUint| i64::try_from(number.bits()).unwrap_or(i64::MAX);
        let shift = (66 - bits(&self.numerator) + bits(&self.denominator)).max(0);
        let quotient = (&self.numerator << shift.unsigned_abs()) / &self.denominator;
        // In two steps, so that the power of two alone does not underflow.
        let half = i32::try_from(shift / 2).unwrap_or(i32::MAX);
        let rest = i32::try_from(shift - shift / 2).unwrap_or(i32::MAX);
        quotient.to_f64().unwrap_or(f64::INFINITY) * 2f64.powi(-half) * 2f64.powi(-rest)
    }

    /// A whole number.
    #[must_use]
    pub fn whole(value: u32) -> Self {
        Self { numerator: value.into(), denominator: BigUint::one() }
    }
}

impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.denominator.is_one() {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

/// Why no exact solution was computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExactError {
    /// It would take too long.
    #[error(
        "exact fractions of {unknowns} unknowns would take about {work:.0e} multiplications, past the limit of {WORK_LIMIT:.0e}; \
         boards up to about 30×30 are within it"
    )]
    TooLarge {
        /// Unknowns.
        unknowns: usize,
        /// Multiplications.
        work: f64,
    },
    /// The value for one more prime disagrees: a fault of the machine or of this program.
    #[error("the exact solution failed its check modulo one more prime")]
    Check,
}

/// The unknown `wanted` of the solutions for several right-hand sides of whole numbers.
///
/// # Errors
/// When the system is too large, or the check fails.
///
/// # Panics
/// When a right-hand side is shorter than the network.
pub fn solve(network: &Network, sides: &[Vec<u32>], wanted: usize) -> Result<Vec<Fraction>, ExactError> {
    let n = network.len();
    let order = towards(network, wanted);
    let mut place = vec![usize::MAX; n];
    for (at, &unknown) in order.iter().enumerate() {
        place[unknown] = at;
    }
    let band = order
        .iter()
        .enumerate()
        .flat_map(|(at, &unknown)| {
            let place = &place;
            network.neighbours(unknown).iter().map(move |&j| at.abs_diff(place[j as usize]))
        })
        .max()
        .unwrap_or(0);
    let bits = bits_needed(network, sides, &order);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let needed = (bits / 61.0).ceil() as usize + 1;
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let work = order.len() as f64 * (band as f64 + 1.0).powi(2) / 2.0 * needed as f64;
    if work > WORK_LIMIT {
        return Err(ExactError::TooLarge { unknowns: n, work });
    }
    // One prime more than needed, for the check; a prime that divides a pivot is passed over.
    let mut candidates = primes();
    let mut residues: Vec<(u64, Vec<u64>)> = Vec::new();
    while residues.len() <= needed {
        let batch: Vec<u64> = candidates.by_ref().take(needed + 1 - residues.len()).collect();
        residues.extend(
            batch
                .par_iter()
                .filter_map(|&p| Some((p, modulo(network, sides, &order, &place, band, p)?)))
                .collect::<Vec<_>>(),
        );
    }
    let (check_prime, check) = residues.pop().ok_or(ExactError::Check)?;
    let values: Vec<BigUint> = (0..=sides.len()).into_par_iter().map(|k| combine(&residues, k)).collect();
    if values.iter().zip(&check).any(|(value, &residue)| value % check_prime != BigUint::from(residue)) {
        return Err(ExactError::Check);
    }
    Ok(values[1..].iter().map(|numerator| Fraction::reduced(numerator.clone(), values[0].clone())).collect())
}

/// The unknowns that bear on `wanted`, farthest first, so that it is eliminated last and the band is narrow
/// (Cuthill and `McKee` 1969, reversed).
fn towards(network: &Network, wanted: usize) -> Vec<usize> {
    let mut seen = vec![false; network.len()];
    seen[wanted] = true;
    let mut queue = VecDeque::from([wanted]);
    let mut order = Vec::with_capacity(network.len());
    while let Some(unknown) = queue.pop_front() {
        order.push(unknown);
        let mut next: Vec<usize> = network.neighbours(unknown).iter().map(|&j| j as usize).collect();
        next.sort_by_key(|&j| network.neighbours(j).len());
        for j in next {
            if !std::mem::replace(&mut seen[j], true) {
                queue.push_back(j);
            }
        }
    }
    order.reverse();
    order
}

/// Bits that hold the denominator and every numerator.
fn bits_needed(network: &Network, sides: &[Vec<u32>], order: &[usize]) -> f64 {
    let mut denominator = 0.0;
    let mut columns = 0.0;
    for &i in order {
        let d = f64::from(network.diagonal(i));
        #[expect(clippy::cast_precision_loss, reason = "degrees are small")]
        let links = network.neighbours(i).len() as f64;
        denominator += d.log2();
        columns += (d * d + links).log2() / 2.0;
    }
    let side = |b: &Vec<u32>| order.iter().map(|&i| f64::from(b[i]).powi(2)).sum::<f64>().max(1.0).log2() / 2.0;
    let numerator = columns + sides.iter().map(side).fold(0.0, f64::max);
    // Two bits for the rounding of this sum.
    denominator.max(numerator) + 2.0
}

/// Modulo a prime: the determinant, then for each side the determinant times the wanted unknown. None when a pivot vanishes.
fn modulo(
    network: &Network,
    sides: &[Vec<u32>],
    order: &[usize],
    place: &[usize],
    band: usize,
    p: u64,
) -> Option<Vec<u64>> {
    let field = Field::new(p);
    let (n, width) = (order.len(), band + 1);
    // The lower triangle by columns: entry (k + i, k) at k·width + i.
    let mut lower = vec![0u64; n * width];
    for (k, &unknown) in order.iter().enumerate() {
        lower[k * width] = field.enter(u64::from(network.diagonal(unknown)));
        for &j in network.neighbours(unknown) {
            let at = place[j as usize];
            if at > k {
                let entry = &mut lower[k * width + at - k];
                *entry = field.sub(*entry, field.enter(1));
            }
        }
    }
    let mut rhs: Vec<Vec<u64>> =
        sides.iter().map(|b| order.iter().map(|&i| field.enter(u64::from(b[i]))).collect()).collect();
    let mut determinant = field.enter(1);
    for k in 0..n {
        let (done, rest) = lower.split_at_mut((k + 1) * width);
        let column = &done[k * width..];
        if column[0] == 0 {
            return None;
        }
        determinant = field.mul(determinant, column[0]);
        let inverse = field.inverse(column[0]);
        let reach = width.min(n - k);
        for i in 1..reach {
            if column[i] == 0 {
                continue;
            }
            let factor = field.mul(column[i], inverse);
            let target = &mut rest[(i - 1) * width..i * width];
            for (value, &entry) in target.iter_mut().zip(&column[i..reach]) {
                *value = field.sub(*value, field.mul(factor, entry));
            }
            for b in &mut rhs {
                b[k + i] = field.sub(b[k + i], field.mul(factor, b[k]));
            }
        }
    }
    let last = field.inverse(lower[(n - 1) * width]);
    let mut values = vec![field.leave(determinant)];
    values.extend(rhs.iter().map(|b| field.leave(field.mul(determinant, field.mul(b[n - 1], last)))));
    Some(values)
}

/// The number below the product of the primes that has these residues (Garner's mixed radix).
fn combine(residues: &[(u64, Vec<u64>)], which: usize) -> BigUint {
    let mut value = BigUint::ZERO;
    let mut product = BigUint::one();
    for (p, values) in residues {
        let field = Field::new(*p);
        let word = |number: &BigUint| (number % *p).iter_u64_digits().next().unwrap_or(0);
        let gap = field.sub(values[which], word(&value));
        let digit = field.leave(field.mul(field.enter(gap), field.inverse(field.enter(word(&product)))));
        value += &product * digit;
        product *= *p;
    }
    value
}
