//! FlowLog's programs become Rust here; `src/peers/flowlog.rs` takes them in.

use std::error::Error;

use flowlog_build::{Builder, compile};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = "external/flowlog";
    for program in ["tc", "sg", "andersen", "triangle", "ontology"] {
        compile(format!("{folder}/{program}.dl"))?;
    }
    let functions = Builder::default().udf_file(format!("{folder}/udf.rs"));
    functions.compile(&[format!("{folder}/agg.dl")], &[folder]).map_err(|error| error.to_string().into())
}
