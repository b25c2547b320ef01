//! What stands outside of the day: a model that answers by script, and a pager that is down for its first two calls.
//!
//! `rustc servers.rs && ./servers FOLDER` listens on this machine alone and writes where to `FOLDER/servers.txt`. A post to
//! `/model/NAME` is answered as `FOLDER/answers/NAME` says, in the form of chat completions; what comes to `/pager` once it is up is
//! a line of `FOLDER/paged.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::{env, process};

/// How often the pager does not answer.
const DOWN: u32 = 2;
/// The longest body that is read.
const LONGEST: u64 = 1 << 20;

fn main() {
    let folder = PathBuf::from(env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    if let Err(error) = serve(&folder) {
        eprintln!("error: {error}");
        process::exit(1);
    }
}

fn serve(folder: &Path) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    fs::write(folder.join("servers.txt"), listener.local_addr()?.to_string())?;
    let mut calls = 0;
    loop {
        let (stream, _) = listener.accept()?;
        if let Err(error) = answer(folder, stream, &mut calls) {
            eprintln!("warning: a call ended early: {error}");
        }
    }
}

/// Answers one request, and closes the connection.
fn answer(folder: &Path, mut stream: TcpStream, calls: &mut u32) -> io::Result<()> {
    let (path, body) = request(&stream)?;
    let (status, text) = match path.strip_prefix("/model/") {
        Some(name) => match fs::read_to_string(folder.join("answers").join(name)) {
            Ok(answer) => ("200 OK", completion(answer.trim_end())),
            Err(_) => ("404 Not Found", String::new()),
        },
        None => {
            *calls += 1;
            if *calls > DOWN {
                let mut paged = OpenOptions::new().create(true).append(true).open(folder.join("paged.jsonl"))?;
                writeln!(paged, "{body}")?;
                ("200 OK", String::new())
            } else {
                ("503 Service Unavailable", String::new())
            }
        }
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )
}

/// The path and the body of a request.
fn request(stream: &TcpStream) -> io::Result<(String, String)> {
    let mut reader = BufReader::new(stream).take(LONGEST);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
            length = number.trim().parse().map_err(io::Error::other)?;
        }
        line.clear();
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    Ok((path, body))
}

/// What a model says, as its server wraps it.
fn completion(answer: &str) -> String {
    let quoted = answer.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!(
        "{{\"choices\": [{{\"message\": {{\"content\": \"{quoted}\"}}, \"finish_reason\": \"stop\"}}], \
         \"usage\": {{\"prompt_tokens\": 900, \"completion_tokens\": 120}}}}"
    )
}
