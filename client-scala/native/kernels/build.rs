//! One flag for the linker.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

fn main() {
    // A JVM that drops a class loader unloads its libraries, and under the workers of a client that nobody closed the code would
    // be gone: it stays mapped until the process ends.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
