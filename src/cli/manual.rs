//! `gpu-solve completions` and `gpu-solve man`: what shells and readers of manuals need, made from the command line itself.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::output::print;
use super::{Cli, Outcome};

/// Print a shell's completions of every command and option
#[derive(Args, Clone, Copy, Debug)]
#[command(after_help = "Examples:\n  gpu-solve completions bash > ~/.bash_completion.d/gpu-solve\n  \
    gpu-solve completions zsh > ~/.zfunc/_gpu-solve\n  \
    gpu-solve completions fish > ~/.config/fish/completions/gpu-solve.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual page of gpu-solve, or write one for each command
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve man | man -l -\n  gpu-solve man --out ~/.local/share/man/man1")]
pub struct Man {
    /// Write a page for each command into the folder DIR, which is made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Completions {
    /// Prints the script.
    ///
    /// # Errors
    /// When stdout fails.
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "gpu-solve", &mut script);
        print(&String::from_utf8(script)?)?;
        Ok(Outcome::Found)
    }
}

impl Man {
    /// Prints the page, or writes all of them.
    ///
    /// # Errors
    /// When stdout or the folder cannot be written.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        match &self.out {
            None => print(&page(command)?)?,
            Some(folder) => {
                fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
                write(folder, "gpu-solve", command)?;
            }
        }
        Ok(Outcome::Found)
    }
}

fn page(command: clap::Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}

/// Writes the pages of a command and of those below it: `gpu-solve-billiard-minimum.1`.
fn write(folder: &Path, name: &str, command: clap::Command) -> anyhow::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write(folder, &format!("{name}-{}", below.get_name()), below.clone())?;
    }
    let file = folder.join(format!("{name}.1"));
    let page = page(command.display_name(name.to_owned()))?;
    fs::write(&file, page).with_context(|| format!("writing {}", file.display()))
}
