//! The options that every command takes.

use std::env;
use std::io::Write;
use std::num::NonZeroUsize;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::parsers::threads;
use super::watch;
use crate::gpu::Fault;
use crate::gpu::adapters::{Adapter, Backend, Request, select};

/// Options that may stand anywhere on the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct Globals {
    /// Where to search; auto: the first hardware GPU, else the CPU
    #[arg(long, global = true, value_enum, value_name = "BACKEND", help_heading = "Global options")]
    pub backend: Option<BackendChoice>,
    /// The adapter to use: its index, or a part of its name (see `gpu-solve adapters`)
    #[arg(long, global = true, value_name = "TEXT", help_heading = "Global options")]
    pub adapter: Option<String>,
    /// Walk every batch on GPU and CPU both, and compare
    #[arg(long, global = true, help_heading = "Global options")]
    pub lockstep: bool,
    /// CPU threads, 1 to 1024 [default: all]
    #[arg(long, global = true, value_name = "N", value_parser = threads, help_heading = "Global options")]
    pub threads: Option<NonZeroUsize>,
    /// How to print results; a command that lacks a format says which it has
    #[arg(
        long = "format",
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        help_heading = "Global options"
    )]
    pub format_choice: FormatChoice,
    /// What [`Globals::resolved`] makes of the choice for the commands that print text or JSON.
    #[arg(skip)]
    pub format: Format,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Global options")]
    pub quiet: bool,
    /// Say more on stderr: each batch and the time it took
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub verbose: bool,
    /// How to tell of progress on stderr
    #[arg(long, global = true, value_enum, default_value_t, value_name = "HOW", help_heading = "Global options")]
    pub progress: ProgressChoice,
    /// When to colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = "Global options")]
    pub color: ColorWhen,
}

/// `--backend`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendChoice {
    /// The first adapter that is real hardware, else the CPU
    Auto,
    /// The CPU, by all threads
    Cpu,
    /// Vulkan: Linux, Windows, Android; Mesa's software adapter too
    Vulkan,
    /// Metal: macOS, iOS
    Metal,
    /// Direct3D 12: Windows
    Dx12,
    /// OpenGL 4.3 or OpenGL ES 3.1 and later
    Gl,
}

impl BackendChoice {
    fn backend(self) -> Option<Backend> {
        match self {
            Self::Auto | Self::Cpu => None,
            Self::Vulkan => Some(Backend::Vulkan),
            Self::Metal => Some(Backend::Metal),
            Self::Dx12 => Some(Backend::Dx12),
            Self::Gl => Some(Backend::Gl),
        }
    }
}

/// `--format`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FormatChoice {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// Graphviz: graphs
    Dot,
    /// The Matrix Market's coordinate format: matrices
    MatrixMarket,
    /// Comma-separated values: matrices
    Csv,
}

/// How most commands print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// `--color`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `--progress`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressChoice {
    /// A bar on a terminal, else nothing
    #[default]
    Auto,
    /// Nothing
    None,
    /// One JSON object a line, and all else on stderr so too: for programs that watch a run
    Json,
}

/// Where a command runs.
#[derive(Clone, Debug)]
pub enum Place {
    /// The CPU path, and why.
    Cpu(String),
    /// A device on this adapter.
    Device(Box<Adapter>),
}

impl Place {
    /// `cpu`, or the name of the adapter's backend.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        match self {
            Self::Cpu(_) => "cpu",
            Self::Device(adapter) => adapter.description.backend.name(),
        }
    }
}

impl Globals {
    /// Sets up what the whole process shares: threads and colour.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn prepare(&self) -> anyhow::Result<()> {
        match self.color {
            ColorWhen::Auto => {}
            ColorWhen::Always => anstream::ColorChoice::Always.write_global(),
            ColorWhen::Never => anstream::ColorChoice::Never.write_global(),
        }
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("starting the CPU threads")
    }

    /// Decides where a search runs and says so in one line on stderr. `small`: the CPU is done before a device would be
    /// open, so `auto` does not open one.
    ///
    /// # Errors
    /// When what was asked for is not there, or contradicts itself.
    pub fn place(&self, small: bool) -> anyhow::Result<Place> {
        let place = self.decide(small)?;
        self.say(match &place {
            Place::Cpu(why) => format!("backend: cpu, {} ({why})", count(rayon::current_num_threads(), "thread")),
            Place::Device(adapter) => format!("backend: {}", adapter.description.line()),
        });
        Ok(place)
    }

    /// The backend that was asked for by name; `None`: any.
    ///
    /// # Errors
    /// When the CPU was asked for, or the environment names no backend.
    pub fn named_backend(&self) -> anyhow::Result<Option<Backend>> {
        let choice = self.backend.map_or_else(env_backend, Ok)?;
        anyhow::ensure!(
            choice != BackendChoice::Cpu,
            "--adapter names devices and --backend cpu none; leave one of them out"
        );
        Ok(choice.backend())
    }

    fn decide(&self, small: bool) -> anyhow::Result<Place> {
        let adapter = self.adapter.clone().or_else(|| env_text("WGPU_ADAPTER_NAME"));
        let backend = match self.backend {
            Some(choice) => choice,
            None => env_backend()?,
        };
        if backend == BackendChoice::Cpu {
            if self.lockstep {
                bail!(
                    "--lockstep compares a device with the CPU, and --backend cpu names none; say --backend vulkan, for example"
                );
            }
            if self.adapter.is_some() {
                bail!("--adapter names a device and --backend cpu none; leave one of them out");
            }
            return Ok(Place::Cpu("as asked".to_owned()));
        }
        let named = backend.backend();
        let explicit = named.is_some() || adapter.is_some() || self.lockstep;
        if !explicit && small {
            return Ok(Place::Cpu("done sooner than a device is open".to_owned()));
        }
        let request = Request { backend: named, adapter, hardware_only: !explicit };
        match select(&request) {
            Ok(adapter) => Ok(Place::Device(Box::new(adapter))),
            Err(Fault::NotBuilt { .. }) if !explicit => Ok(Place::Cpu("this build has no GPU support".to_owned())),
            Err(Fault::NoAdapter { present, .. }) if !explicit => Ok(Place::Cpu(match present.as_str() {
                "none" => "no graphics driver found".to_owned(),
                _ => "no hardware adapter; --backend vulkan would take a software one".to_owned(),
            })),
            Err(fault) => Err(fault.into()),
        }
    }

    /// The same options for a search within a search: nothing is said of where it runs.
    #[must_use]
    pub fn quieter(&self) -> Self {
        Self { quiet: true, ..self.clone() }
    }

    /// These options with the format settled: text or JSON, which is all that most commands print. A command with
    /// formats of its own (`own_formats`) checks them by [`Globals::offer_formats`].
    ///
    /// # Errors
    /// When another format was chosen.
    pub fn resolved(&self, own_formats: bool) -> anyhow::Result<Self> {
        if !own_formats {
            self.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        }
        let format = if self.format_choice == FormatChoice::Json { Format::Json } else { Format::Text };
        Ok(Self { format, ..self.clone() })
    }

    /// Refuses a format that the command does not print.
    ///
    /// # Errors
    /// When `--format` is not among `offered`.
    pub fn offer_formats(&self, offered: &[FormatChoice]) -> anyhow::Result<()> {
        let chosen = self.format_choice;
        if offered.contains(&chosen) {
            return Ok(());
        }
        let name =
            |format: &FormatChoice| format.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
        let names: Vec<_> = offered.iter().map(name).collect();
        bail!("--format {} is not printed by this command: expected {}", name(&chosen), names.join(" or "));
    }

    /// Says that a command uses no device, where one was asked for.
    ///
    /// # Errors
    /// When `--lockstep` asks for a comparison.
    pub fn cpu_only(&self, command: &str) -> anyhow::Result<()> {
        if self.lockstep {
            bail!("{command} runs on the CPU only, so --lockstep has nothing to compare; leave it out");
        }
        let asked = !matches!(self.backend, None | Some(BackendChoice::Auto | BackendChoice::Cpu));
        if asked || self.adapter.is_some() {
            self.say(format!("backend: cpu ({command} uses no device)"));
        }
        Ok(())
    }

    /// A line on stderr, unless it is to be quiet.
    pub fn say(&self, line: impl AsRef<str>) {
        if !self.quiet {
            say(line.as_ref());
        }
    }
}

impl Globals {
    /// A fault that the run survives, and how it goes on: a line on stderr.
    pub fn fault(&self, line: &str) {
        if watch::is_on() {
            watch::tell(watch::Kind::Fault, &watch::Told::text(line));
        } else {
            self.say(line);
        }
    }
}

/// A line on stderr, as text or as JSON. That it can't be written is no reason to end a search.
pub fn say(line: &str) {
    if watch::is_on() {
        watch::tell(watch::Kind::Say, &watch::Told::text(line));
    } else {
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn env_text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.trim().is_empty())
}

/// `WGPU_BACKEND`, as wgpu's own programs read it: the first of a comma-separated list.
fn env_backend() -> anyhow::Result<BackendChoice> {
    let Some(text) = env_text("WGPU_BACKEND") else { return Ok(BackendChoice::Auto) };
    let first = text.split(',').next().unwrap_or_default().trim().to_lowercase();
    Ok(match first.as_str() {
        "vulkan" | "vk" => BackendChoice::Vulkan,
        "metal" | "mtl" => BackendChoice::Metal,
        "dx12" | "d3d12" => BackendChoice::Dx12,
        "gl" | "gles" | "opengl" => BackendChoice::Gl,
        other => bail!(
            "WGPU_BACKEND={other} names no backend: expected vulkan, metal, dx12 or gl, as in WGPU_BACKEND=vulkan"
        ),
    })
}
