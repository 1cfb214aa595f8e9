# Each target is a command that a person can also type.

.PHONY: run test test-all bench package

run:
	cargo run --release --locked --package saltern-cli -- serve

test:
	cargo xtask test

test-all:
	cargo xtask test-all

bench:
	cargo build --release --locked --package saltern-cli --package saltern-lambda
	cargo build --release --locked --package saltern-bench --features peers
	target/release/saltern-bench kernels
	target/release/saltern-bench http

# POLICIES=FILE puts that document into the zips.
package:
	functions/lambda/package $(if $(POLICIES),--policies "$(POLICIES)")
