# The commands that CI runs; `.ci/run` runs them without just.

# Everything, as CI does.
default: lint test doc

# Formatting and lints, compiled packs, mails, TLS and the service among what is looked at.
lint:
    cargo fmt --all --check
    cargo fmt --manifest-path benches/Cargo.toml --check
    cargo clippy --workspace --all-targets --features packs,mail,tls,server,otel,parquet,dataflow -- -D warnings
    cargo clippy -- -D warnings
    cargo check --locked --manifest-path benches/Cargo.toml

# The library by itself, all tests, then those of SQL in DuckDB, of compiled packs, of mails, of TLS, of the service over HTTP and of its clients.
test:
    cargo test --no-default-features --test embed
    cargo test
    HENCE_SQL=1 cargo test --test it -- sql
    cargo test --features packs,mail,tls,server,otel,parquet,dataflow --test it -- compiled mails tls http parquet dataflow --skip bulk
    cargo test --features packs,mail,tls,server,otel,parquet,dataflow --test cases -- golden
    cargo test --features packs,mail,tls,server,otel,parquet,dataflow --test cases -- corpus::good
    cargo test --features packs,mail,tls,server,otel,parquet,dataflow --test cases -- docs/cluster
    cargo test -p hence-server
    cargo test --features packs,mail,tls,server,otel,parquet,dataflow --test cases -- docs/http
    cargo test --features packs,mail,tls,server,otel,parquet,dataflow --test cases -- docs/mcp
    bash tests/browser/run.sh
    bash clients/run.sh

# The fixtures of the gate against the types that hosts publish; needs node and the npm registry.
gate-types:
    node tests/gate/types/check.mjs target/gate-types

# The documentation of the code, without warnings.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# The book, in target/book; needs `cargo install mdbook`.
book:
    mdbook build

# Dependencies: licences, duplicates, sources; needs `cargo install cargo-deny`.
deny:
    cargo deny check licenses bans sources

# Known vulnerabilities of dependencies; needs cargo-deny and the network.
advisories:
    cargo deny check advisories

# Rewrites the expectations of the tests; read the difference before you commit it.
update:
    UPDATE=1 cargo test --test cases
    UPDATE=1 cargo test --test it -- book
