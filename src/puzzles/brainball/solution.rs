//! From side turns found by a search to steps as a player makes them, replayed by the rules on the way.

use thiserror::Error;

use super::ball::{Ball, Goal};
use super::notation;

/// What a player does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `turnSides` about this ring index of the position as it then stands.
    Turn(usize),
    /// `turn180`: free.
    Turn180,
}

/// A task: a position, where it is to go, and the side-turn group's view of it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position as given.
    pub start: Ball,
    /// The position wanted: the solved ball, or another one.
    pub target: Ball,
    /// Whether the target may also be reached rotated.
    pub goal: Goal,
    /// What a search is to solve by side turns alone: the start, turned over if need be, as seen from the target.
    pub relative: Ball,
    /// Whether `relative` is the start turned over.
    pub turned: bool,
}

/// A found way that the rules did not confirm: a fault in the search, never in the input.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "the turns {turns:?} found for {start} do not lead to {target} ({goal}): this is a fault in the search; please report it"
)]
pub struct ReplayError {
    start: Ball,
    target: Ball,
    goal: Goal,
    turns: Vec<usize>,
}

/// The start's or target's ring size and colours leave no way between them (never on 13 tiles).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("no sequence of turns leads from the one position to the other")]
pub struct Unreachable;

impl Task {
    /// Sets the task of going from `start` to `target`. Where the parities of the two differ, one `turn180` evens them.
    ///
    /// # Errors
    /// [`Unreachable`], never on 13 tiles.
    pub fn new(start: &Ball, target: &Ball, goal: Goal) -> Result<Self, Unreachable> {
        let mut from = start.clone();
        for turned in [false, true] {
            let relative = from.relative_to(target);
            if relative.in_side_group() {
                return Ok(Self { start: start.clone(), target: target.clone(), goal, relative, turned });
            }
            from.turn180();
        }
        Err(Unreachable)
    }

    fn arrived(&self, ball: &Ball) -> bool {
        ball.relative_to(&self.target).is_solved(self.goal)
    }

    /// The steps that make these side turns of `relative`, with the white majority brought up at the start and after
    /// every turn, replayed: the last position is the target.
    ///
    /// # Errors
    /// [`ReplayError`] when it is not.
    pub fn steps(&self, side_turns: &[usize]) -> Result<Vec<Step>, ReplayError> {
        let last = self.start.size() - 1;
        let mut ball = self.start.clone();
        let mut over = self.turned;
        let mut steps = Vec::new();
        if ball.normalise() {
            over = !over;
            steps.push(Step::Turn180);
        }
        for axis in side_turns {
            let axis = if over { last - axis } else { *axis };
            ball.turn_sides(axis);
            steps.push(Step::Turn(axis));
            if ball.normalise() {
                over = !over;
                steps.push(Step::Turn180);
            }
        }
        if !self.arrived(&ball) {
            // A target with its yellow majority up, or one of the other parity, takes a last turn180.
            ball.turn180();
            if steps.last() == Some(&Step::Turn180) {
                steps.pop();
            } else {
                steps.push(Step::Turn180);
            }
        }
        if self.arrived(&ball) {
            return Ok(steps);
        }
        let turns = side_turns.to_vec();
        Err(ReplayError { start: self.start.clone(), target: self.target.clone(), goal: self.goal, turns })
    }

    /// The side turns in slash notation, for the start held as it is and never turned over.
    #[must_use]
    pub fn slash(&self, side_turns: &[usize]) -> String {
        let last = self.start.size() - 1;
        let held: Vec<usize> = side_turns.iter().map(|axis| if self.turned { last - axis } else { *axis }).collect();
        notation::slash(&held, self.start.size())
    }
}

/// The ring indices of the side turns among steps.
#[must_use]
pub fn turns(steps: &[Step]) -> Vec<usize> {
    let turn = |step: &Step| match step {
        Step::Turn(axis) => Some(*axis),
        Step::Turn180 => None,
    };
    steps.iter().filter_map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse::position;
    use super::*;

    /// Case 5 of the published cases: lost by a solver that never repeats an index.
    #[test]
    fn the_same_index_twice_with_a_turn180_between() {
        let start = position("1,-5,2,3,4,6,7,8,-12,9,10,11,13").unwrap();
        let task = Task::new(&start, &Ball::solved(13), Goal::Fixed).unwrap();
        let steps = task.steps(&[3, 9]).unwrap();
        assert_eq!(steps, [Step::Turn(3), Step::Turn180, Step::Turn(3), Step::Turn180]);
        assert!(task.steps(&[3, 3]).is_err());
    }

    #[test]
    fn turned_over_solved_takes_one_turn180() {
        let mut start = Ball::solved(13);
        start.turn180();
        for goal in Goal::ALL {
            let task = Task::new(&start, &Ball::solved(13), goal).unwrap();
            assert_eq!(task.steps(&[]).unwrap(), [Step::Turn180]);
            let back = Task::new(&Ball::solved(13), &start, goal).unwrap();
            assert_eq!(back.steps(&[]).unwrap(), [Step::Turn180]);
            let same = Task::new(&start, &start, goal).unwrap();
            assert_eq!(same.steps(&[]).unwrap(), []);
        }
    }
}
