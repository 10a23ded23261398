//! `rankguard completions` and `rankguard man`: the command line as a script for shells, and as manual pages.

use super::Cli;
use super::print::say;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use rankguard::error::{Error, Result};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rankguard completions bash > ~/.local/share/bash-completion/completions/rankguard
  rankguard completions zsh > ~/.zfunc/_rankguard         (with fpath+=~/.zfunc before compinit)
  rankguard completions fish > ~/.config/fish/completions/rankguard.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rankguard man | man -l -                                  read the main page
  rankguard man --out ~/.local/share/man/man1               one page for every command; then: man rankguard-run")]
pub struct ManArgs {
    /// Write a page for every command into this folder, instead of printing the main page
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the script that completes commands and options.
pub fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rankguard", &mut script);
    say(&String::from_utf8_lossy(&script))
}

/// Prints the main page, or writes all pages.
pub fn man(args: &ManArgs) -> Result<()> {
    match &args.out {
        Some(folder) => write_pages(folder),
        None => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
            rendered.map_err(|e| Error::failed(format!("the manual cannot be made: {e}")))?;
            say(&String::from_utf8_lossy(&page))
        }
    }
}

fn write_pages(folder: &Path) -> Result<()> {
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|e| Error::cannot_write(folder, &e))?;
    let reader = if folder.file_name().is_some_and(|name| name == "man1") {
        "man rankguard".into()
    } else {
        format!("man {}", folder.join("rankguard.1").display())
    };
    say(&format!("a page for every command is in {}; read with: {reader}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
