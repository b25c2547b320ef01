//! Carriers over TLS, against servers on loopback whose certificates openssl makes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::command;

/// Makes an authority and a certificate of 127.0.0.1 that it signed.
fn certificates(dir: &Path) {
    fs::write(dir.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    let authority =
        ["req", "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"];
    let asked = ["req", "-subj", "/CN=server", "-keyout", "server.key", "-out", "asked"];
    let signed = [
        "x509",
        "-req",
        "-in",
        "asked",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "2",
    ];
    let rest = ["-extfile", "names", "-out", "server.pem"];
    for args in [[&authority[..], &key].concat(), [&asked[..], &key].concat(), [&signed[..], &rest].concat()]
    {
        let made = Command::new("openssl").args(&args).current_dir(dir).output().unwrap();
        assert!(made.status.success(), "{args:?}: {}", String::from_utf8_lossy(&made.stderr));
    }
}

const SERVER: &str = "import http.server, ssl, sys
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        open('got', 'ab').write(body)
        self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
    def log_message(self, *_): pass
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('server.pem', 'server.key')
server = http.server.HTTPServer(('127.0.0.1', 0), Hook)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
";

/// The server, which ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server of TLS in a folder, and its port.
fn serve(dir: &Path, program: &str) -> (Server, String) {
    certificates(dir);
    let mut child = Command::new("python3")
        .args(["-c", program])
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut port = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
    (Server(child), port.trim().to_owned())
}

/// What `hence decide --carry-out` says, with the file of trusted certificates.
fn told(dir: &Path, trusted: Option<&str>) -> String {
    let mut command = command::hence(dir, &["decide", "--carry-out", "--facts", "facts.jsonl"]);
    command.env_remove("SSL_CERT_FILE").envs(trusted.map(|file| ("SSL_CERT_FILE", file)));
    let run = command.output().unwrap();
    [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
}

fn folder(dir: &Path, port: &str) {
    let config = format!(
        "author = \"ada\"\npacks = [\"guardrails\"]\n[carry]\n\
        notify = {{ carrier = \"webhook\", url = \"https://127.0.0.1:{port}/\", attempts = 1 }}\n"
    );
    fs::write(dir.join("hence.toml"), config).unwrap();
    fs::write(dir.join("facts.jsonl"), "{\"guarded_event\": [\"payment-7\", \"/financial\"]}\n").unwrap();
}

#[test]
fn a_web_hook_is_posted_to_over_tls_where_its_certificate_is_trusted() {
    let dir = crate::memory::folder();
    let (_server, port) = serve(dir.path(), SERVER);
    folder(dir.path(), &port);
    let said = told(dir.path(), Some("ca.pem"));
    let got = fs::read_to_string(dir.path().join("got")).unwrap_or_else(|_| panic!("{said}"));
    assert!(got.contains("\"payment-7\""), "{got}");
}

#[test]
fn a_certificate_that_nobody_trusts_is_said_to_be_that_and_nothing_is_sent() {
    let dir = crate::memory::folder();
    let (_server, port) = serve(dir.path(), SERVER);
    folder(dir.path(), &port);
    let said = told(dir.path(), None);
    assert!(said.contains("its certificate is not trusted: "), "{said}");
    assert!(said.contains("`SSL_CERT_FILE` names a file of certificates that are"), "{said}");
    assert!(!dir.path().join("got").exists());
}

#[test]
fn a_file_of_certificates_that_holds_none_is_refused() {
    let dir = crate::memory::folder();
    folder(dir.path(), "1");
    fs::write(dir.path().join("none.pem"), "no certificate\n").unwrap();
    let said = told(dir.path(), Some("none.pem"));
    assert!(said.contains("`SSL_CERT_FILE` names `none.pem`: it holds no certificate in PEM"), "{said}");
    fs::remove_file(dir.path().join("none.pem")).unwrap();
    fs::remove_dir_all(dir.path().join(".hence")).unwrap();
    let said = told(dir.path(), Some("none.pem"));
    assert!(said.contains("`SSL_CERT_FILE` names `none.pem`: "), "{said}");
}

/// A server of mails that speaks TLS from the beginning or, by `STARTTLS`, from then on, and keeps what it hears.
#[cfg(feature = "mail")]
const RELAY: &str = "import socket, ssl
WAY = '{way}'
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('server.pem', 'server.key')
listener = socket.create_server(('127.0.0.1', 0))
print(listener.getsockname()[1], flush=True)
def secured(stream):
    return context.wrap_socket(stream, server_side=True)
def speak(stream, is_secure, greets):
    lines = stream.makefile('rb', buffering=0)
    if greets: stream.sendall(b'220 here\\r\\n')
    text = False
    while line := lines.readline():
        open('got' if is_secure else 'clear', 'ab').write(line)
        if text:
            text = line != b'.\\r\\n'
            if text: continue
        if line.startswith(b'DATA'):
            text = True
            stream.sendall(b'354 go on\\r\\n')
        elif line.startswith(b'EHLO') and not is_secure and WAY == 'starttls':
            stream.sendall(b'250-here\\r\\n250 STARTTLS\\r\\n')
        elif line.startswith(b'STARTTLS'):
            stream.sendall(b'220 go on\\r\\n')
            return speak(secured(stream), True, False)
        elif line.startswith(b'QUIT'):
            stream.sendall(b'221 bye\\r\\n')
            return
        else:
            stream.sendall(b'250 yes\\r\\n')
while True:
    plain, _ = listener.accept()
    try:
        with plain if WAY != 'implicit' else secured(plain) as stream:
            speak(stream, WAY == 'implicit', True)
    except OSError:
        pass
";

/// A folder that mails by such a server, which offers `offered` and is asked for `wanted`.
#[cfg(feature = "mail")]
fn mailing(offered: &str, wanted: &str) -> (tempfile::TempDir, Server) {
    let dir = crate::memory::folder();
    let (server, port) = serve(dir.path(), &RELAY.replace("{way}", offered));
    let mail = format!(
        "author = \"ada\"\npacks = [\"guardrails\"]\n[carry]\nnotify = {{ carrier = \"mail\", \
        server = \"127.0.0.1:{port}\", tls = \"{wanted}\", from = \"h@example.org\", to = [\"a@example.org\"], \
        attempts = 1 }}\n"
    );
    folder(dir.path(), &port);
    fs::write(dir.path().join("hence.toml"), mail).unwrap();
    (dir, server)
}

#[cfg(feature = "mail")]
#[test]
fn a_mail_goes_over_tls_where_the_certificate_of_the_server_is_trusted() {
    for way in ["implicit", "starttls"] {
        let (dir, _server) = mailing(way, way);
        let said = told(dir.path(), None);
        assert!(said.contains("its certificate is not trusted: "), "{way}: {said}");
        assert!(!dir.path().join("got").exists());
        fs::remove_dir_all(dir.path().join(".hence")).unwrap();
        let said = told(dir.path(), Some("ca.pem"));
        let got = fs::read_to_string(dir.path().join("got")).unwrap_or_else(|_| panic!("{way}: {said}"));
        assert!(got.contains("payment-7"), "{way}: {got}");
        let clear = fs::read_to_string(dir.path().join("clear")).unwrap_or_default();
        assert!(!clear.contains("MAIL") && !clear.contains("payment-7"), "{way}: {clear}");
    }
}

#[cfg(feature = "mail")]
#[test]
fn nothing_is_mailed_in_the_clear_where_tls_is_asked_for() {
    let (dir, _server) = mailing("none", "starttls");
    let said = told(dir.path(), Some("ca.pem"));
    let clear = fs::read_to_string(dir.path().join("clear")).unwrap();
    assert!(clear.contains("EHLO") && !clear.contains("MAIL"), "{clear}");
    assert!(said.contains("STARTTLS is not supported"), "{said}");
}
