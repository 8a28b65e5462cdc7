//! Input that is none: random bytes, nothing, 100 MB.

use std::fs::File;
use std::io::Write;

use super::*;

/// Every command that reads a file or stdin, `FILE` in its place.
const READERS: &[&[&str]] = &[
    &["brainball", "solve", "--no-cache", "--table-depth", "2", "--file", "FILE"],
    &["braincube", "path", "--board", "FILE"],
    &["braincube", "walk", "--board", "FILE"],
    &["braincube", "show", "--board", "FILE"],
    &["braincube", "stage", "FILE"],
    &["braincube", "stage", "--stage-format", "grid", "FILE"],
    &["braincube", "stage", "--stage-format", "json", "FILE"],
    &["braincube", "stage", "--stage-format", "bneils", "FILE"],
    &["braincube", "convert", "--to", "json", "FILE"],
];

fn with(reader: &[&str], file: &str) -> Vec<String> {
    let words = reader.iter().map(|word| if *word == "FILE" { file } else { word });
    words.chain(["--backend", "cpu", "-q"]).map(str::to_owned).collect()
}

fn read(reader: &[&str], file: &str, stdin: &[u8]) -> Ended {
    let arguments = with(reader, file);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    ended(gpu_solve(&arguments).write_stdin(stdin))
}

#[test]
fn stdin_that_is_no_text_is_refused_with_its_place() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let noise: Vec<u8> = (0..2_000).flat_map(|_| random()).collect();
    for reader in READERS {
        for bytes in [&noise[..], b"\xff\xfe\x00", b"\0\0\0\0", b"\x1f\x8b\x08\x00"] {
            let refused = read(reader, "-", bytes);
            refused.assert_refused("line 1");
            // What was read must not reach the terminal as it is.
            assert!(refused.stderr.bytes().all(|byte| byte == b'\n' || byte >= b' '), "{:?}", refused.stderr);
        }
    }
}

#[test]
fn files_of_nothing_are_refused_by_name() {
    let folder = folder("nothing");
    for (name, content) in [("empty.txt", ""), ("lines.txt", "\n\n\n"), ("mark.txt", "\u{feff}")] {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        for reader in READERS {
            read(reader, text(&path), b"").assert_refused(name);
        }
    }
    for reader in READERS {
        read(reader, "-", b"").assert_refused("standard input");
        read(reader, text(&folder), b"").assert_refused("directory");
    }
}

/// A file of 100 MB, one line; memory is limited far below what reading it whole and copying it would take.
#[cfg(unix)]
#[test]
fn a_file_of_100_mb_is_refused_in_little_memory_and_few_words() {
    let folder = folder("large");
    for filling in [b'#', b'{', b'1', b'\n', 0xff] {
        let path = folder.join("large.txt");
        let piece = vec![filling; 1 << 20];
        let mut file = File::create(&path).unwrap();
        for _ in 0..100 {
            file.write_all(&piece).unwrap();
        }
        drop(file);
        for reader in READERS {
            let arguments = with(reader, "$F/large.txt").join(" ");
            let limit = if cfg!(target_os = "linux") { "ulimit -v 1500000; " } else { "" };
            shell(&folder, &format!("{limit}exec $GS {arguments} --threads 1")).assert_refused("large.txt");
        }
        for arguments in
            ["billiard merge $F/large.txt", "billiard --order 6 --checkpoint $F/large.txt --resume --backend cpu"]
        {
            shell(&folder, &format!("exec $GS {arguments}")).assert_refused("large.txt");
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn long_and_strange_arguments_are_refused_in_few_words() {
    let long = "9".repeat(100_000);
    let tiny = format!("tip=0.{}1", "0".repeat(90_000));
    let strange = "\u{1b}[31m\u{7}";
    for arguments in [
        &["brainball", "solve", &long, "--no-cache"][..],
        &["brainball", "apply", "1,2,3,4,5,6,7,8,9,10,11,12,13", &long],
        &["brainball", "order", &format!("+{long}/")],
        &["braincube", "path", "--rows", "3", "--cols", "3", "--start", &long],
        &["braincube", "path", "--rows", "3", "--cols", "3", "--start", &format!("u:{long},0")],
        &["braincube", "path", "--rows", "3", "--cols", "3", "--cost", &tiny],
        &[
            "braincube",
            "generate",
            "--rows",
            "5",
            "--cols",
            "5",
            "--bridges",
            "1",
            "--switches",
            "18446744073709551615",
        ],
        &["braincube", "generate", "--rows", "5", "--cols", "5", "--fragile", "18446744073709551615"],
        &["brainball", "solve", strange, "--no-cache"],
        &["brainball", "apply", "1,2,3,4,5,6,7,8,9,10,11,12,13", strange],
        &["braincube", "path", "--rows", "3", "--cols", "3", "--start", strange],
    ] {
        let ended = run(arguments);
        ended.assert_refused("error");
        assert!(!ended.stderr.contains('\u{1b}') && !ended.stderr.contains('\u{7}'), "{:?}", ended.stderr);
    }
}
