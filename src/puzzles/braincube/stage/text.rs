//! Stages as text: told apart by content, read and written.
//!
//! - The grid: `#` floor, `.` nothing, `o` fragile, `S` start, `T` or `G` goal.
//! - The EPFL course's terrain: `o` floor, `-` nothing, `.` fragile, `S` start, `T` goal.
//! - The map of bneils' solver: `@` floor, a space nothing, `!` fragile, `$` start, `^` goal, letters for switches and
//!   bridges, which an `.info` file describes: `A: hard, on b, toggle c`, `A: hard, teleport c $`, `a: off`. Its lines may
//!   also follow the map in the same file.
//!
//! In the first two, lines that start with `;` or `//` are comments.

use std::collections::BTreeMap;

use super::{Operation, Splitter, Square, Stage, Switch, Tile, json};
use crate::puzzles::braincube::{Pose, State};

/// How a stage is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageFormat {
    /// [`json`].
    Json,
    /// `#` and `.`.
    Grid,
    /// The EPFL terrain.
    Epfl,
    /// The map of bneils' solver with its info.
    Bneils,
}

impl StageFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Json, Self::Grid, Self::Epfl, Self::Bneils];

    /// What users call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Grid => "grid",
            Self::Epfl => "epfl",
            Self::Bneils => "bneils",
        }
    }
}

/// Why a stage file can't be read. Line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct StageFileError {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong there, and what was expected.
    pub message: String,
}

/// Why a stage can't be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the format {} can't hold this stage: {reason}; json can", format.name())]
pub struct Unwritable {
    /// The format.
    pub format: StageFormat,
    /// What it lacks.
    pub reason: String,
}

/// The format that the content speaks for.
#[must_use]
pub fn tell(text: &str) -> StageFormat {
    let mut lines = text.lines().filter(|line| !is_comment(line) && !line.trim().is_empty());
    if text.trim_start().starts_with('{') {
        StageFormat::Json
    } else if text.contains('@') || text.contains('^') {
        StageFormat::Bneils
    } else if lines.any(|line| line.contains('#')) {
        StageFormat::Grid
    } else if text.contains('o') || text.contains('-') {
        StageFormat::Epfl
    } else {
        StageFormat::Grid
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with(';') || line.starts_with("//")
}

/// Reads a stage; `info` is the content of the `.info` file beside a map.
///
/// # Errors
/// The first thing wrong, with its line and column.
pub fn read(text: &str, info: Option<&str>, format: Option<StageFormat>) -> Result<Stage, StageFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format.unwrap_or_else(|| tell(text)) {
        StageFormat::Json => json::read(text),
        StageFormat::Grid => read_plain(text, StageFormat::Grid),
        StageFormat::Epfl => read_plain(text, StageFormat::Epfl),
        StageFormat::Bneils => read_bneils(text, info),
    }
}

fn fault<T>(line: usize, column: usize, message: impl Into<String>) -> Result<T, StageFileError> {
    Err(StageFileError { line, column, message: message.into() })
}

fn upright((row, col): Square) -> State {
    let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX / 2);
    State { pose: Pose::Upright, row: small(row), col: small(col) }
}

fn read_plain(text: &str, format: StageFormat) -> Result<Stage, StageFileError> {
    let mut tiles: Vec<Vec<Tile>> = Vec::new();
    let (mut start, mut first_line, mut last) = (None, 0, 0);
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim_end();
        if is_comment(content) || content.is_empty() {
            continue;
        }
        last = line;
        let mut row = Vec::new();
        for (column, found) in (1..).zip(content.chars()) {
            row.push(match (format, found) {
                (StageFormat::Grid, '#') | (StageFormat::Epfl, 'o') => Tile::Floor,
                (StageFormat::Grid, '.') | (StageFormat::Epfl, '-') => Tile::Void,
                (StageFormat::Grid, 'o') | (StageFormat::Epfl, '.') => Tile::Fragile,
                (_, 'T') | (StageFormat::Grid, 'G') => Tile::Goal,
                (_, 'S') => {
                    if start.replace((tiles.len(), column - 1)).is_some() {
                        return fault(line, column, "a second S: a stage has one start");
                    }
                    Tile::Floor
                }
                _ => {
                    let expected = match format {
                        StageFormat::Grid => {
                            "# (floor), . (nothing), o (fragile), S (start), T or G (goal), e.g. S#o.T"
                        }
                        _ => "o (floor), - (nothing), . (fragile), S (start), T (goal), e.g. Soo-T",
                    };
                    return fault(line, column, format!("{found:?}: expected {expected}"));
                }
            });
        }
        if let Some(width) = tiles.first().map(Vec::len)
            && width != row.len()
        {
            let message = format!("the line has {} squares, but line {first_line} has {width}", row.len());
            return fault(line, row.len().min(width) + 1, message);
        }
        if tiles.is_empty() {
            first_line = line;
        }
        tiles.push(row);
    }
    let Some(start) = start else { return fault(last.max(1), 1, "no start in the stage: expected one S, e.g. S##T") };
    Ok(Stage { name: String::new(), tiles, start: upright(start), switches: Vec::new(), splitters: Vec::new() })
}

/// What a line of info says of a letter.
struct Attributes {
    line: usize,
    heavy: Option<bool>,
    on: Option<bool>,
    effects: Vec<(Operation, Vec<char>)>,
    teleport: Option<[char; 2]>,
}

fn is_info(line: &str) -> bool {
    let mut chars = line.trim_start().chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic()) && chars.as_str().trim_start().starts_with(':')
}

fn read_info<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Result<BTreeMap<char, Attributes>, StageFileError> {
    let mut all = BTreeMap::new();
    for (line, content) in lines.filter(|(_, content)| !content.trim().is_empty()) {
        if !is_info(content) {
            return fault(line, 1, "expected a letter and what it does, e.g. A: hard, on b");
        }
        let letter = content.trim_start().chars().next().unwrap_or_default();
        let colon = content.find(':').unwrap_or(0);
        let mut attributes = Attributes { line, heavy: None, on: None, effects: Vec::new(), teleport: None };
        let mut offset = colon + 1;
        for part in content[colon + 1..].split(',') {
            let column = content[..offset].chars().count() + 1 + part.len() - part.trim_start().len();
            offset += part.len() + 1;
            let words: Vec<&str> = part.split_whitespace().collect();
            let Some((&verb, names)) = words.split_first() else { continue };
            let mut letters = Vec::new();
            for name in names {
                let mut chars = name.chars();
                match (chars.next(), chars.next()) {
                    (Some(one), None) if one.is_ascii_alphabetic() || one == '$' => letters.push(one),
                    _ => {
                        return fault(
                            line,
                            column,
                            format!("{name:?} is no letter of the map: expected e.g. {verb} b"),
                        );
                    }
                }
            }
            match (verb, letters.as_slice()) {
                ("hard" | "heavy", []) => attributes.heavy = Some(true),
                ("soft", []) => attributes.heavy = Some(false),
                ("on", []) => attributes.on = Some(true),
                ("off", []) => attributes.on = Some(false),
                ("teleport", &[active, other]) => attributes.teleport = Some([active, other]),
                ("teleport", _) => return fault(line, column, "teleport takes two letters, e.g. teleport c d"),
                ("on" | "off" | "toggle", [_, ..]) => {
                    let operation = Operation::ALL.into_iter().find(|operation| operation.name() == verb);
                    attributes.effects.extend(operation.map(|operation| (operation, letters)));
                }
                _ => {
                    let message =
                        format!("{verb:?}: expected hard, soft, on, off, toggle or teleport, e.g. A: hard, toggle b");
                    return fault(line, column, message);
                }
            }
        }
        if all.insert(letter, attributes).is_some() {
            return fault(line, 1, format!("{letter} is described twice"));
        }
    }
    Ok(all)
}

fn read_bneils(text: &str, info: Option<&str>) -> Result<Stage, StageFileError> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let end = lines.iter().position(|(_, line)| is_info(line)).unwrap_or(lines.len());
    let (map, tail) = lines.split_at(end);
    let attributes = read_info(tail.iter().copied().chain((1..).zip(info.unwrap_or_default().lines())))?;
    let map = &map[..map.iter().rposition(|(_, line)| !line.trim().is_empty()).map_or(0, |last| last + 1)];
    let width = map.iter().map(|(_, line)| line.trim_end().chars().count()).max().unwrap_or(0);
    let mut start = None;
    let mut tiles = Vec::new();
    let mut places: BTreeMap<char, Vec<Square>> = BTreeMap::new();
    let is_target = |letter: char| {
        attributes.values().any(|other| other.effects.iter().any(|(_, letters)| letters.contains(&letter)))
    };
    for (row, &(line, content)) in map.iter().enumerate() {
        let mut tiles_of_row = Vec::new();
        for (col, found) in content.trim_end().chars().enumerate() {
            tiles_of_row.push(match found {
                '@' => Tile::Floor,
                ' ' => Tile::Void,
                '!' => Tile::Fragile,
                '^' => Tile::Goal,
                '$' => {
                    if start.replace((row, col)).is_some() {
                        return fault(line, col + 1, "a second $: a stage has one start");
                    }
                    places.insert('$', vec![(row, col)]);
                    Tile::Floor
                }
                letter if letter.is_ascii_alphabetic() => {
                    places.entry(letter).or_default().push((row, col));
                    let known = attributes.get(&letter);
                    let acts = known.is_some_and(|known| known.heavy.is_some() || !known.effects.is_empty());
                    match known {
                        Some(known) if known.teleport.is_some() => Tile::Splitter,
                        Some(known) if acts && known.heavy == Some(true) => Tile::Heavy,
                        Some(_) if acts => Tile::Soft,
                        _ if is_target(letter) || known.is_some_and(|known| known.on.is_some()) => {
                            Tile::Bridge { on: known.and_then(|known| known.on).unwrap_or(true) }
                        }
                        _ => Tile::Floor,
                    }
                }
                _ => {
                    let message = format!(
                        "{found:?}: expected @ (floor), a space (nothing), ! (fragile), $ (start), ^ (goal) or a letter"
                    );
                    return fault(line, col + 1, message);
                }
            });
        }
        tiles_of_row.resize(width, Tile::Void);
        tiles.push(tiles_of_row);
    }
    let Some(start) = start else { return fault(1, 1, "no start in the map: expected one $, e.g. $@@^") };
    let mut stage =
        Stage { name: String::new(), tiles, start: upright(start), switches: Vec::new(), splitters: Vec::new() };
    for (letter, known) in &attributes {
        let Some(squares) = places.get(letter) else {
            return fault(known.line, 1, format!("{letter} is described, but is not in the map"));
        };
        let of = |letter: char| match places.get(&letter) {
            Some(squares) => Ok(squares),
            None => fault(known.line, 1, format!("{letter} is not in the map")),
        };
        let mut effects = Vec::new();
        for (operation, letters) in &known.effects {
            for &target in letters {
                let cells = of(target)?.clone();
                if !matches!(stage.tile(cells[0]), Tile::Bridge { .. }) {
                    return fault(known.line, 1, format!("{letter} acts on {target}, which is no bridge"));
                }
                effects.push((*operation, cells));
            }
        }
        for &at in squares {
            if let Some(to) = known.teleport {
                if !effects.is_empty() || known.heavy == Some(false) {
                    let message = format!(
                        "{letter}: a splitter is hard and does nothing else, e.g. {letter}: hard, teleport c d"
                    );
                    return fault(known.line, 1, message);
                }
                let to = [of(to[0])?[0], of(to[1])?[0]];
                stage.splitters.push(Splitter { at, to });
            } else if matches!(stage.tile(at), Tile::Soft | Tile::Heavy) {
                stage.switches.push(Switch { at, effects: effects.clone() });
            }
        }
    }
    stage.switches.sort_by_key(|switch| switch.at);
    stage.splitters.sort_by_key(|splitter| splitter.at);
    Ok(stage)
}

/// Writes a stage.
///
/// # Errors
/// When the format has no way to say something of it.
pub fn write(stage: &Stage, format: StageFormat) -> Result<String, Unwritable> {
    let start = (stage.start.row as usize, stage.start.col as usize);
    let lacks = |reason: String| Unwritable { format, reason };
    if format == StageFormat::Json {
        return Ok(format!("{:#}\n", json::value(stage)));
    }
    if stage.start.pose != Pose::Upright {
        return Err(lacks("its block does not start upright".to_owned()));
    }
    if stage.tile(start) != Tile::Floor {
        return Err(lacks("its block does not start on plain floor".to_owned()));
    }
    let names = if format == StageFormat::Bneils { name_squares(stage).map_err(lacks)? } else { BTreeMap::new() };
    let mut text = String::new();
    for (row, line) in stage.tiles.iter().enumerate() {
        for (col, &tile) in line.iter().enumerate() {
            let at = (row, col);
            text.push(match (format, tile) {
                (StageFormat::Bneils, _) if at == start => '$',
                (_, _) if at == start => 'S',
                (StageFormat::Bneils, _) if names.contains_key(&at) => names[&at],
                (StageFormat::Grid, Tile::Void) | (StageFormat::Epfl, Tile::Fragile) => '.',
                (StageFormat::Grid, Tile::Floor) => '#',
                (StageFormat::Grid, Tile::Fragile) | (StageFormat::Epfl, Tile::Floor) => 'o',
                (StageFormat::Epfl, Tile::Void) => '-',
                (StageFormat::Grid | StageFormat::Epfl, Tile::Goal) => 'T',
                (_, Tile::Void) => ' ',
                (_, Tile::Floor) => '@',
                (_, Tile::Fragile) => '!',
                (_, Tile::Goal) => '^',
                _ => return Err(lacks(format!("row {row}, column {col} is {}", json::character(tile)))),
            });
        }
        while text.ends_with(' ') {
            text.pop();
        }
        text.push('\n');
    }
    for line in info(stage, &names, start) {
        text += &line;
        text.push('\n');
    }
    // A stage without plain floor or without holes may lack the very squares by which its format is told.
    let told = tell(&text);
    if told == format {
        Ok(text)
    } else {
        Err(lacks(format!("it would be taken for {}: no square of it tells the format", told.name())))
    }
}

/// A letter for each square that an info file speaks of.
fn name_squares(stage: &Stage) -> Result<BTreeMap<Square, char>, String> {
    let start = (stage.start.row as usize, stage.start.col as usize);
    let mut names = BTreeMap::new();
    let (mut upper, mut lower) = ('A'..='Z', 'a'..='z');
    let mut squares: Vec<(Square, Tile)> = stage
        .squares()
        .filter(|(_, tile)| matches!(tile, Tile::Soft | Tile::Heavy | Tile::Splitter | Tile::Bridge { .. }))
        .collect();
    for to in stage.splitters.iter().flat_map(|splitter| splitter.to) {
        if !matches!(stage.tile(to), Tile::Floor | Tile::Soft | Tile::Heavy | Tile::Splitter | Tile::Bridge { .. }) {
            return Err(format!("a splitter puts a cube on row {}, column {}, which no letter can name", to.0, to.1));
        }
        if to != start {
            squares.push((to, stage.tile(to)));
        }
    }
    for (at, tile) in squares {
        if names.contains_key(&at) {
            continue;
        }
        let acts = matches!(tile, Tile::Soft | Tile::Heavy | Tile::Splitter);
        let name = if acts { upper.next().or_else(|| lower.next()) } else { lower.next().or_else(|| upper.next()) };
        names.insert(at, name.ok_or("it has more than 52 squares to be named by letters")?);
    }
    Ok(names)
}

/// The lines of the info file.
fn info(stage: &Stage, names: &BTreeMap<Square, char>, start: Square) -> Vec<String> {
    let name = |at: Square| if at == start { '$' } else { names.get(&at).copied().unwrap_or('?') };
    let mut lines = Vec::new();
    for (at, letter) in names {
        match stage.tile(*at) {
            tile @ (Tile::Soft | Tile::Heavy) => {
                let mut line = format!("{letter}: {}", if tile == Tile::Heavy { "hard" } else { "soft" });
                for switch in stage.switches.iter().filter(|switch| switch.at == *at) {
                    for (operation, cells) in &switch.effects {
                        let cells: Vec<String> = cells.iter().map(|&cell| name(cell).to_string()).collect();
                        line.extend([", ", operation.name(), " ", &cells.join(" ")]);
                    }
                }
                lines.push(line);
            }
            Tile::Splitter => {
                for splitter in stage.splitters.iter().filter(|splitter| splitter.at == *at) {
                    let [active, other] = splitter.to.map(name);
                    lines.push(format!("{letter}: hard, teleport {active} {other}"));
                }
            }
            Tile::Bridge { on } => lines.push(format!("{letter}: {}", if on { "on" } else { "off" })),
            _ => {}
        }
    }
    lines
}
