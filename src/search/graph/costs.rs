//! Costs of the kinds of move, exact: decimals are scaled to whole numbers by a common power of ten.

use crate::excerpt::excerpt;

/// The largest scaled cost: with fewer than 2^26 states a path then costs less than 2^63.
pub const MAX_SCALED: u64 = 1 << 37;

/// More digits after the point than any cost that is taken has.
const MOST_DECIMALS: usize = 1000;

/// A cost for each kind of move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    scaled: Vec<u64>,
    decimals: u32,
}

/// Why costs can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    /// Not a decimal number.
    #[error("{0:?} is not a cost: expected a whole number or a decimal above 0, e.g. 2 or 0.5")]
    Form(String),
    /// Zero.
    #[error(
        "a cost of {0} is not allowed: costs are above 0 (moves that cost nothing could be repeated for ever, and the number of cheapest paths would be infinite)"
    )]
    NotPositive(String),
    /// More digits than exact arithmetic in 64 bits allows.
    #[error(
        "the costs have too many digits: scaled to whole numbers (×10^{decimals}) each must be at most {MAX_SCALED}"
    )]
    TooLong {
        /// Digits after the point that the scale must hold.
        decimals: usize,
    },
}

impl Costs {
    /// Every move costs one.
    #[must_use]
    pub fn unit(kinds: usize) -> Self {
        Self { scaled: vec![1; kinds], decimals: 0 }
    }

    /// Reads a cost per kind of move.
    ///
    /// # Errors
    /// When one is not a decimal number, is not above 0, or has too many digits.
    pub fn read(texts: &[&str]) -> Result<Self, CostError> {
        let parts = texts
            .iter()
            .map(|text| {
                let form = || CostError::Form(excerpt(text));
                let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
                let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
                if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
                    return Err(form());
                }
                Ok((whole, fraction.trim_end_matches('0')))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let decimals = parts.iter().map(|(_, fraction)| fraction.len()).max().unwrap_or(0);
        // No cost above 0 is that small; the scale below is then within what formatting takes.
        if decimals > MOST_DECIMALS {
            return Err(CostError::TooLong { decimals });
        }
        let mut scaled = Vec::with_capacity(parts.len());
        for ((whole, fraction), text) in parts.iter().zip(texts) {
            let digits = format!("{whole}{fraction:0<decimals$}");
            let digits = digits.trim_start_matches('0');
            if digits.is_empty() {
                return Err(CostError::NotPositive(excerpt(text)));
            }
            let value = (digits.len() < 19).then(|| digits.parse::<u64>().ok()).flatten();
            scaled.push(value.filter(|&v| v <= MAX_SCALED).ok_or(CostError::TooLong { decimals })?);
        }
        Ok(Self { scaled, decimals: u32::try_from(decimals).map_err(|_| CostError::TooLong { decimals })? })
    }

    /// The cost of a kind of move, in units of 10^−`decimals`.
    #[must_use]
    pub fn of(&self, kind: u8) -> u64 {
        self.scaled[usize::from(kind)]
    }

    /// The scaled costs by kind.
    #[must_use]
    pub fn scaled(&self) -> &[u64] {
        &self.scaled
    }

    /// Whether all kinds cost the same, so that a cheapest path is a shortest one.
    #[must_use]
    pub fn uniform(&self) -> Option<u64> {
        let first = *self.scaled.first()?;
        self.scaled.iter().all(|&cost| cost == first).then_some(first)
    }

    /// Whether every kind costs exactly 1.
    #[must_use]
    pub fn is_unit(&self) -> bool {
        self.decimals == 0 && self.uniform() == Some(1)
    }

    /// A scaled cost as an exact decimal.
    #[must_use]
    pub fn show(&self, scaled: u64) -> String {
        let width = self.decimals as usize;
        let digits = format!("{scaled:0>width$}", width = width + 1);
        let (whole, fraction) = digits.split_at(digits.len() - width);
        match fraction.trim_end_matches('0') {
            "" => whole.into(),
            fraction => format!("{whole}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_scaled_exactly_and_shown_again() {
        let costs = Costs::read(&["1", "0.25", "1.5"]).unwrap();
        assert_eq!(costs.scaled(), [100, 25, 150]);
        assert_eq!(costs.show(275), "2.75");
        assert_eq!(costs.show(1000), "10");
        assert_eq!(costs.show(5), "0.05");
        assert_eq!(Costs::read(&[".5", "2.", "1.0"]).unwrap().scaled(), [5, 20, 10]);
    }

    #[test]
    fn costs_that_are_no_positive_decimals_are_refused() {
        for bad in ["", ".", "-1", "1e3", "a", "1.2.3", "+1", "0x1", "inf", "NaN"] {
            assert!(matches!(Costs::read(&[bad]), Err(CostError::Form(_))), "{bad}");
        }
        for zero in ["0", "0.00", ".0"] {
            assert!(matches!(Costs::read(&[zero]), Err(CostError::NotPositive(_))), "{zero}");
        }
        for long in ["137438953473", "0.00000000000000000001", "99999999999999999999999"] {
            assert!(matches!(Costs::read(&[long, "1"]), Err(CostError::TooLong { .. })), "{long}");
        }
        let endless = format!("0.{}1", "0".repeat(70_000));
        assert!(matches!(Costs::read(&[&endless]), Err(CostError::TooLong { decimals: 70_001 })));
    }
}
