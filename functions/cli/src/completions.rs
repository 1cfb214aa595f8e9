//! The command `completions`: a script with which a shell completes the command line.

use clap::Args;

use saltern_server::{Failure, say};

/// Arguments of the command `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Prints the completion script of a program.
///
/// # Errors
/// [`Failure::System`] if the script cannot be written.
pub fn run(arguments: &CompletionsArguments, definition: clap::Command) -> Result<(), Failure> {
    say(&script(arguments.shell, definition))
}

fn script(shell: clap_complete::Shell, mut definition: clap::Command) -> String {
    let mut script = Vec::new();
    let name = definition.get_name().to_owned();
    clap_complete::generate(shell, &mut definition, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use clap_complete::Shell;

    use super::*;
    use crate::sample::definition;

    /// Returns every command below this one: the words that call it and its long flags.
    fn commands(of: &clap::Command, before: &[String]) -> Vec<(Vec<String>, Vec<String>)> {
        let words = [before, &[of.get_name().to_owned()]].concat();
        let flags = of.get_opts().chain(of.get_arguments()).filter_map(clap::Arg::get_long);
        let own = (words.clone(), flags.map(|flag| format!("--{flag}")).collect());
        let below = of.get_subcommands().filter(|command| command.get_name() != "help");
        [own].into_iter().chain(below.flat_map(|command| commands(command, &words))).collect()
    }

    fn all_commands() -> Vec<(Vec<String>, Vec<String>)> {
        let mut definition = definition();
        definition.build();
        commands(&definition, &[])
    }

    #[test]
    fn the_script_of_every_shell_names_every_command_and_flag() {
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            let script = script(shell, definition());
            for (words, flags) in all_commands() {
                assert!(words.iter().all(|word| script.contains(word)), "{shell}: {words:?}");
                for flag in flags {
                    // fish writes the name of a flag after `-l`.
                    let written =
                        if shell == Shell::Fish { format!("-l {}", &flag[2..]) } else { flag.clone() };
                    assert!(script.contains(&written), "{shell}: {words:?} {flag}");
                }
            }
        }
    }

    /// Runs bash and reads the completions that it offers after each command.
    #[test]
    fn bash_offers_every_command_and_flag() {
        let file = std::env::temp_dir().join(format!("saltern-completions-{}.bash", std::process::id()));
        fs::write(&file, script(Shell::Bash, definition())).unwrap();
        let offered = |words: &[String], typed: &str| -> Vec<String> {
            let line = [words, &[typed.to_owned()]].concat();
            let ask = "source \"$1\" || exit; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
                       _saltern saltern \"${@: -1}\" \"${@: -2:1}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
            let mut bash = Command::new("bash");
            bash.args(["--norc", "--noprofile", "-c", ask, "bash"]).arg(&file).args(&line);
            let output = bash.output().expect("this test needs bash");
            assert!(output.stderr.is_empty(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
        };
        let commands = all_commands();
        for (words, flags) in &commands {
            let found = offered(words, "--");
            let missing: Vec<_> = flags.iter().filter(|flag| !found.contains(flag)).collect();
            assert!(missing.is_empty(), "{words:?} lacks {missing:?}: {found:?}");
        }
        let top: Vec<_> = commands.iter().filter(|(words, _)| words.len() == 2).collect();
        let found = offered(&["saltern".to_owned()], "");
        assert!(top.len() == 2 && top.iter().all(|(words, _)| found.contains(&words[1])), "{found:?}");
        assert_eq!(offered(&["saltern".to_owned(), "policies".to_owned()], "verif"), ["verify"]);
        fs::remove_file(file).unwrap();
    }
}
