//! The trace that a request belongs to, as its caller says by the header `traceparent` (W3C Trace Context, level 1).

use axum::http::HeaderMap;
use tracing::Span;
use tracing::field::Empty;

/// The length of a `traceparent` of version 0; later versions may go on after a `-`.
const LENGTH: usize = 55;

/// What a caller says of its trace.
struct Parent<'h> {
    trace: &'h str,
    #[cfg_attr(not(feature = "otel"), expect(dead_code, reason = "only collectors join spans"))]
    span: &'h str,
    #[cfg_attr(not(feature = "otel"), expect(dead_code, reason = "only collectors join spans"))]
    flags: &'h str,
}

impl<'h> Parent<'h> {
    /// Nothing where there is none, and where it is malformed: a trace then begins here.
    fn of(headers: &'h HeaderMap) -> Option<Self> {
        let text = headers.get("traceparent")?.to_str().ok()?;
        let mut parts = text.splitn(5, '-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_hex = |text: &str, length| {
            text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_id = |text: &str, length| is_hex(text, length) && text.bytes().any(|byte| byte != b'0');
        let is_whole = is_hex(version, 2)
            && version != "ff"
            && (version != "00" || text.len() == LENGTH)
            && is_id(trace, 32)
            && is_id(span, 16)
            && is_hex(flags, 2);
        is_whole.then_some(Self { trace, span, flags })
    }
}

/// The span of a request, in the trace of its caller; and the id of that trace, where there is one.
pub(crate) fn span(route: &str, headers: &HeaderMap) -> (Span, Option<String>) {
    let span = tracing::debug_span!("request", route, trace = Empty, status = Empty, otel.kind = Empty);
    let Some(parent) = Parent::of(headers) else { return (span, None) };
    span.record("trace", parent.trace);
    #[cfg(feature = "otel")]
    adopt(&span, &parent);
    (span, Some(parent.trace.to_owned()))
}

/// Makes the span one of its caller's trace, where spans are collected.
#[cfg(feature = "otel")]
fn adopt(span: &Span, parent: &Parent<'_>) {
    use opentelemetry::Context;
    use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState};
    use tracing_opentelemetry::OpenTelemetrySpanExt as _;

    span.record("otel.kind", "server");
    let (Ok(trace), Ok(id), Ok(flags)) = (
        TraceId::from_hex(parent.trace),
        SpanId::from_hex(parent.span),
        u8::from_str_radix(parent.flags, 16),
    ) else {
        return;
    };
    let context = SpanContext::new(trace, id, TraceFlags::new(flags), true, TraceState::default());
    // Where spans are not collected there is nothing to join.
    let _ = span.set_parent(Context::new().with_remote_span_context(context));
}
