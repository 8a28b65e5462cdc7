//! The rules, on states packed into 64 bits.

use super::{MAX_BRIDGES, MAX_SIDE, Operation, Square, Stage, Tile};
use crate::puzzles::braincube::state::roll;
use crate::puzzles::braincube::{Move, Pose, State as Place};
use crate::puzzles::packed_graph::PackedGraph;

/// The label of an exchange; those of moves are their numbers.
pub const EXCHANGE: u8 = 4;

/// A state, packed: the active piece's square in bits 0 to 11, the other cube's in 12 to 23, the kind of piece in 24 and 25,
/// and from bit 26 the bridges that are on, in the order of their squares.
pub type State = u64;

pub(super) const OTHER: u32 = 12;
const KIND: u32 = 24;
pub(super) const BRIDGES: u32 = 26;
const SQUARE: u64 = 0xfff;
/// The kind of two cubes; those of a block are its pose's number.
const SPLIT: u64 = 3;

/// The pieces of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The whole block.
    Block(Place),
    /// Two cubes.
    Cubes {
        /// The one that moves.
        active: Square,
        /// The one that rests.
        other: Square,
    },
}

/// Why a stage can't be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are places, and the messages say what each is")]
pub enum StageError {
    /// No squares, or too many.
    #[error("a stage of {rows}×{cols} squares is out of range: rows and columns go from 1 to {MAX_SIDE}")]
    Size { rows: usize, cols: usize },
    /// Too many bridges.
    #[error("{count} bridge squares: a stage has {MAX_BRIDGES} at most")]
    TooManyBridges { count: usize },
    /// The start is not on squares.
    #[error("the start reaches over row {}, column {} (from 0), where nothing is to stand on", at.0, at.1)]
    Start { at: Square },
    /// No goal.
    #[error("no goal: expected a square marked as the goal, e.g. G")]
    NoGoal,
    /// A switch where none is drawn.
    #[error("a switch at row {}, column {} (from 0), where the grid has none: expected s (soft) or H (heavy) there", at.0, at.1)]
    NoSwitch { at: Square },
    /// Two descriptions of one switch or splitter.
    #[error("row {}, column {} (from 0) is described twice", at.0, at.1)]
    Twice { at: Square },
    /// An effect on what is no bridge.
    #[error(
        "the switch at row {}, column {} (from 0) acts on row {}, column {}, where the grid has no bridge: expected - (off) or = (on) there",
        at.0, at.1, cell.0, cell.1
    )]
    NoBridge { at: Square, cell: Square },
    /// A splitter's description where none is drawn, or the other way round.
    #[error("row {}, column {} (from 0): a splitter needs both a T in the grid and two places to put the cubes", at.0, at.1)]
    Splitter { at: Square },
    /// A splitter that puts both cubes on one square or off the stage.
    #[error(
        "the splitter at row {}, column {} (from 0) puts a cube on row {}, column {}: expected two different squares of the stage",
        at.0, at.1, to.0, to.1
    )]
    SplitterPlace { at: Square, to: Square },
}

/// What a square does, looked up by its number.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a square may be any of these at once")]
pub(super) struct Ground {
    /// There at all; a bridge is while its bit is set in `needs`.
    pub(super) solid: bool,
    /// The bit of its bridge, or 0.
    pub(super) needs: u64,
    pub(super) fragile: bool,
    pub(super) heavy: bool,
    pub(super) goal: bool,
    /// The bridges after its switch: those on before and in `keep`, those in `flip` changed.
    pub(super) keep: u64,
    pub(super) flip: u64,
    /// Where it splits the block.
    pub(super) splits: Option<[u64; 2]>,
}

/// A stage made ready to be played and searched.
#[derive(Clone, Debug)]
pub struct Rules {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) ground: Vec<Ground>,
    pub(super) start: State,
    pub(super) bridges: Vec<Square>,
    pub(super) splits: bool,
    /// Where a roll of the block comes to lie, by square, pose and move: its first square and its last, or [`OFF`].
    pub(super) rolls: Vec<[u16; 2]>,
    /// Where a cube rolls to, by square and move, or [`OFF`].
    pub(super) steps: Vec<u16>,
}

/// Off the stage.
const OFF: u16 = u16::MAX;

impl Rules {
    /// Makes a stage ready.
    ///
    /// # Errors
    /// When it contradicts itself.
    #[expect(clippy::too_many_lines, reason = "one check after another")]
    pub fn new(stage: &Stage) -> Result<Self, StageError> {
        let (rows, cols) = (stage.rows(), stage.cols());
        if rows == 0 || cols == 0 || rows > MAX_SIDE || cols > MAX_SIDE {
            return Err(StageError::Size { rows, cols });
        }
        let bridges: Vec<Square> =
            stage.squares().filter(|(_, tile)| matches!(tile, Tile::Bridge { .. })).map(|(at, _)| at).collect();
        if bridges.len() > MAX_BRIDGES {
            return Err(StageError::TooManyBridges { count: bridges.len() });
        }
        let bit = |at: Square| bridges.iter().position(|&bridge| bridge == at).map_or(0, |place| 1u64 << place);
        let mut ground: Vec<Ground> = stage
            .squares()
            .map(|(at, tile)| Ground {
                solid: tile != Tile::Void,
                needs: bit(at),
                fragile: tile == Tile::Fragile,
                heavy: tile == Tile::Heavy,
                goal: tile == Tile::Goal,
                keep: !0,
                flip: 0,
                splits: None,
            })
            .collect();
        if !ground.iter().any(|ground| ground.goal) {
            return Err(StageError::NoGoal);
        }
        let number = |(row, col): Square| row * cols + col;
        let short = |at: Square| u16::try_from(number(at)).unwrap_or(OFF);
        for (place, switch) in stage.switches.iter().enumerate() {
            let at = switch.at;
            if !matches!(stage.tile(at), Tile::Soft | Tile::Heavy) {
                return Err(StageError::NoSwitch { at });
            }
            if stage.switches[..place].iter().any(|other| other.at == at) {
                return Err(StageError::Twice { at });
            }
            let Ground { keep, flip, .. } = &mut ground[number(at)];
            for (operation, cells) in &switch.effects {
                for &cell in cells {
                    let bit = bit(cell);
                    if bit == 0 {
                        return Err(StageError::NoBridge { at, cell });
                    }
                    match operation {
                        Operation::On => (*keep, *flip) = (*keep & !bit, *flip | bit),
                        Operation::Off => (*keep, *flip) = (*keep & !bit, *flip & !bit),
                        Operation::Toggle => *flip ^= bit,
                    }
                }
            }
        }
        for splitter in &stage.splitters {
            let at = splitter.at;
            if stage.tile(at) != Tile::Splitter {
                return Err(StageError::Splitter { at });
            }
            if ground[number(at)].splits.is_some() {
                return Err(StageError::Twice { at });
            }
            for to in splitter.to {
                if stage.tile(to) == Tile::Void || splitter.to[0] == splitter.to[1] {
                    return Err(StageError::SplitterPlace { at, to });
                }
            }
            ground[number(at)].splits = Some(splitter.to.map(|to| number(to) as u64));
        }
        for (at, tile) in stage.squares() {
            if tile == Tile::Splitter && ground[number(at)].splits.is_none() {
                return Err(StageError::Splitter { at });
            }
        }
        let on = stage
            .squares()
            .fold(0, |on, (at, tile)| on | if tile == (Tile::Bridge { on: true }) { bit(at) } else { 0 });
        let away = |(row, col): Square, rows_on: i32, cols_on: i32| {
            let row = row.checked_add_signed(rows_on as isize).filter(|&row| row < rows)?;
            let col = col.checked_add_signed(cols_on as isize).filter(|&col| col < cols)?;
            Some((row, col))
        };
        let (mut rolls, mut steps) = (Vec::new(), Vec::new());
        for (at, _) in stage.squares() {
            for pose in Pose::ALL {
                rolls.extend(Move::ALL.map(|direction| {
                    let (next, rows_on, cols_on) = roll(pose, direction);
                    let first = away(at, rows_on, cols_on);
                    let last = match next {
                        Pose::Upright => first,
                        Pose::AlongRow => first.and_then(|first| away(first, 0, 1)),
                        Pose::DownColumn => first.and_then(|first| away(first, 1, 0)),
                    };
                    [first, last].map(|square| square.map_or(OFF, short))
                }));
            }
            let one = |(rows_on, cols_on)| away(at, rows_on, cols_on).map_or(OFF, short);
            steps.extend([(0, -1), (0, 1), (-1, 0), (1, 0)].map(one));
        }
        let splits = !stage.splitters.is_empty();
        let mut rules = Self { rows, cols, ground, start: 0, bridges, splits, rolls, steps };
        for (row, col) in stage.start.squares() {
            let at = (row as usize, col as usize);
            let inside = at.0 < rows && at.1 < cols;
            if !inside || !rules.is_there(number(at) as u64, on) {
                return Err(StageError::Start { at });
            }
        }
        let square = number((stage.start.row as usize, stage.start.col as usize)) as u64;
        rules.start = square | (stage.start.pose as u64) << KIND | on << BRIDGES;
        Ok(rules)
    }

    /// The start.
    #[must_use]
    pub fn start(&self) -> State {
        self.start
    }

    /// Rows and columns.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Places of the pieces: those of the block in its three poses, and those of two cubes where there is a splitter.
    pub(super) fn places(&self) -> u64 {
        let squares = self.ground.len() as u64;
        3 * squares + if self.splits { squares * squares } else { 0 }
    }

    fn square(&self, number: u64) -> Square {
        #[expect(clippy::cast_possible_truncation, reason = "twelve bits")]
        let number = number as usize;
        (number / self.cols, number % self.cols)
    }

    /// The pieces of a state.
    #[must_use]
    pub fn piece(&self, state: State) -> Piece {
        let active = self.square(state & SQUARE);
        #[expect(clippy::cast_possible_truncation, reason = "squares are below 64 by 64, kinds below 4")]
        match state >> KIND & 3 {
            SPLIT => Piece::Cubes { active, other: self.square(state >> OTHER & SQUARE) },
            pose => Piece::Block(Place { pose: Pose::ALL[pose as usize], row: active.0 as u32, col: active.1 as u32 }),
        }
    }

    /// The bridges that are on in a state.
    pub fn bridges(&self, state: State) -> impl Iterator<Item = (Square, bool)> + '_ {
        self.bridges.iter().enumerate().map(move |(place, &at)| (at, state >> BRIDGES >> place & 1 == 1))
    }

    /// Whether the block has won.
    #[must_use]
    pub fn is_won(&self, state: State) -> bool {
        state >> KIND & 3 == Pose::Upright as u64 && self.at(state & SQUARE).goal
    }

    fn at(&self, square: u64) -> &Ground {
        #[expect(clippy::cast_possible_truncation, reason = "twelve bits")]
        &self.ground[square as usize]
    }

    fn is_there(&self, square: u64, bridges: u64) -> bool {
        let ground = self.at(square);
        ground.solid && ground.needs & !bridges == 0
    }

    /// The state after a move of the active piece or an exchange, where that is legal.
    #[must_use]
    pub fn after(&self, state: State, label: u8) -> Option<State> {
        let (kind, bridges) = (state >> KIND & 3, state >> BRIDGES);
        if kind == SPLIT {
            let (active, other) = (state & SQUARE, state >> OTHER & SQUARE);
            if label == EXCHANGE {
                return Some(state & !0xff_ffff | other | active << OTHER);
            }
            return self.after_cube(active, other, bridges, label);
        }
        if label == EXCHANGE {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "two bits and twelve")]
        let (pose, square) = (kind as usize, (state & SQUARE) as usize);
        let [first, second] = self.rolls[(square * 3 + pose) * 4 + usize::from(label)];
        if first == OFF || second == OFF {
            return None;
        }
        let pose = roll(Pose::ALL[pose], Move::from_number(label)).0;
        let (first, second) = (u64::from(first), u64::from(second));
        let there = |bridges: u64| self.is_there(first, bridges) && self.is_there(second, bridges);
        if !there(bridges) {
            return None;
        }
        let upright = pose == Pose::Upright;
        let ground = self.at(first);
        if upright && ground.fragile {
            return None;
        }
        let mut after = self.act(first, upright, bridges);
        if !upright {
            after = self.act(second, false, after);
        }
        if !there(after) {
            return None;
        }
        match ground.splits {
            Some([active, other]) if upright => self.place_cubes(active, other, after),
            _ => Some(first | (pose as u64) << KIND | after << BRIDGES),
        }
    }

    fn act(&self, square: u64, upright: bool, bridges: u64) -> u64 {
        let ground = self.at(square);
        if ground.heavy && !upright { bridges } else { bridges & ground.keep ^ ground.flip }
    }

    fn after_cube(&self, active: u64, other: u64, bridges: u64, label: u8) -> Option<State> {
        #[expect(clippy::cast_possible_truncation, reason = "twelve bits")]
        let to = self.steps[active as usize * 4 + usize::from(label)];
        if to == OFF {
            return None;
        }
        let to = u64::from(to);
        if !self.is_there(to, bridges) {
            return None;
        }
        self.place_cubes(to, other, self.act(to, false, bridges))
    }

    /// Two cubes, or the block that they join to; none where one falls.
    fn place_cubes(&self, active: u64, other: u64, bridges: u64) -> Option<State> {
        if !self.is_there(active, bridges) || !self.is_there(other, bridges) {
            return None;
        }
        let (low, high) = (active.min(other), active.max(other));
        #[expect(clippy::cast_possible_truncation, reason = "twelve bits")]
        let beside = |label: usize| u64::from(self.steps[low as usize * 4 + label]) == high;
        let joined = if beside(Move::Right as usize) {
            Some(Pose::AlongRow)
        } else if beside(Move::Down as usize) {
            Some(Pose::DownColumn)
        } else {
            None
        };
        Some(
            match joined {
                Some(pose) => low | (pose as u64) << KIND,
                None => active | other << OTHER | SPLIT << KIND,
            } | bridges << BRIDGES,
        )
    }
}

impl PackedGraph for Rules {
    fn bound(&self) -> Option<u64> {
        let places = self.places();
        places
            .checked_shl(u32::try_from(self.bridges.len()).ok()?)
            .filter(|bound| bound >> self.bridges.len() == places)
    }

    // The states of a frontier mostly share a few sets of bridges: with the places side by side, so do their numbers.
    fn number(&self, state: State) -> u64 {
        let squares = self.ground.len() as u64;
        let place = match state >> KIND & 3 {
            SPLIT => 3 * squares + (state & SQUARE) * squares + (state >> OTHER & SQUARE),
            pose => pose * squares + (state & SQUARE),
        };
        (state >> BRIDGES) * self.places() + place
    }

    fn successors(&self, state: State, mut visit: impl FnMut(u8, State)) {
        for label in 0..=EXCHANGE {
            if let Some(next) = self.after(state, label) {
                visit(label, next);
            }
        }
    }

    fn is_goal(&self, state: State) -> bool {
        self.is_won(state)
    }
}

/// The same stage where exchanges cost nothing: either cube moves, and which of the two is active is no part of a state. Labels
/// past [`EXCHANGE`] move the cube on the square of the higher number.
#[derive(Clone, Copy, Debug)]
pub struct Merged<'r>(pub &'r Rules);

impl Merged<'_> {
    /// The state that stands for this one: the lower cube is active.
    #[must_use]
    pub fn canonical(&self, state: State) -> State {
        match self.0.after(state, EXCHANGE) {
            Some(exchanged) if exchanged & SQUARE < state & SQUARE => exchanged,
            _ => state,
        }
    }

    /// Labels of the whole game for a way of labels of this one.
    #[must_use]
    pub fn unmerge(&self, way: &[u8]) -> Vec<u8> {
        let mut state = self.0.start();
        let mut labels = Vec::new();
        for &label in way {
            let higher = label > EXCHANGE;
            if let Piece::Cubes { active, other } = self.0.piece(state)
                && higher != (active > other)
            {
                labels.push(EXCHANGE);
                state = self.0.after(state, EXCHANGE).unwrap_or(state);
            }
            let plain = if higher { label - EXCHANGE - 1 } else { label };
            labels.push(plain);
            state = self.0.after(state, plain).unwrap_or(state);
        }
        labels
    }
}

impl PackedGraph for Merged<'_> {
    fn bound(&self) -> Option<u64> {
        self.0.bound()
    }

    fn number(&self, state: State) -> u64 {
        self.0.number(state)
    }

    fn successors(&self, state: State, mut visit: impl FnMut(u8, State)) {
        for label in 0..EXCHANGE {
            if let Some(next) = self.0.after(state, label) {
                visit(label, self.canonical(next));
            }
        }
        let Some(exchanged) = self.0.after(state, EXCHANGE) else { return };
        for label in 0..EXCHANGE {
            if let Some(next) = self.0.after(exchanged, label) {
                visit(label + EXCHANGE + 1, self.canonical(next));
            }
        }
    }

    fn is_goal(&self, state: State) -> bool {
        self.0.is_won(state)
    }
}
