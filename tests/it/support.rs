//! Adapters and folders for the tests, and a small index space that no puzzle knows.

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gpu_solve::gpu::Gpu;
use gpu_solve::gpu::adapters::{Adapter, list};
use gpu_solve::kernel::{Kernel, Launch};
use gpu_solve::puzzles::index_space::{self, IndexSpace, Tally};
pub use gpu_solve::search::index::engine::Shared;

/// The environment variable that asks for the CPU tests alone.
const CPU_ONLY: &str = "GPU_SOLVE_TESTS";

/// Every adapter present. Without one the test fails, unless the CPU tests alone were asked for: then the list is empty.
pub fn adapters() -> &'static [Adapter] {
    static ADAPTERS: OnceLock<Vec<Adapter>> = OnceLock::new();
    ADAPTERS.get_or_init(|| {
        if std::env::var(CPU_ONLY).is_ok_and(|value| value == "cpu") {
            say(&format!("GPU tests left out, as {CPU_ONLY}=cpu asks"));
            return Vec::new();
        }
        let found = list(None);
        for adapter in &found {
            say(&format!("testing on {}", adapter.description.line()));
        }
        assert!(!found.is_empty(), "no adapter: run tests/run, which installs Mesa's software Vulkan driver on Debian and Ubuntu, or set {CPU_ONLY}=cpu for the CPU tests alone");
        found
    })
}

/// Says a line past the test harness, which keeps to itself what passing tests print.
fn say(line: &str) {
    // A closed stderr fails no test.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// One device for each adapter, shared by all tests: many made at once fail at random on software drivers.
pub fn devices() -> &'static [Arc<Gpu>] {
    static DEVICES: OnceLock<Vec<Arc<Gpu>>> = OnceLock::new();
    DEVICES.get_or_init(|| adapters().iter().map(|adapter| Gpu::open(adapter).expect("a device opens")).collect())
}

/// A folder of a test's own, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The numbers below `size` whose product with a constant falls, modulo 2^32, below `bound`.
pub struct Toy {
    pub size: u128,
    pub bound: u32,
}

const FACTOR: u32 = 2_654_435_761;
const RUN: u32 = 16;

pub static TOY: Kernel = Kernel {
    name: "tests/toy",
    wgsl: &[
        include_str!("../../shaders/common/digest.wgsl"),
        include_str!("../../shaders/common/index_space.wgsl"),
        r"
        override BOUND: u32;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
            let run = invocation_number(id, groups);
            if run >= run_count() { return; }
            let places = clip(run, 16u);
            var work = 0u;
            var found = 0u;
            for (var place = places.x; place < places.y; place++) {
                let value = ((params[4] + run) * 16u + place) * 2654435761u;
                work += value >> 28u;
                if value < BOUND {
                    found++;
                    append_hit(run, 16u, place);
                }
            }
            enter_run(run, work, found);
        }",
    ],
    bindings: index_space::BINDINGS,
    constants: &["BOUND"],
    twin: |launch: &mut Launch| {
        let bound = launch.constants[0];
        index_space::twin(&Toy { size: 1 << 32, bound }, launch);
    },
    trials: Vec::new,
};

impl IndexSpace for Toy {
    fn kernel(&self) -> &'static Kernel {
        &TOY
    }
    fn size(&self) -> u128 {
        self.size
    }
    fn run_length(&self) -> u32 {
        RUN
    }
    fn indices_per_second(&self) -> f64 {
        1e8
    }
    fn constants(&self) -> Vec<u32> {
        vec![self.bound]
    }
    fn run_words(&self, _: u128) -> Vec<u32> {
        Vec::new()
    }
    fn walk(&self, range: Range<u128>) -> Tally {
        let mut tally = Tally::default();
        let (first, count) = index_space::runs(&range, RUN);
        for run in first..first + u128::from(count) {
            let start = (run * u128::from(RUN)).max(range.start);
            let end = ((run + 1) * u128::from(RUN)).min(range.end);
            let (mut work, mut found) = (0, 0);
            for index in start..end {
                let value = product(index);
                work += u64::from(value >> 28);
                if value < self.bound {
                    found += 1;
                    tally.hits.push(index);
                }
            }
            tally.enter_run(run, work, found);
        }
        tally
    }
}

#[expect(clippy::cast_possible_truncation, reason = "modulo 2^32")]
fn product(index: u128) -> u32 {
    (index as u32).wrapping_mul(FACTOR)
}

/// The toy's answer by plain counting, independent of runs and batches.
pub fn toy_hits(range: Range<u128>, bound: u32) -> Vec<u128> {
    range.filter(|index| product(*index) < bound).collect()
}
