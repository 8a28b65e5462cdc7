//! Stages of our own, from easy to fiendish.

use super::text::StageFileError;
use super::{Stage, json};

/// The stages, as [`json`] reads them.
pub const BUILTIN: [&str; 10] = [
    include_str!("builtin/01.json"),
    include_str!("builtin/02.json"),
    include_str!("builtin/03.json"),
    include_str!("builtin/04.json"),
    include_str!("builtin/05.json"),
    include_str!("builtin/06.json"),
    include_str!("builtin/07.json"),
    include_str!("builtin/08.json"),
    include_str!("builtin/09.json"),
    include_str!("builtin/10.json"),
];

/// The stage of a number from 0.
#[must_use]
pub fn stage(number: usize) -> Option<Result<Stage, StageFileError>> {
    BUILTIN.get(number).map(|text| json::read(text))
}
