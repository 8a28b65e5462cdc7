//! Optimal solving from both ends.
