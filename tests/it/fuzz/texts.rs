//! What is read from the command line, and boards, stages and results as text.

use gpu_solve::cli::parsers::{byte_size, index_range, seconds, shard, time_span};
use gpu_solve::puzzles::brainball::Ball;
use gpu_solve::puzzles::brainball::ball::TILES;
use gpu_solve::puzzles::brainball::notation::{Moves, slash};
use gpu_solve::puzzles::brainball::parse::position;
use gpu_solve::puzzles::braincube::parse::{self, BoardFile, BoardFormat};
use gpu_solve::puzzles::braincube::stage::text::{self, StageFormat};
use gpu_solve::puzzles::braincube::stage::{Rules, json};
use gpu_solve::puzzles::braincube::{Pose, State};
use gpu_solve::search::graph::costs::Costs;
use gpu_solve::search::index::record::{self, Job, Record};
use proptest::prelude::*;

use super::{cases, inputs, texts};

const TILE_WORDS: &[&str] = &[
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "0", "-", "+", "\u{2212}", "w", "y",
    "Y", ",", " ", "\t", "\n", "128", "-128",
];
const MOVE_WORDS: &[&str] =
    &["0", "1", "3", "12", "13", "+", "-", "/", " ", ",", "999999", "1000000", "-9223372036854775808"];
const NUMBER_WORDS: &[&str] = &[
    "0",
    "1",
    "9",
    "10",
    "..",
    ".",
    "_",
    ",",
    "/",
    "-",
    "+",
    "e",
    "E9",
    "inf",
    "nan",
    "s",
    "min",
    "h",
    "d",
    "k",
    "KiB",
    "MB",
    "GiB",
    "T",
    " ",
    "99999999999999999999",
    "340282366920938463463374607431768211455",
    "\u{b5}",
];
const BOARD_WORDS: &[&str] = &["#", ".", "o", "-", "S", "T", "\n", "\r\n", " ", ";", "//", "# ", "\u{feff}", "\0"];
const STAGE_WORDS: &[&str] = &[
    "#",
    ".",
    "o",
    "-",
    "=",
    "S",
    "T",
    "G",
    "H",
    "s",
    "@",
    "!",
    "$",
    "^",
    "A",
    "a",
    "b",
    ":",
    ",",
    "\n",
    " ",
    "hard",
    "soft",
    "on ",
    "off",
    "toggle ",
    "teleport ",
    ";",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\"grid\":",
    "\"start\":",
    "\"at\":",
    "\"cells\":",
    "0",
    "1",
    "18446744073709551615",
    "4294967295",
    "-1",
    "null",
    "\\u0000",
    "\u{e9}",
];
const RECORD_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\"records\"",
    "\"format\"",
    "\"gpu-solve-records/1\"",
    "\"checksum\"",
    "0",
    "1",
    "9",
    "..",
    "-1",
    "1e99",
    "null",
    "true",
    "340282366920938463463374607431768211456",
    "\\ud800",
    "\n",
];

const POSITIONS: &[&str] = &[
    "1,-5,2,3,4,6,7,8,-12,9,10,11,13",
    "1w 5y 2w 3w 4w 6w 7w 8w 12y 9w 10w 11w 13w",
    "+1,5Y,2,3,4,6,7,8,\u{2212}12,9,10,11,13",
];
const BOARDS: &[&str] =
    &["; a comment\nS##.\n####\n..#T\n", "ooo---\noSooo-\nooooTo\n", "#", "\u{feff}# x\n\n##\r\n##\n\n"];
const STAGES: &[&str] = &[
    "S##o\n####\n..GT\n",
    "ooo---\noSooo.\n-oooTo\n",
    "@@@     \n@$@a@A^@\n@@@B@@@C\nA: hard, toggle a, on a\na: off\nB: soft\nC: hard, teleport $ a\n",
    "{\"format\":\"gpu-solve-level/1\",\"name\":\"n\",\"rows\":2,\"cols\":5,\"grid\":[\"##s=G\",\"#TH-o\"],\
     \"start\":{\"kind\":\"u\",\"at\":[0,0]},\"switches\":[{\"at\":[0,2],\"kind\":\"soft\",\"effects\":[{\"op\":\"toggle\",\
     \"cells\":[[0,3],[1,3]]}]},{\"at\":[1,2],\"kind\":\"heavy\",\"effects\":[{\"op\":\"on\",\"cells\":[[1,3]]}]}],\
     \"teleports\":[{\"at\":[1,1],\"to\":[[0,0],[0,1]]}]}",
];

/// A board as a file, with its marks: what the reader takes.
fn board_text(file: &BoardFile) -> String {
    let [there, hole] = if file.format == BoardFormat::Grid { ['#', '.'] } else { ['o', '-'] };
    let mut text = String::new();
    for row in 0..file.board.rows() {
        for col in 0..file.board.cols() {
            let here = Some(State::upright(row, col));
            text.push(match file.board.has_square(row, col) {
                _ if file.start == here => 'S',
                _ if file.goal == here => 'T',
                true => there,
                false => hole,
            });
        }
        text.push('\n');
    }
    text
}

fn record_texts() -> Vec<Vec<u8>> {
    let certificates = [
        include_str!("../../certificates/billiard-order-11-max-100.json"),
        "{\"format\":\"gpu-solve-records/1\",\"records\":[],\"checksum\":\"4f4f0b27\"}",
    ];
    certificates.iter().map(|text| text.as_bytes().to_vec()).collect()
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn a_position_is_refused_or_comes_back(text in texts(TILE_WORDS, POSITIONS)) {
        match position(&text) {
            Ok(ball) => prop_assert_eq!(position(&ball.to_string()), Ok(ball)),
            Err(error) => prop_assert!(error.to_string().len() < 500),
        }
    }

    #[test]
    fn moves_are_refused_or_come_back(text in texts(MOVE_WORDS, &["3 3 11", "+1/-1/+3", "0,12"])) {
        match Moves::parse(&text, TILES) {
            Ok(moves) => {
                let printed = match &moves {
                    Moves::Indices(turns) => turns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
                    Moves::Slash(shifts) => shifts.iter().map(|by| format!("{by:+}")).collect::<Vec<_>>().join("/"),
                };
                prop_assert_eq!(Moves::parse(&printed, TILES), Ok(moves.clone()));
                let mut ball = Ball::solved(TILES);
                moves.apply_held(&mut ball);
                if let Moves::Indices(turns) = &moves {
                    let mut other = Ball::solved(TILES);
                    if let Ok(written) = Moves::parse(&slash(turns, TILES), TILES) {
                        written.apply_held(&mut other);
                    }
                    prop_assert!(turns.is_empty() || ball == other);
                }
                prop_assert!(moves.order(TILES) > 0);
            }
            Err(error) => prop_assert!(error.to_string().len() < 500),
        }
    }

    #[test]
    fn a_range_is_refused_or_comes_back(text in texts(NUMBER_WORDS, &["0..1000000", "5..1_000", "..9,9", "7.."])) {
        if let Ok(range) = index_range(&text) {
            for size in [0, 1000, u128::MAX] {
                if let Ok(inside) = range.within(size) {
                    prop_assert!(inside.start <= inside.end && inside.end <= size);
                    let again = index_range(&format!("{}..{}", inside.start, inside.end)).and_then(|range| range.within(size));
                    prop_assert_eq!(again, Ok(inside));
                }
            }
        }
    }

    #[test]
    fn a_shard_is_refused_or_comes_back(text in texts(NUMBER_WORDS, &["3/8", "1/1", "18446744073709551615/18446744073709551615"])) {
        if let Ok(part) = shard(&text) {
            prop_assert!((1..=part.shards).contains(&part.number));
            prop_assert_eq!(shard(&format!("{}/{}", part.number, part.shards)), Ok(part));
        }
    }

    #[test]
    fn a_size_and_a_time_are_refused_or_come_back(text in texts(NUMBER_WORDS, &["4GiB", "1.5 g", "500MB", "90s", "20min", "1.5h", "2d", "0.5"])) {
        if let Ok(bytes) = byte_size(&text) && bytes < 1 << 53 {
            prop_assert_eq!(byte_size(&bytes.to_string()), Ok(bytes));
        }
        for span in [seconds(&text), time_span(&text)].into_iter().flatten() {
            // The text of a double gives the same double back; a Duration keeps its nanoseconds only where they are few.
            let printed = span.as_secs_f64().to_string();
            prop_assert!(time_span(&printed).is_ok_and(|again| again.abs_diff(span).as_secs_f64() <= span.as_secs_f64() * 1e-9 + 1e-9));
            prop_assert!(seconds(&printed).is_ok());
        }
    }

    #[test]
    fn a_cost_is_refused_or_above_zero(one in texts(NUMBER_WORDS, &["2", "0.5", "00.10"]), other in texts(NUMBER_WORDS, &["1", "3.25"])) {
        match Costs::read(&[&one, &other]) {
            Ok(costs) => {
                prop_assert!(costs.scaled().iter().all(|&cost| cost > 0));
                let shown = costs.scaled().iter().map(|&cost| costs.show(cost)).collect::<Vec<_>>();
                let again = Costs::read(&shown.iter().map(String::as_str).collect::<Vec<_>>());
                prop_assert_eq!(again, Ok(costs));
            }
            Err(error) => prop_assert!(error.to_string().len() < 2_000),
        }
    }

    #[test]
    fn a_state_of_a_board_is_refused_or_comes_back(text in texts(NUMBER_WORDS, &["u1", "h4", "v:0,1", "U:3,3"]), rows in 1u32..5000, cols in 1u32..5000) {
        if let Ok(state) = State::read(&text, rows, cols) {
            prop_assert!(state.squares().all(|(row, col)| row < rows && col < cols));
            let label = state.label(rows, cols).to_string();
            prop_assert_eq!(State::read(&label, rows, cols), Ok(state));
            let letter = match state.pose { Pose::Upright => 'u', Pose::AlongRow => 'h', Pose::DownColumn => 'v' };
            prop_assert!(label.starts_with(letter));
        }
    }

    #[test]
    fn a_board_is_refused_or_comes_back(bytes in inputs(BOARD_WORDS, BOARDS.iter().map(|text| text.as_bytes().to_vec()).collect())) {
        for format in [None, Some(BoardFormat::Grid), Some(BoardFormat::Epfl)] {
            match parse::read(&bytes, format) {
                Ok(file) => prop_assert_eq!(parse::read(board_text(&file).as_bytes(), Some(file.format)), Ok(file)),
                Err(error) => prop_assert!(error.to_string().len() < 500),
            }
        }
    }

    #[test]
    fn a_stage_is_refused_or_comes_back(text in texts(STAGE_WORDS, STAGES), info in prop::option::of(texts(STAGE_WORDS, &["A: hard, toggle a\na: off\n"]))) {
        let all = StageFormat::ALL.map(Some);
        for format in [None].into_iter().chain(all) {
            let Ok(stage) = text::read(&text, info.as_deref(), format) else { continue };
            prop_assert_eq!(json::read(&json::value(&stage).to_string()), Ok(stage.clone()));
            if Rules::new(&stage).is_err() {
                continue;
            }
            for format in StageFormat::ALL {
                let Ok(written) = text::write(&stage, format) else { continue };
                for told in [None, Some(format)] {
                    let back = text::read(&written, None, told);
                    let Ok(back) = back else { return Err(TestCaseError::fail(format!("{back:?}\n{written}"))) };
                    prop_assert!(Rules::new(&back).is_ok());
                    // The bneils map tells effects square by square, so that only the second writing is the last word.
                    let again = text::write(&back, format).unwrap();
                    let third = text::read(&again, None, told).map(|stage| text::write(&stage, format).unwrap());
                    prop_assert_eq!(third, Ok(again), "{:?}", format);
                }
            }
        }
    }

    #[test]
    fn a_result_is_refused_or_comes_back(bytes in inputs(RECORD_WORDS, record_texts())) {
        if let Ok(records) = record::read(&bytes) {
            prop_assert_eq!(record::read(record::write(&records).unwrap().as_bytes()), Ok(records));
        }
    }
}

proptest! {
    #![proptest_config(cases(10))]

    /// Past the checksum: what a record says must fit together.
    #[test]
    fn a_result_with_a_right_checksum_is_taken_when_its_parts_fit(
        numbers in prop::array::uniform6(0u128..6), wild: [u64; 6], hit in prop_oneof!["[0-6]", "\\PC{0,5}"], text: String
    ) {
        let [size, start, end, from, to, _] = numbers;
        let parameters = [(text.clone(), text.clone())].into();
        let mut record = Record::new(Job { command: text.clone(), parameters, size }, start..end);
        record.covered = from..to;
        [record.nodes, record.steps, record.found, record.digest, record.milliseconds, _] = wild;
        (record.hits, record.devices) = (vec![hit.clone()], vec![text]);
        let fits = start <= end && end <= size && from == start && from <= to && to <= end;
        let fits = fits && hit.parse().is_ok_and(|hit: u128| (from..to).contains(&hit));
        let read = record::read(record::write(std::slice::from_ref(&record)).unwrap().as_bytes());
        prop_assert_eq!(read.is_ok(), fits, "{:?}", &read);
        if let Ok(read) = read {
            prop_assert_eq!(read, [record]);
        }
    }
}
