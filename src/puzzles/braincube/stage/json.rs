//! `gpu-solve-level/1`: a stage as a JSON object.
//!
//! | key | value |
//! | --- | --- |
//! | `format` | `"gpu-solve-level/1"` |
//! | `name` | any text; may be left out |
//! | `rows`, `cols` | the size; may be left out, and must fit the grid |
//! | `grid` | a string a row: `.` nothing, `#` floor, `o` fragile, `s` soft switch, `H` heavy switch, `-` bridge that is off, `=` bridge that is on, `T` splitter, `G` goal |
//! | `start` | `{"kind": "u" or "h" or "v", "at": [row, col]}`, rows and columns from 0 |
//! | `switches` | `[{"at": [row, col], "kind": "soft" or "heavy", "effects": [{"op": "on" or "off" or "toggle", "cells": [[row, col], …]}, …]}, …]`, effects in their order |
//! | `teleports` | `[{"at": [row, col], "to": [[row, col], [row, col]]}, …]`: a splitter, and where the active cube and the other come to be |
//!
//! Other keys are passed over.

use serde::Deserialize;
use serde_json::{Value, json};

use super::text::StageFileError;
use super::{Operation, Splitter, Square, Stage, Switch, Tile};
use crate::puzzles::braincube::{Pose, State};

/// The value of `format`.
pub const FORMAT: &str = "gpu-solve-level/1";

/// The characters of the grid.
const TILES: [(char, Tile); 9] = [
    ('.', Tile::Void),
    ('#', Tile::Floor),
    ('o', Tile::Fragile),
    ('s', Tile::Soft),
    ('H', Tile::Heavy),
    ('-', Tile::Bridge { on: false }),
    ('=', Tile::Bridge { on: true }),
    ('T', Tile::Splitter),
    ('G', Tile::Goal),
];

#[derive(Deserialize)]
struct Level {
    format: String,
    #[serde(default)]
    name: String,
    rows: Option<usize>,
    cols: Option<usize>,
    grid: Vec<String>,
    start: Start,
    #[serde(default)]
    switches: Vec<LevelSwitch>,
    #[serde(default)]
    teleports: Vec<Teleport>,
}

#[derive(Deserialize)]
struct Start {
    kind: Kind,
    at: Square,
}

#[derive(Clone, Copy, Deserialize)]
enum Kind {
    #[serde(rename = "u")]
    Upright,
    #[serde(rename = "h")]
    AlongRow,
    #[serde(rename = "v")]
    DownColumn,
}

#[derive(Deserialize)]
struct LevelSwitch {
    at: Square,
    kind: SwitchKind,
    effects: Vec<Effect>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum SwitchKind {
    Soft,
    Heavy,
}

#[derive(Deserialize)]
struct Effect {
    op: Op,
    cells: Vec<Square>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    On,
    Off,
    Toggle,
}

#[derive(Deserialize)]
struct Teleport {
    at: Square,
    to: [Square; 2],
}

/// The character of a tile.
#[must_use]
pub fn character(tile: Tile) -> char {
    TILES.iter().find(|(_, known)| *known == tile).map_or('?', |(character, _)| *character)
}

/// Reads a stage.
///
/// # Errors
/// The first thing wrong, with its line and column, or with its entry.
pub fn read(text: &str) -> Result<Stage, StageFileError> {
    let level: Level = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        StageFileError { line: error.line(), column: error.column(), message }
    })?;
    // A fault past the syntax is looked up where its text stands.
    let at = |needle: &str, message: String| {
        let offset = text.find(needle).unwrap_or(0);
        let line = text[..offset].matches('\n').count() + 1;
        let column = text[..offset].chars().rev().take_while(|&c| c != '\n').count() + 1;
        StageFileError { line, column, message }
    };
    if level.format != FORMAT {
        let message = format!("format is {:?}: expected {FORMAT:?}", level.format);
        return Err(at("\"format\"", message));
    }
    let width = level.grid.first().map_or(0, |line| line.chars().count());
    let mut tiles = Vec::new();
    for (row, line) in level.grid.iter().enumerate() {
        let quoted = format!("\"{line}\"");
        if line.chars().count() != width {
            let message = format!("grid[{row}] has {} squares, but grid[0] has {width}", line.chars().count());
            return Err(at(&quoted, message));
        }
        let mut tiles_of_row = Vec::new();
        for (col, found) in line.chars().enumerate() {
            let Some((_, tile)) = TILES.iter().find(|(character, _)| *character == found) else {
                let message =
                    format!("grid[{row}], character {}: {found:?}: expected one of . # o s H - = T G", col + 1);
                return Err(at(&quoted, message));
            };
            tiles_of_row.push(*tile);
        }
        tiles.push(tiles_of_row);
    }
    for (name, told, real) in [("rows", level.rows, tiles.len()), ("cols", level.cols, width)] {
        if told.is_some_and(|told| told != real) {
            return Err(at(&format!("\"{name}\""), format!("{name} does not fit the grid, which has {real}")));
        }
    }
    let pose = match level.start.kind {
        Kind::Upright => Pose::Upright,
        Kind::AlongRow => Pose::AlongRow,
        Kind::DownColumn => Pose::DownColumn,
    };
    let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX / 2);
    let start = State { pose, row: small(level.start.at.0), col: small(level.start.at.1) };
    let mut stage = Stage { name: level.name, tiles, start, switches: Vec::new(), splitters: Vec::new() };
    for (number, switch) in level.switches.into_iter().enumerate() {
        let drawn = match stage.tile(switch.at) {
            Tile::Soft => Some(SwitchKind::Soft),
            Tile::Heavy => Some(SwitchKind::Heavy),
            _ => None,
        };
        if drawn.is_some_and(|drawn| drawn != switch.kind) {
            let message =
                format!("switches[{number}] is of another kind than the grid's {}", character(stage.tile(switch.at)));
            return Err(at("\"switches\"", message));
        }
        let effects = switch.effects.into_iter().map(|effect| {
            let operation = match effect.op {
                Op::On => Operation::On,
                Op::Off => Operation::Off,
                Op::Toggle => Operation::Toggle,
            };
            (operation, effect.cells)
        });
        stage.switches.push(Switch { at: switch.at, effects: effects.collect() });
    }
    stage.splitters = level.teleports.iter().map(|teleport| Splitter { at: teleport.at, to: teleport.to }).collect();
    Ok(stage)
}

/// A stage as a JSON object.
#[must_use]
pub fn value(stage: &Stage) -> Value {
    let grid: Vec<String> = stage.tiles.iter().map(|line| line.iter().map(|&tile| character(tile)).collect()).collect();
    let switches: Vec<Value> = stage
        .switches
        .iter()
        .map(|switch| {
            let effects: Vec<Value> = switch
                .effects
                .iter()
                .map(|(operation, cells)| json!({ "op": operation.name(), "cells": cells }))
                .collect();
            let kind = if stage.tile(switch.at) == Tile::Heavy { "heavy" } else { "soft" };
            json!({ "at": switch.at, "kind": kind, "effects": effects })
        })
        .collect();
    let teleports: Vec<Value> =
        stage.splitters.iter().map(|splitter| json!({ "at": splitter.at, "to": splitter.to })).collect();
    json!({
        "format": FORMAT, "name": stage.name, "rows": stage.rows(), "cols": stage.cols(), "grid": grid,
        "start": { "kind": stage.start.pose.letter().to_string(), "at": [stage.start.row, stage.start.col] },
        "switches": switches, "teleports": teleports,
    })
}
