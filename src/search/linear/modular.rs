//! Arithmetic modulo a prime below 2^62, in Montgomery's form, and the primes themselves.
//! Montgomery, *Modular multiplication without trial division*, Mathematics of Computation 44 (1985).

/// An odd modulus with its constants. Numbers are kept as `x·2^64 mod p`, below `p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    p: u64,
    /// `−p⁻¹ mod 2^64`.
    negative_inverse: u64,
    /// `2^128 mod p`.
    square: u64,
}

impl Field {
    /// The field of an odd number below 2^62.
    #[must_use]
    pub fn new(p: u64) -> Self {
        debug_assert!(p % 2 == 1 && p < 1 << 62);
        // Newton: each step doubles the number of right bits, p being its own inverse in three of them.
        let mut inverse = p;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
        }
        #[expect(clippy::cast_possible_truncation, reason = "a remainder modulo p fits")]
        let square = ((u128::MAX % u128::from(p) + 1) % u128::from(p)) as u64;
        Self { p, negative_inverse: inverse.wrapping_neg(), square }
    }

    /// The modulus.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.p
    }

    /// `a·b/2^64`.
    #[inline]
    #[must_use]
    pub fn mul(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        #[expect(clippy::cast_possible_truncation, reason = "the low word is meant")]
        let q = (product as u64).wrapping_mul(self.negative_inverse);
        let reduced = ((product + u128::from(q) * u128::from(self.p)) >> 64) as u64;
        if reduced >= self.p { reduced - self.p } else { reduced }
    }

    /// `a − b`.
    #[inline]
    #[must_use]
    pub fn sub(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.p - b }
    }

    /// Into Montgomery's form.
    #[must_use]
    pub fn enter(&self, value: u64) -> u64 {
        self.mul(value % self.p, self.square)
    }

    /// Out of Montgomery's form.
    #[must_use]
    pub fn leave(&self, value: u64) -> u64 {
        self.mul(value, 1)
    }

    /// A power.
    #[must_use]
    pub fn pow(&self, mut base: u64, mut exponent: u64) -> u64 {
        let mut result = self.enter(1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        result
    }

    /// The inverse of a number that is not 0, the modulus being prime.
    #[must_use]
    pub fn inverse(&self, value: u64) -> u64 {
        self.pow(value, self.p - 2)
    }
}

/// The primes below 2^62, largest first.
pub fn primes() -> impl Iterator<Item = u64> {
    (0..).map(|k| (1u64 << 62) - 1 - 2 * k).filter(|&n| is_prime(n))
}

/// Miller's test with the first twelve primes as bases, which errs on no number below 2^64 (Sorenson and Webster, 2017).
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 38 || BASES.iter().any(|&b| n.is_multiple_of(b)) {
        return BASES.contains(&n);
    }
    let field = Field::new(n);
    let twos = (n - 1).trailing_zeros();
    let (one, minus_one) = (field.enter(1), field.enter(n - 1));
    BASES.iter().all(|&base| {
        let mut power = field.pow(field.enter(base), (n - 1) >> twos);
        if power == one {
            return true;
        }
        for _ in 0..twos {
            if power == minus_one {
                return true;
            }
            power = field.mul(power, power);
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_largest_primes_below_2_to_the_62_are_known() {
        // 2^62 − 57 is the largest prime below 2^62, 2^62 − 87 the next (OEIS A013603 and the list of primes 2^n − k).
        let found: Vec<u64> = primes().take(2).map(|p| (1 << 62) - p).collect();
        assert_eq!(found, [57, 87]);
    }

    #[test]
    fn small_numbers_are_told_prime_or_not() {
        let sieve = |n: u64| n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
        for n in (3..2000).step_by(2) {
            assert_eq!(is_prime(n), sieve(n), "{n}");
        }
    }

    proptest! {
        #[test]
        fn montgomery_products_are_products(a in any::<u64>(), b in any::<u64>()) {
            let field = Field::new((1 << 62) - 57);
            let p = field.modulus();
            let product = field.leave(field.mul(field.enter(a), field.enter(b)));
            prop_assert_eq!(u128::from(product), u128::from(a % p) * u128::from(b % p) % u128::from(p));
            if a % p != 0 {
                let inverse = field.inverse(field.enter(a));
                prop_assert_eq!(field.leave(field.mul(inverse, field.enter(a))), 1);
            }
        }
    }
}
