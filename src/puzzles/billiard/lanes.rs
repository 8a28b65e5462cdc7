//! Sixteen bytes side by side. The loops are written so that the compiler turns each into one vector instruction, on any
//! processor that has vectors of bytes.

/// How many.
pub const LANES: usize = 16;

/// One byte for each of sixteen runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(16))]
pub struct Lanes(pub [u8; LANES]);

#[expect(clippy::inline_always, reason = "each is an instruction or three: a call costs more")]
impl Lanes {
    /// Zero in each lane.
    pub const ZERO: Self = Self([0; LANES]);

    #[inline(always)]
    fn zip(self, other: Self, apply: impl Fn(u8, u8) -> u8) -> Self {
        let mut out = self;
        for (a, b) in out.0.iter_mut().zip(other.0) {
            *a = apply(*a, b);
        }
        out
    }

    /// The sum, lane by lane; no lane may overflow.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, u8::wrapping_add)
    }

    /// The larger one, lane by lane.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, u8::max)
    }

    /// The difference without its sign, lane by lane.
    #[inline(always)]
    pub fn abs_diff(self, other: Self) -> Self {
        self.zip(other, |a, b| a.max(b) - a.min(b))
    }

    /// 1 where the lanes are equal, else 0.
    #[inline(always)]
    pub fn equal(self, other: Self) -> Self {
        self.zip(other, |a, b| u8::from(a == b))
    }
}
