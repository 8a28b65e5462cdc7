//! `gpu-solve adapters`: every adapter of every backend.

use std::fmt::Write;

use clap::Args;
use serde::Serialize;

use super::Outcome;
use super::globals::{Format, Globals};
use super::output::{JSON_FORMAT, grouped, print, print_json};
use crate::gpu::adapters::{Description, list};
use crate::gpu::fault::SOFTWARE_ADAPTER_HINT;

/// List every adapter of every backend, with the limits and features that matter here
#[derive(Args, Clone, Copy, Debug)]
#[command(
    after_help = "Examples:\n  gpu-solve adapters\n  gpu-solve adapters --format json\n\nExit code 1: there is none."
)]
pub struct Adapters;

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    adapters: Vec<Description>,
}

impl Adapters {
    /// Lists the adapters.
    ///
    /// # Errors
    /// When stdout fails.
    pub fn run(self, globals: &Globals) -> anyhow::Result<Outcome> {
        let adapters: Vec<_> = list(None).into_iter().map(|adapter| adapter.description).collect();
        let outcome = if adapters.is_empty() { Outcome::None } else { Outcome::Found };
        match globals.format {
            Format::Json => print_json(&Answer { format: JSON_FORMAT, command: "adapters", adapters })?,
            Format::Text if adapters.is_empty() => {
                print("no adapter\n")?;
                globals.say(SOFTWARE_ADAPTER_HINT);
            }
            Format::Text => print(&adapters.iter().map(text).collect::<String>())?,
        }
        Ok(outcome)
    }
}

fn text(adapter: &Description) -> String {
    let mut text = format!("{}  {}\n", adapter.index, adapter.name);
    let mut row = |name: &str, value: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "   {name:<24} {value}");
    };
    row("kind", adapter.kind.name().to_owned());
    row("backend", adapter.backend.name().to_owned());
    row("driver", format!("{} {}", adapter.driver, adapter.driver_info).trim().to_owned());
    row("largest binding", format!("{} bytes", grouped(u128::from(adapter.max_storage_binding_bytes))));
    row("largest buffer", format!("{} bytes", grouped(u128::from(adapter.max_buffer_bytes))));
    row("storage buffers", adapter.max_storage_buffers.to_string());
    row("workgroup memory", format!("{} bytes", grouped(u128::from(adapter.max_workgroup_bytes))));
    row("workgroup invocations", adapter.max_workgroup_invocations.to_string());
    row("workgroups a dimension", grouped(u128::from(adapter.max_workgroups_per_dimension)));
    let [least, greatest] = adapter.subgroup_sizes;
    row("subgroup size", if least == greatest { least.to_string() } else { format!("{least} to {greatest}") });
    row("features", if adapter.features.is_empty() { "none".to_owned() } else { adapter.features.join(", ") });
    text
}
