//! The rules: what an exact difference triangle is, and the check that every solution passes before it is shown.

use std::fmt;

/// A difference triangle that was checked: all entries distinct and in `1..=max`, each entry below two their difference.
///
/// Row `k` has `k` entries, row 1 is the bottom ball, row [`Triangle::order`] the top row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triangle {
    order: usize,
    /// Bottom-up: row 1, row 2, …; row `k` starts at `k (k - 1) / 2`.
    entries: Vec<u16>,
}

/// Where an entry stands: its row (1 is the bottom) and its column (1 is the leftmost).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Row, 1 at the bottom.
    pub row: usize,
    /// Column, 1 at the left.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row, self.column)
    }
}

/// The rule that a claimed triangle breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The number of entries is not n(n+1)/2.
    #[error("{0} entries do not fill a triangle: it takes 1, 3, 6, 10, 15, … of them")]
    Length(usize),
    /// An entry outside `1..=max`.
    #[error("{place}: {value} is not in 1..={max}")]
    Range {
        /// Where it stands.
        place: Place,
        /// What stands there.
        value: u16,
        /// The largest value allowed.
        max: u16,
    },
    /// An entry that stands elsewhere too.
    #[error("{place}: {value} stands at {before} already")]
    Repeated {
        /// Where it stands.
        place: Place,
        /// What stands there.
        value: u16,
        /// Where it was seen first, reading bottom-up.
        before: Place,
    },
    /// An entry that is not the difference of the two above it.
    #[error("{place}: {value} is not the difference of {left} and {right} above it")]
    Difference {
        /// The lower entry's place.
        place: Place,
        /// The lower entry.
        value: u16,
        /// The entry above it on the left.
        left: u16,
        /// The entry above it on the right.
        right: u16,
    },
}

/// Entries in a triangle of `order` rows.
#[must_use]
pub const fn balls(order: usize) -> usize {
    order * (order + 1) / 2
}

impl Triangle {
    /// Checks a claimed triangle, given bottom-up: index 0 is the bottom ball, the last `order` entries are the top row.
    ///
    /// # Errors
    /// The first rule that it breaks, reading bottom-up.
    pub fn check(entries: &[u16], max: u16) -> Result<Self, Violation> {
        let order = (1..=entries.len()).find(|&n| balls(n) >= entries.len()).unwrap_or(1);
        if balls(order) != entries.len() {
            return Err(Violation::Length(entries.len()));
        }
        let triangle = Self { order, entries: entries.to_vec() };
        let places = (1..=order).flat_map(|row| (1..=row).map(move |column| Place { row, column }));
        let mut seen = vec![None; usize::from(max) + 1];
        for (place, &value) in places.zip(entries) {
            if value == 0 || value > max {
                return Err(Violation::Range { place, value, max });
            }
            if let Some(before) = seen[usize::from(value)].replace(place) {
                return Err(Violation::Repeated { place, value, before });
            }
        }
        for (below, above) in triangle.rows().zip(triangle.rows().skip(1)) {
            for (column, (&value, pair)) in below.iter().zip(above.windows(2)).enumerate() {
                if value != pair[0].abs_diff(pair[1]) {
                    let place = Place { row: below.len(), column: column + 1 };
                    return Err(Violation::Difference { place, value, left: pair[0], right: pair[1] });
                }
            }
        }
        Ok(triangle)
    }

    /// The triangle under a top row, if it is an exact one.
    ///
    /// # Errors
    /// The first rule that it breaks, reading bottom-up.
    pub fn from_top_row(top: &[u16], max: u16) -> Result<Self, Violation> {
        let mut rows = vec![top.to_vec()];
        while rows[rows.len() - 1].len() > 1 {
            rows.push(rows[rows.len() - 1].windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect());
        }
        Self::check(&rows.into_iter().rev().flatten().collect::<Vec<_>>(), max)
    }

    /// The number of rows.
    #[must_use]
    pub fn order(&self) -> usize {
        self.order
    }

    /// All entries, bottom-up: index 0 is the bottom ball.
    #[must_use]
    pub fn entries(&self) -> &[u16] {
        &self.entries
    }

    /// The rows, bottom-up; the last one is the top row.
    #[must_use]
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[u16]> + ExactSizeIterator {
        (0..self.order).map(|k| &self.entries[balls(k)..balls(k + 1)])
    }

    /// The top row.
    #[must_use]
    pub fn top_row(&self) -> &[u16] {
        &self.entries[balls(self.order.saturating_sub(1))..]
    }

    /// The mirror image, which is exact as well; of order 1 the triangle itself.
    #[must_use]
    pub fn mirror(&self) -> Self {
        let entries = self.rows().flat_map(|row| row.iter().rev().copied()).collect();
        Self { order: self.order, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The puzzle's own answer, which has been published many times (OEIS A094225 counts it).
    const ANSWER: [u16; 15] = [5, 4, 9, 7, 11, 2, 8, 1, 12, 10, 6, 14, 15, 3, 13];

    #[test]
    fn the_known_answer_is_exact_and_so_is_its_mirror_image() {
        let triangle = Triangle::check(&ANSWER, 15).unwrap();
        assert_eq!(triangle.order(), 5);
        assert_eq!(triangle.top_row(), [6, 14, 15, 3, 13]);
        assert_eq!(Triangle::from_top_row(&[6, 14, 15, 3, 13], 15).unwrap(), triangle);
        let mirror = triangle.mirror();
        assert_eq!(mirror.top_row(), [13, 3, 15, 14, 6]);
        assert_eq!(Triangle::check(mirror.entries(), 15).unwrap().mirror(), triangle);
        assert_eq!(triangle.rows().map(<[u16]>::len).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn each_broken_rule_is_told_with_its_place() {
        let broken = |change: &dyn Fn(&mut Vec<u16>)| {
            let mut entries = ANSWER.to_vec();
            change(&mut entries);
            Triangle::check(&entries, 15).unwrap_err().to_string()
        };
        assert_eq!(broken(&|e| e[10] = 16), "row 5, column 1: 16 is not in 1..=15");
        assert_eq!(broken(&|e| e[0] = 0), "row 1, column 1: 0 is not in 1..=15");
        assert_eq!(broken(&|e| e[4] = 9), "row 3, column 2: 9 stands at row 2, column 2 already");
        assert_eq!(broken(&|e| e.swap(0, 7)), "row 1, column 1: 1 is not the difference of 4 and 9 above it");
        assert!(broken(&|e| e.truncate(14)).starts_with("14 entries do not fill a triangle"));
        assert_eq!(Triangle::check(&[], 3), Err(Violation::Length(0)));
    }

    #[test]
    fn a_top_row_with_a_repeat_below_is_refused() {
        assert_eq!(
            Triangle::from_top_row(&[1, 2, 3], 9).unwrap_err().to_string(),
            "row 1, column 1: 0 is not in 1..=9"
        );
        assert!(matches!(Triangle::from_top_row(&[2, 4], 9), Err(Violation::Repeated { value: 2, .. })));
    }
}
