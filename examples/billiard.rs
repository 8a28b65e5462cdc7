//! All triangles of the numbers 1 to 15, by walking an index space. `cargo run --example billiard`

use std::sync::atomic::AtomicBool;

use gpu_solve::gpu::adapters::{Request, select};
use gpu_solve::puzzles::billiard::Solver;
use gpu_solve::search::index::engine::{GpuOpener, Opener};
use gpu_solve::search::index::range::{Plan, search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let space = Solver::Strategy.space(5, 15)?;
    let stop = AtomicBool::new(false);
    // On the first adapter, each batch compared with the CPU's; on the CPU where there is none.
    let device = select(&Request::default()).ok().map(GpuOpener::new);
    let plan = Plan {
        space: &*space,
        range: 0..space.size(),
        device: device.as_ref().map(|device| device as &dyn Opener),
        lockstep: device.is_some(),
        keep: 100,
        stop: &stop,
    };
    let report = search(&plan, &mut |_| {})?;
    // The indices found are solutions up to mirror; each is checked by the rules as it is expanded.
    for index in &report.tally.hits {
        for triangle in space.expand(*index)? {
            println!("{:?}", triangle.rows().collect::<Vec<_>>());
        }
    }
    println!("{} up to mirror, of {} top rows", report.tally.found, space.size());
    assert_eq!((report.tally.found, report.complete), (1, true));
    Ok(())
}
