//! Sets of states as bit masks over the squares, a plane a pose, and the moves of all states of a set at once.

/// A set of states: bit `row · cols + col` of a plane says whether the state with that upper left square is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planes {
    /// Upright.
    pub upright: u64,
    /// Lying along a row.
    pub along_row: u64,
    /// Lying down a column.
    pub down_column: u64,
}

impl Planes {
    /// Whether no state is in it.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.upright | self.along_row | self.down_column == 0
    }

    /// The states of both sets.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self {
            upright: self.upright & other.upright,
            along_row: self.along_row & other.along_row,
            down_column: self.down_column & other.down_column,
        }
    }

    /// The states of either set.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self {
            upright: self.upright | other.upright,
            along_row: self.along_row | other.along_row,
            down_column: self.down_column | other.down_column,
        }
    }

    /// The states of this set that are not in the other.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self {
            upright: self.upright & !other.upright,
            along_row: self.along_row & !other.along_row,
            down_column: self.down_column & !other.down_column,
        }
    }
}

/// The size of the boards, and what keeps moves from wrapping round a row's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
    /// Every square.
    pub all: u64,
    /// Places from a square to the one below it; 63 on a board of 1×64, where whatever this leads to is no state.
    row: u32,
    /// All columns but the last, the last two, the first, the first two.
    but_last: u64,
    but_last_two: u64,
    but_first: u64,
    but_first_two: u64,
}

impl Shape {
    /// Boards of this size; at most 64 squares.
    pub fn new(rows: u32, cols: u32) -> Self {
        let columns = |from: u32, to: u32| {
            let squares = (0..rows).flat_map(|row| (from..to.max(from)).map(move |col| row * cols + col));
            squares.fold(0u64, |set, square| set | 1 << square)
        };
        Self {
            rows,
            cols,
            all: columns(0, cols),
            row: cols.min(63),
            but_last: columns(0, cols.saturating_sub(1)),
            but_last_two: columns(0, cols.saturating_sub(2)),
            but_first: columns(1, cols),
            but_first_two: columns(2, cols),
        }
    }

    /// Squares.
    pub fn squares(&self) -> u32 {
        self.rows * self.cols
    }

    /// What the kernel is told: `all`, `but_last`, `but_last_two`, `but_first`, `but_first_two`, two words each.
    #[expect(clippy::cast_possible_truncation, reason = "split into words")]
    pub fn words(&self) -> Vec<u32> {
        [self.all, self.but_last, self.but_last_two, self.but_first, self.but_first_two]
            .into_iter()
            .flat_map(|set| [set as u32, (set >> 32) as u32])
            .collect()
    }

    #[inline]
    fn down(&self, set: u64) -> u64 {
        set << self.row & self.all
    }

    #[inline]
    fn up(&self, set: u64) -> u64 {
        set >> self.row
    }

    /// Where the states of a set come to by a move, each kind of move apart: four sets, of which the first is met by the
    /// move to the right, the second by that to the left, then up and down. Squares are not looked at.
    #[inline]
    fn moves(&self, from: Planes) -> [Planes; 4] {
        let Planes { upright, along_row, down_column } = from;
        [
            Planes {
                upright: (along_row & self.but_last_two) << 2,
                along_row: (upright & self.but_last_two) << 1,
                down_column: (down_column & self.but_last) << 1,
            },
            Planes {
                upright: (along_row & self.but_first) >> 1,
                along_row: (upright & self.but_first_two) >> 2,
                down_column: (down_column & self.but_first) >> 1,
            },
            Planes {
                upright: self.up(down_column),
                along_row: self.up(along_row),
                down_column: self.up(self.up(upright)),
            },
            Planes {
                upright: self.down(self.down(down_column)),
                along_row: self.down(along_row),
                down_column: self.down(upright),
            },
        ]
    }

    /// The states one move away from a set. Squares are not looked at.
    #[inline]
    pub fn step(&self, from: Planes) -> Planes {
        let [right, left, up, down] = self.moves(from);
        right.or(left).or(up.or(down))
    }

    /// The states one move away from a set, and those of them that are reached in two ways or more, where the states of
    /// `twice` are so themselves.
    #[inline]
    pub fn step_twice(&self, from: Planes, twice: Planes) -> (Planes, Planes) {
        let [right, left, up, down] = self.moves(from);
        let (sides, ends) = (right.or(left), up.or(down));
        let met_twice = right.and(left).or(up.and(down)).or(sides.and(ends));
        (sides.or(ends), met_twice.or(self.step(twice)))
    }

    /// The states of a set that stand on these squares alone.
    #[inline]
    pub fn on(&self, squares: u64, set: Planes) -> Planes {
        Planes {
            upright: set.upright & squares,
            along_row: set.along_row & squares & (squares & self.but_first) >> 1,
            down_column: set.down_column & squares & self.up(squares),
        }
    }

    /// The squares under the states of a set.
    #[inline]
    pub fn under(&self, set: Planes) -> u64 {
        let Planes { upright, along_row, down_column } = set;
        upright | along_row | along_row << 1 | down_column | self.down(down_column)
    }
}
