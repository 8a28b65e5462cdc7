//! The packed rules against the plain ones.

use std::collections::HashSet;

use proptest::prelude::*;

use super::super::scramble;
use super::*;

/// The images of a position under the symmetries, by the plain rules: rotated by `r`, and mirrored or not.
fn images(ball: &Ball) -> Vec<Ball> {
    let n = ball.size();
    let mut out = Vec::new();
    for mirror in [false, true] {
        for r in 0..n {
            let mut tiles = vec![0i8; n];
            for (p, tile) in ball.tiles().iter().enumerate() {
                let name = usize::from(tile.unsigned_abs()) - 1;
                let move_by = |x: usize| if mirror { (2 * n + r - x) % n } else { (x + r) % n };
                let moved = i8::try_from(move_by(name) + 1).unwrap();
                tiles[move_by(p)] = if *tile < 0 { -moved } else { moved };
            }
            out.push(Ball::from_tiles(&tiles).unwrap());
        }
    }
    out
}

/// For the goal `ring`: names rotated so that tile 1 stands at index 0.
fn as_ring(ball: &Ball) -> Vec<i8> {
    let n = i8::try_from(ball.size()).unwrap();
    let first = ball.tiles()[0].abs();
    let rename = |tile: &i8| ((tile.abs() - first).rem_euclid(n) + 1) * tile.signum();
    ball.tiles().iter().map(rename).collect()
}

fn check<const N: usize, const RING: bool>(seed: u64) {
    let space = Space::<N, RING>;
    let ball = scramble::random(N, seed);
    let mut ball = ball;
    if !ball.in_side_group() {
        ball.turn180();
    }
    let packed = Packed::<N>::new(&ball).unwrap();
    assert_eq!(packed.ball(), ball);

    // One key for all images, and the class's size.
    let key = space.key(&packed);
    let images = images(&ball);
    for image in &images {
        assert_eq!(space.key(&Packed::new(image).unwrap()), key, "{image} is an image of {ball}");
    }
    let distinct: HashSet<Vec<i8>> =
        images.iter().map(|image| if RING { as_ring(image) } else { image.tiles().to_vec() }).collect();
    let orbit = Space::<N, RING>::least(Space::<N, RING>::reading(packed)).orbit;
    assert_eq!(distinct.len(), orbit as usize, "{ball}");

    // The key gives a position of the class back.
    let back = Space::<N, RING>::unkey(key);
    assert_eq!(space.key(&back), key);
    let told = |b: &Ball| if RING { as_ring(b) } else { b.tiles().to_vec() };
    assert!(distinct.contains(&told(&back.ball())), "{ball} became {}", back.ball());

    // Turns agree with the plain rules, and so do the keys after them.
    let mut keys = Vec::new();
    space.turned_keys(&packed, &mut keys);
    for (axis, after) in keys.iter().enumerate() {
        let mut turned = ball.clone();
        turned.turn_sides(axis);
        assert_eq!(packed.turned(axis).ball(), turned);
        assert_eq!(space.key(&packed.turned(axis)), *after);
    }
    let mut expanded = Vec::new();
    space.expand(key, &mut expanded);
    let mut expanded: Vec<u64> = expanded.iter().map(|s| s.key).collect();
    expanded.sort_unstable();
    keys.sort_unstable();
    assert_eq!(expanded, keys, "a class has the neighbours of each of its positions");
}

proptest! {
    #[test]
    fn packed_positions_follow_the_plain_rules(seed: u64) {
        check::<13, false>(seed);
        check::<13, true>(seed);
        check::<11, false>(seed);
        check::<11, true>(seed);
        check::<9, false>(seed);
        check::<9, true>(seed);
        check::<7, false>(seed);
        check::<7, true>(seed);
    }
}

#[test]
fn symmetric_positions_have_small_classes() {
    let size = |turns: &[usize]| {
        let mut ball = Ball::solved(13);
        for axis in turns {
            ball.turn_sides(*axis);
        }
        let packed = Packed::<13>::new(&ball).unwrap();
        FixedSpace::least(FixedSpace::reading(packed)).orbit
    };
    assert_eq!(size(&[]), 1);
    assert_eq!(size(&[4]), 13);
    assert_eq!(size(&[4, 5]), 26);
    assert_eq!(size(&[3, 5, 3]), 26);
    assert_eq!(size(&[3, 5, 7]), 26);
}
