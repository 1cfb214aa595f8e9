# Each target is a command that a person can also type.

.PHONY: run test test-all bench package

run:
	cargo run --release --locked --package saltern-cli -- serve

test:
	cargo xtask test

test-all:
	cargo xtask test-all
