//! Carries marks on devices: two rows a dispatch, batches sized by time, and in lockstep with the CPU where asked.
//!
//! Threads that want a row carried take whichever device is free, so that several devices share the rows of a pass.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

use super::{Carrier, CarryError, host};
use crate::gpu::{Buffer, Fault, Gpu, Pipeline};
use crate::puzzles::rows::{Carrying, Way};
use crate::search::pacing::Pacer;

/// Words in a device's first batch.
const FIRST_BATCH: u64 = 1 << 14;

/// Devices that carry rows of a space.
pub struct Devices<'s, S> {
    space: &'s S,
    /// `None`: lost.
    pool: Vec<Mutex<Option<Device>>>,
    turn: AtomicUsize,
    lockstep: bool,
    compared: AtomicU64,
    faults: Mutex<Vec<Fault>>,
}

struct Device {
    gpu: Arc<Gpu>,
    pipeline: Arc<Pipeline>,
    params: Buffer,
    table: Buffer,
    marked: Buffer,
    into: Buffer,
    pacer: Pacer,
}

impl<'s, S: Carrying> Devices<'s, S> {
    /// Readies devices; `lockstep`: the CPU carries every row too, and the two are compared.
    ///
    /// # Errors
    /// A device without room for two rows, and faults.
    pub fn new(space: &'s S, gpus: &[Arc<Gpu>], lockstep: bool) -> Result<Self, Fault> {
        let pool = gpus.iter().map(|gpu| Ok(Mutex::new(Some(Device::new(gpu, space)?)))).collect::<Result<_, _>>()?;
        let (turn, compared) = (AtomicUsize::new(0), AtomicU64::new(0));
        Ok(Self { space, pool, turn, lockstep, compared, faults: Mutex::default() })
    }

    /// Rows that devices and CPU carried both, and found equal.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared.load(Ordering::Relaxed)
    }

    /// What went wrong on devices; the CPU went on instead.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).iter().map(ToString::to_string).collect()
    }

    /// A device that is free, or the next in turn once it is.
    fn device(&self) -> MutexGuard<'_, Option<Device>> {
        for device in &self.pool {
            match device.try_lock() {
                Ok(guard) if guard.is_some() => return guard,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                _ => {}
            }
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.pool.len();
        self.pool[turn].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Carrying> Carrier for Devices<'_, S> {
    fn carry(
        &self,
        (row, turn, way): (usize, usize, Way),
        from: &[u64],
        into: &mut [u64],
        halt: &AtomicBool,
    ) -> Result<bool, CarryError> {
        let mut device = self.device();
        let Some(running) = device.as_mut() else {
            drop(device);
            return Ok(host(self.space, (row, turn, way), from, into, halt));
        };
        let carried = match running.carry(self.space, (row, turn, way), from, into, halt) {
            Ok(Some(carried)) => carried,
            Ok(None) => return Ok(false),
            Err(fault) if fault.is_survivable() => {
                *device = None;
                drop(device);
                self.faults.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
                return Ok(host(self.space, (row, turn, way), from, into, halt));
            }
            Err(fault) => return Err(fault.into()),
        };
        drop(device);
        if self.lockstep {
            if !host(self.space, (row, turn, way), from, into, halt) {
                return Ok(false);
            }
            let sides = into.iter().zip(&carried).position(|(cpu, gpu)| cpu != gpu);
            if let Some(word) = sides {
                let (kernel, gpu, cpu) = (self.space.kernel().name, carried[word], into[word]);
                return Err(CarryError::Divergence { kernel, row, turn, way, word, gpu, cpu });
            }
            self.compared.fetch_add(1, Ordering::Relaxed);
        } else {
            into.copy_from_slice(&carried);
        }
        Ok(true)
    }
}

impl Device {
    fn new<S: Carrying>(gpu: &Arc<Gpu>, space: &S) -> Result<Self, Fault> {
        let length = space.words() as u64;
        Ok(Self {
            gpu: Arc::clone(gpu),
            pipeline: gpu.pipeline(space.kernel(), &space.constants())?,
            params: gpu.buffer("params", space.params(0, 0, Way::Push, 0..0).len() as u64)?,
            table: gpu.buffer("turn", space.turn_table(0, 0, Way::Push).len() as u64)?,
            marked: gpu.buffer("marked", 2 * length)?,
            into: gpu.buffer("into", 2 * length)?,
            pacer: Pacer::new(FIRST_BATCH, 64, length.next_multiple_of(64)),
        })
    }

    /// The words of `into` after the turn; `None` when halted.
    #[expect(clippy::cast_possible_truncation, reason = "the words of a row are numbered in 32 bits")]
    fn carry<S: Carrying>(
        &mut self,
        space: &S,
        (row, turn, way): (usize, usize, Way),
        from: &[u64],
        into: &[u64],
        halt: &AtomicBool,
    ) -> Result<Option<Vec<u64>>, Fault> {
        self.gpu.write(&self.table, 0, &space.turn_table(row, turn, way))?;
        self.gpu.write(&self.marked, 0, &halves(from))?;
        self.gpu.write(&self.into, 0, &halves(into))?;
        let length = from.len() as u64;
        let mut first = 0;
        while first < length {
            if halt.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let began = Instant::now();
            let words = self.pacer.size().min(length - first);
            self.gpu.write(&self.params, 0, &space.params(row, turn, way, first as u32..(first + words) as u32))?;
            let mut recording = self.gpu.record()?;
            let buffers = [&self.params, &self.table, &self.marked, &self.into];
            recording.dispatch(&self.pipeline, &buffers, words as u32)?;
            recording.submit()?.wait()?;
            self.pacer.enter(words, began.elapsed());
            first += words;
        }
        let mut recording = self.gpu.record()?;
        recording.download(&self.into, 0, 2 * length)?;
        let read = recording.submit()?.wait()?.pop().unwrap_or_default();
        Ok(Some(read.as_chunks().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32).collect()))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "splits the word")]
fn halves(words: &[u64]) -> Vec<u32> {
    words.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]).collect()
}
