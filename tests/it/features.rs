//! What a build says of commands and options of features that it was built without.

use super::command;

/// What `hence` says to these words, with its status.
fn said(words: &[&str]) -> (Option<i32>, String) {
    let output = command::hence(std::path::Path::new("."), words).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(not(all(feature = "dataflow", feature = "server", feature = "parquet")))]
fn refused(words: &[&str], what: &str, feature: &str) {
    let (status, said) = said(words);
    let expected = format!(
        "error: {what} needs the feature `{feature}`, without which this hence was built\n  \
         help: build one with it: `cargo build --release --features {feature}`\n"
    );
    assert_eq!((status, said), (Some(2), expected), "{words:?}");
}

#[test]
#[cfg(not(feature = "dataflow"))]
fn a_cluster_needs_a_feature() {
    refused(&["cluster", "run", "--hosts", "hosts.toml"], "`hence cluster`", "dataflow");
    refused(&["-q", "cluster"], "`hence cluster`", "dataflow");
    refused(&["help", "cluster"], "`hence cluster`", "dataflow");
}

#[test]
#[cfg(not(feature = "server"))]
fn http_needs_a_feature() {
    refused(&["mcp"], "`hence mcp`", "server");
    refused(&["token", "new", "ann"], "`hence token`", "server");
    refused(&["serve", "--http", "127.0.0.1:80"], "`--http` of `hence serve`", "server");
    refused(&["serve", "--http=127.0.0.1:80"], "`--http` of `hence serve`", "server");
    refused(&["serve", "--demo"], "`--demo` of `hence serve`", "server");
}

#[test]
#[cfg(not(feature = "parquet"))]
fn parquet_needs_a_feature() {
    refused(&["export", "--format", "parquet"], "`--format parquet` of `hence export`", "parquet");
    refused(&["export", "--format=parquet"], "`--format parquet` of `hence export`", "parquet");
}

#[test]
fn another_mistake_is_told_as_it_is() {
    for words in [&["serve", "--htp"][..], &["export", "--format", "parket"], &["clutter"]] {
        let (status, said) = said(words);
        assert_eq!(status, Some(2), "{words:?}");
        assert!(!said.contains("feature"), "{words:?}: {said}");
    }
}
