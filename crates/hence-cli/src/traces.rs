//! Traces: spans go to a collector of OpenTelemetry, where the environment names one by the variables of its specification.

use std::env;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hence_core::threads;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanLimits};
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;
use ureq::Agent;

use super::{Failure, output};

/// Either of them names the collector.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How many bytes of a collector's answer are read.
const MOST_ANSWERED: u64 = 64 << 10;
/// How many times something that a span is told of is kept with it.
const EVENTS: u32 = 32;

static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Sends spans, and says once that it can't.
#[derive(Debug)]
struct Client {
    agent: Agent,
    has_failed: AtomicBool,
}

impl Client {
    fn new() -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(TIME_LIMIT))
            .max_redirects(0)
            .http_status_as_error(false)
            .proxy(None)
            .user_agent(concat!("hence/", env!("CARGO_PKG_VERSION")));
        Self { agent: config.build().into(), has_failed: AtomicBool::new(false) }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let to = request.uri().to_string();
        let sent = self.agent.run(request.map(Vec::from)).map_err(|error| error.to_string());
        let answered = sent.and_then(|response| {
            let (parts, mut body) = response.into_parts();
            let read = body.with_config().limit(MOST_ANSWERED).read_to_vec();
            let read = read.map_err(|error| error.to_string())?;
            match parts.status.is_success() {
                true => Ok(Response::from_parts(parts, Bytes::from(read))),
                false => Err(format!("it answered {}", parts.status)),
            }
        });
        answered.map_err(|why| {
            if !self.has_failed.swap(true, Ordering::Relaxed) {
                output::warning(&format!("traces can't be sent to `{to}`: {why}; they are dropped"));
            }
            why.into()
        })
    }
}

impl HttpClient for Client {
    fn send_bytes<'c, 'f>(
        &'c self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        'c: 'f,
        Self: 'f,
    {
        // Spans are sent from a thread of their own, which may wait.
        Box::pin(async move { self.send(request) })
    }
}

/// Where spans go; nowhere without a collector.
///
/// # Errors
/// Its address is malformed, or there is no room for a thread.
pub(super) fn layer<S>() -> Result<Option<impl Layer<S>>, Failure>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_off = env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true"));
    let Some(named) = ENDPOINTS.iter().find(|name| is_set(name)).filter(|_| !is_off) else {
        return Ok(None);
    };
    let exporter = SpanExporter::builder().with_http().with_http_client(Client::new()).build();
    let exporter = exporter.map_err(|error| Failure::Usage(format!("`{named}`: {error}")))?;
    let resource = Resource::builder();
    let resource = if is_set(&"OTEL_SERVICE_NAME") { resource } else { resource.with_service_name("hence") };
    // The provider panics where it gets no thread.
    threads::check(1).map_err(|error| Failure::Usage(format!("`{named}`: {error}")))?;
    let provider = SdkTracerProvider::builder()
        .with_resource(resource.build())
        .with_span_limits(SpanLimits { max_events_per_span: EVENTS, ..SpanLimits::default() })
        .with_batch_exporter(exporter)
        .build();
    let tracer = provider.tracer("hence");
    let _ = PROVIDER.set(provider);
    let own = Targets::new().with_target("hence", Level::DEBUG);
    Ok(Some(tracing_opentelemetry::layer().with_tracer(tracer).with_filter(own)))
}

/// Sends what was not sent yet.
pub(super) fn end() {
    if let Some(provider) = PROVIDER.get() {
        // What could not be sent was told of.
        let _ = provider.shutdown();
    }
}
