//! Sets one flag of the linker.

#![allow(clippy::print_stdout, reason = "a build script controls cargo by its output")]

fn main() {
    // A JVM that drops a class loader unloads its libraries. The workers of a client that was not
    // closed still run this code, so it must stay mapped until the process ends.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
