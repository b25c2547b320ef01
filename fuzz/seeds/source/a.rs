use std::process::Command;
mod a { pub(crate) fn f<'a>(x: &'a str) -> impl Fn() + 'a { move || { Command::new(x).spawn().unwrap(); } } }
macro_rules! m { ($($x:expr),*) => { [$($x),*] } }
