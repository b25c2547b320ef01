# The commands that CI runs; `.ci/run` runs them without just.

# Everything, as CI does.
default: lint test doc

# Formatting and lints, compiled packs among what is looked at.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo clippy --workspace --all-targets --features packs -- -D warnings

# All tests, then those of compiled packs.
test:
    cargo test --workspace
    cargo test --features packs --test it -- compiled golden --skip bulk

# The documentation of the code, without warnings.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# The book, in target/book; needs mdbook.
book:
    mdbook build docs

# Dependencies: licences, advisories, sources; needs cargo-deny.
deny:
    cargo deny check

# Writes the expectations of the tests anew; read the difference before you commit it.
update:
    UPDATE=1 cargo test --test it -- transcripts book
