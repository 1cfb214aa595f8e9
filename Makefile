# Each target is a command that a person can also type.

.PHONY: run test test-all bench package

run:
	cargo run --release --locked --package saltern-cli -- serve

test:
	cargo xtask test

test-all:
	cargo xtask test-all

# About seven minutes on an idle machine, and only an idle one gives figures worth keeping.
bench:
	cargo build --release --locked --package saltern-cli --package saltern-lambda --package saltern-bench
	target/release/saltern-bench all --results functions/bench/results
