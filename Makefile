# Each target is short for a command.

.PHONY: run test test-all bench event package

run:
	cargo run --release --locked --package saltern-cli -- serve

test:
	cargo xtask test

test-all:
	cargo xtask test-all

# Takes some ten minutes. Only the figures of an idle machine are worth keeping.
# RESULTS=DIRECTORY keeps them. The documents quote those in functions/tools/measure/results, by
# processor.
RESULTS ?= target/bench

bench:
	cargo build --release --locked --package saltern-cli
	cargo build --release --locked --package saltern-measure --features peers
	target/release/saltern-measure compare --results $(RESULTS)

# Runs the evenings of loadtest/README.md. Takes at most eight minutes after the build. The last lines
# name the report.
event:
	loadtest/event

# POLICIES=FILE puts this policy document into the zips.
package:
	functions/lambda/package $(if $(POLICIES),--policies "$(POLICIES)")
