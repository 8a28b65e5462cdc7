//! Stages made at random from a seed: the same seed and wishes make the same stage, everywhere.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Operation, Splitter, Square, Stage, Switch, Tile};
use crate::puzzles::braincube::State;

/// What a stage is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wishes {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Switches, half of them heavy.
    pub switches: usize,
    /// Bridge squares.
    pub bridges: usize,
    /// Fragile squares.
    pub fragile: usize,
    /// Whether there is a splitter.
    pub split: bool,
}

impl Wishes {
    /// Squares that are more than plain floor.
    #[must_use]
    pub fn special(&self) -> usize {
        // The start, the goal, the splitter.
        let wishes = [self.switches, self.bridges, self.fragile, usize::from(self.split)];
        wishes.into_iter().fold(2, usize::saturating_add)
    }
}

/// Makes stages, and changes them a little.
pub struct Maker {
    wishes: Wishes,
    random: ChaCha8Rng,
}

impl Maker {
    /// Stages of these wishes.
    #[must_use]
    pub fn new(wishes: Wishes, seed: u64) -> Self {
        Self { wishes, random: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// A number below `bound`, of which there are few enough that the remainder's bias does not matter.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(1);
        usize::try_from(self.random.next_u64() % bound).unwrap_or(0)
    }

    fn any_square(&mut self) -> Square {
        (self.below(self.wishes.rows), self.below(self.wishes.cols))
    }

    /// A square of plain floor, where the stage has one.
    fn floor(&mut self, stage: &Stage) -> Option<Square> {
        let start = (stage.start.row as usize, stage.start.col as usize);
        let floor: Vec<Square> =
            stage.squares().filter(|&(at, tile)| tile == Tile::Floor && at != start).map(|(at, _)| at).collect();
        (!floor.is_empty()).then(|| floor[self.below(floor.len())])
    }

    /// A stage at random, about three quarters of its squares there. It may have no solution.
    #[must_use]
    pub fn stage(&mut self) -> Stage {
        let Wishes { rows, cols, switches, bridges, fragile, split } = self.wishes;
        let mut tiles = vec![vec![Tile::Floor; cols]; rows];
        let start = self.any_square();
        let small = |value: usize| u32::try_from(value).unwrap_or(0);
        let upright = State::upright(small(start.0), small(start.1));
        // As many holes as leave room for everything else.
        let room = (rows * cols).saturating_sub(self.wishes.special());
        for _ in 0..(rows * cols / 4).min(room) {
            let (row, col) = self.any_square();
            if (row, col) != start {
                tiles[row][col] = Tile::Void;
            }
        }
        let mut stage =
            Stage { name: String::new(), tiles, start: upright, switches: Vec::new(), splitters: Vec::new() };
        let place = |maker: &mut Self, stage: &mut Stage, tile: Tile| {
            if let Some((row, col)) = maker.floor(stage) {
                stage.tiles[row][col] = tile;
            }
        };
        place(self, &mut stage, Tile::Goal);
        for _ in 0..bridges {
            let on = self.below(3) == 0;
            place(self, &mut stage, Tile::Bridge { on });
        }
        for number in 0..switches {
            place(self, &mut stage, if number % 2 == 0 { Tile::Soft } else { Tile::Heavy });
        }
        for _ in 0..fragile {
            place(self, &mut stage, Tile::Fragile);
        }
        if split {
            place(self, &mut stage, Tile::Splitter);
        }
        self.wire(&mut stage);
        stage
    }

    /// Gives every switch its effects and every splitter its places, all anew.
    fn wire(&mut self, stage: &mut Stage) {
        let of = |stage: &Stage, wanted: fn(Tile) -> bool| -> Vec<Square> {
            stage.squares().filter(|&(_, tile)| wanted(tile)).map(|(at, _)| at).collect()
        };
        let bridges = of(stage, |tile| matches!(tile, Tile::Bridge { .. }));
        stage.switches.clear();
        for at in of(stage, |tile| matches!(tile, Tile::Soft | Tile::Heavy)) {
            let mut effects = Vec::new();
            for _ in 0..if bridges.is_empty() { 0 } else { 1 + self.below(2) } {
                let operation = [Operation::On, Operation::Toggle, Operation::Toggle, Operation::Off][self.below(4)];
                effects.push((operation, vec![bridges[self.below(bridges.len())]]));
            }
            stage.switches.push(Switch { at, effects });
        }
        stage.splitters.clear();
        for at in of(stage, |tile| tile == Tile::Splitter) {
            if let (Some(active), Some(other)) = (self.floor(stage), self.floor(stage)) {
                stage.splitters.push(Splitter { at, to: [active, other] });
            }
        }
    }

    /// The stage with two squares exchanged, or a square made or unmade, or all switches wired anew.
    #[must_use]
    pub fn changed(&mut self, stage: &Stage) -> Stage {
        let mut stage = stage.clone();
        let start = (stage.start.row as usize, stage.start.col as usize);
        match self.below(8) {
            0 => self.wire(&mut stage),
            1..=3 => {
                let (row, col) = self.any_square();
                let tile = &mut stage.tiles[row][col];
                match tile {
                    Tile::Floor if (row, col) != start => *tile = Tile::Void,
                    Tile::Void => *tile = Tile::Floor,
                    _ => {}
                }
                if stage.splitters.iter().any(|splitter| splitter.to.contains(&(row, col))) {
                    self.wire(&mut stage);
                }
            }
            _ => {
                let (one, other) = (self.any_square(), self.any_square());
                if one != start && other != start {
                    let moved = |at: Square| {
                        if at == one {
                            other
                        } else if at == other {
                            one
                        } else {
                            at
                        }
                    };
                    let tile = stage.tile(one);
                    stage.tiles[one.0][one.1] = stage.tile(other);
                    stage.tiles[other.0][other.1] = tile;
                    for switch in &mut stage.switches {
                        switch.at = moved(switch.at);
                        for (_, cells) in &mut switch.effects {
                            for cell in cells.iter_mut() {
                                *cell = moved(*cell);
                            }
                        }
                    }
                    for splitter in &mut stage.splitters {
                        splitter.at = moved(splitter.at);
                        splitter.to = splitter.to.map(moved);
                    }
                }
            }
        }
        stage
    }
}
