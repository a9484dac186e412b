//! What one pod costs to decode, in instructions: ours against `serde_json`.
//!
//! `cargo bench -p larder-runtime --bench decode_cost` runs itself under `valgrind --tool=callgrind` and prints a
//! table. `decode_cost run WAY TIMES` does the work itself, for a profiler.

use std::hint::black_box;
use std::process::{Command, ExitCode};

use k8s_openapi::api::core::v1::Pod;
use larder_runtime::{RawBuffer, decode_bytes};

/// A pod of 10 KB as a list of a real cluster holds it; 3.6 KB of it are managedFields.
const POD: &[u8] = include_bytes!("pod.json");

type Way = (&'static str, fn(&[u8]));

const WAYS: [Way; 6] = [
    ("serde_json+clone", serde_json_and_clone),
    ("serde_json", serde_json),
    ("scan+decode", scan_and_decode),
    ("scan", scan),
    ("decode_bytes", decode_again),
    ("clone+drop", clone_and_drop),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["run", way, times] => run(way, times),
        // `cargo test --benches` runs this too, and only wants to know whether it works.
        [] => check(),
        _ => measure(),
    }
}

fn run(way: &str, times: &str) -> ExitCode {
    let Some((_, work)) = WAYS.iter().find(|(name, _)| *name == way) else {
        eprintln!("unknown way {way:?}");
        return ExitCode::FAILURE;
    };
    for _ in 0..times.parse::<usize>().unwrap_or(0) {
        work(black_box(POD));
    }
    ExitCode::SUCCESS
}

fn check() -> ExitCode {
    let theirs: Pod = serde_json::from_slice(POD).expect("the pod decodes");
    let ours: Pod = decode_bytes(POD).expect("the pod decodes");
    assert_eq!(ours, theirs);
    ExitCode::SUCCESS
}

fn measure() -> ExitCode {
    let mut baseline = None;
    println!("{:<18} {:>14} {:>8}", "", "instructions", "ratio");
    for (way, _) in WAYS {
        // The difference of two counts leaves out what starting the program costs.
        let (Some(few), Some(many)) = (instructions(way, 10), instructions(way, 110)) else {
            eprintln!("valgrind is needed to count instructions, and did not answer");
            return ExitCode::FAILURE;
        };
        let each = (many - few) / 100;
        let base = *baseline.get_or_insert(each);
        println!("{way:<18} {each:>14} {:>8.3}", each as f64 / base as f64);
    }
    ExitCode::SUCCESS
}

fn instructions(way: &str, times: u32) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(["run", way, &times.to_string()])
        .output()
        .ok()?;
    let report = String::from_utf8_lossy(&output.stderr);
    let collected = report.split("Collected :").nth(1)?;
    collected.split_whitespace().next()?.parse().ok()
}

fn serde_json_and_clone(bytes: &[u8]) {
    let pod: Pod = serde_json::from_slice(bytes).expect("the pod decodes");
    black_box(pod.clone());
    black_box(pod);
}

fn serde_json(bytes: &[u8]) {
    black_box(serde_json::from_slice::<Pod>(bytes).expect("the pod decodes"));
}

/// As the splitter does it: bytes are copied once, scanned, cut and decoded.
fn scan_and_decode(bytes: &[u8]) {
    let buffer = RawBuffer::new(bytes).expect("the pod is balanced");
    black_box(buffer.raw().decode::<Pod>().expect("the pod decodes"));
}

fn scan(bytes: &[u8]) {
    black_box(
        RawBuffer::new(bytes)
            .expect("the pod is balanced")
            .raw()
            .name(),
    );
}

fn decode_again(bytes: &[u8]) {
    black_box(decode_bytes::<Pod>(bytes).expect("the pod decodes"));
}

/// A part of all the others that no decoder can change.
fn clone_and_drop(bytes: &[u8]) {
    thread_local! {
        static KEPT: Pod = serde_json::from_slice(POD).expect("the pod decodes");
    }
    KEPT.with(|pod| black_box(pod.clone()));
    black_box(bytes);
}
