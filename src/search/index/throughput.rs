//! How much of a kernel's work is done in a second: by its twin on the CPU, and by a device.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::engine::{Opener, Shared};
use super::range::{Plan, RangeError, search};
use crate::gpu::{Fault, Gpu};
use crate::kernel::{Kernel, Launch};
use crate::kernels::{SAMPLES, Sample};

/// What is timed of a kernel.
#[derive(Clone, Copy)]
pub enum Job {
    /// Indices of a space, batch by batch as a search walks them: by all threads, or by a device.
    Walk(&'static Sample),
    /// Invocations of its largest trial, one launch after another, with all words going up and coming back each time: by the
    /// twin on one thread, or by a device.
    Launches(&'static Kernel),
}

impl Job {
    /// The job of a kernel.
    #[must_use]
    pub fn of(kernel: &'static Kernel) -> Self {
        let of_kernel = |sample: &&Sample| sample.kernel.name == kernel.name;
        SAMPLES.iter().find(of_kernel).map_or(Self::Launches(kernel), Self::Walk)
    }

    /// Names the work.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Walk(sample) => sample.what,
            Self::Launches(_) => "its largest trial",
        }
    }

    /// Names what is counted, in the plural.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Walk(_) => "indices",
            Self::Launches(_) => "invocations",
        }
    }

    /// Threads that the CPU's side uses.
    #[must_use]
    pub fn threads(self) -> usize {
        match self {
            Self::Walk(_) => rayon::current_num_threads(),
            Self::Launches(_) => 1,
        }
    }

    /// Does the work for so long, on a device or else on the CPU; `None`: stopped before anything was done.
    ///
    /// # Errors
    /// A fault of the device.
    pub fn time(
        self,
        gpu: Option<&Arc<Gpu>>,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Option<Throughput>, RangeError> {
        match self {
            Self::Walk(sample) => walk(sample, gpu, time, stop),
            Self::Launches(kernel) => Ok(launch(kernel, gpu, time)?),
        }
    }
}

/// Work done, and the time it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// How many of [`Job::unit`].
    pub items: u128,
    /// How long they took.
    pub seconds: f64,
}

impl Throughput {
    /// Items a second.
    #[must_use]
    pub fn rate(self) -> f64 {
        self.items as f64 / self.seconds
    }
}

fn walk(
    sample: &Sample,
    gpu: Option<&Arc<Gpu>>,
    time: Duration,
    stop: &AtomicBool,
) -> Result<Option<Throughput>, RangeError> {
    let Some(space) = (sample.space)() else { return Ok(None) };
    let shared = gpu.map(|gpu| Shared(Arc::clone(gpu)));
    let device = shared.as_ref().map(|shared| shared as &dyn Opener);
    // Walks at least one batch, whatever the time.
    let pass = |until: Instant| {
        let over = AtomicBool::new(stop.load(Ordering::Relaxed));
        let range = sample.range.clone();
        let plan = Plan { space: &*space, range, device, lockstep: false, keep: 0, stop: &over };
        let began = Instant::now();
        let mut report = search(&plan, &mut |_| {
            if Instant::now() >= until || stop.load(Ordering::Relaxed) {
                over.store(true, Ordering::Relaxed);
            }
        })?;
        // What the CPU went on with after a fault would be told as the device's.
        match report.survived.pop() {
            Some(fault) => Err(RangeError::from(fault)),
            None => Ok((report.covered.end - report.covered.start, began.elapsed())),
        }
    };
    // The first batch alone compiles the kernel, which is no part of its throughput.
    pass(Instant::now())?;
    let until = Instant::now() + time;
    let (mut items, mut seconds) = (0, 0.0);
    while items == 0 || Instant::now() < until {
        let (walked, took) = pass(until)?;
        if walked == 0 {
            break;
        }
        items += walked;
        seconds += took.as_secs_f64();
    }
    Ok((items > 0).then_some(Throughput { items, seconds }))
}

fn launch(kernel: &'static Kernel, gpu: Option<&Arc<Gpu>>, time: Duration) -> Result<Option<Throughput>, Fault> {
    let Some(trial) = (kernel.trials)().into_iter().max_by_key(|trial| trial.invocations) else { return Ok(None) };
    let once = || {
        let mut launch: Launch = trial.clone();
        let began = Instant::now();
        match gpu {
            Some(gpu) => gpu.launch(kernel, &mut launch)?,
            None => (kernel.twin)(&mut launch),
        }
        Ok::<_, Fault>(began.elapsed().as_secs_f64())
    };
    // The first launch compiles the kernel.
    once()?;
    let until = Instant::now() + time;
    let (mut items, mut seconds) = (0, 0.0);
    while items == 0 || Instant::now() < until {
        seconds += once()?;
        items += u128::from(trial.invocations);
    }
    Ok(Some(Throughput { items, seconds }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;

    #[test]
    fn every_kernel_has_a_job_and_those_over_index_spaces_walk() {
        let walked = kernels::ALL.iter().filter(|kernel| matches!(Job::of(kernel), Job::Walk(_))).count();
        assert_eq!(walked, SAMPLES.len());
    }

    #[test]
    fn the_cpu_does_some_of_every_job_in_the_least_time() {
        for kernel in kernels::ALL {
            let done = Job::of(kernel).time(None, Duration::ZERO, &AtomicBool::new(false)).unwrap().unwrap();
            assert!(done.items > 0 && done.seconds > 0.0, "{}", kernel.name);
        }
    }
}
