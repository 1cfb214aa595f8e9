# Each target is a command that a person can also type.

.PHONY: run test test-all bench event package

run:
	cargo run --release --locked --package saltern-cli -- serve

test:
	cargo xtask test

test-all:
	cargo xtask test-all

# Some eight minutes on an idle machine; only an idle one gives figures worth keeping. RESULTS=DIRECTORY keeps them: those that
# the documents quote stand in functions/bench/results, by processor.
RESULTS ?= target/bench

bench:
	cargo build --release --locked --package saltern-cli --package saltern-lambda
	cargo build --release --locked --package saltern-bench --features peers
	target/release/saltern-bench all --results $(RESULTS)

# Four evenings: what Yle saw, and what it would see prepared. Some eight minutes; it ends with the name of the report.
event:
	loadtest/event

# POLICIES=FILE puts that document into the zips.
package:
	functions/lambda/package $(if $(POLICIES),--policies "$(POLICIES)")
