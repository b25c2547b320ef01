//! A request as routes read it.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use hence_core::unique;
use serde_json::{Map, Value as Json};

use super::desk::AsOf;
use super::openapi;
use super::problem::Problem;
use super::question::Page;
use super::routes::Route;

/// How many items a list has where nobody says.
const LIMIT: usize = 100;
/// How many it has at most.
const MOST: usize = 1000;

/// What a request says.
pub(crate) struct Call {
    /// What says which members and parameters there are; the page reads its requests by itself.
    pub(crate) route: Option<&'static Route>,
    /// The parts of the path that have names.
    pub(crate) path: BTreeMap<String, String>,
    /// The query.
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Call {
    /// A part of the path.
    pub(crate) fn part(&self, name: &str) -> Result<String, Problem> {
        self.path.get(name).cloned().ok_or_else(|| Problem::new(500, format!("the route has no `{name}`")))
    }

    /// A text of the query.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.query.get(name).cloned()
    }

    /// A number of the query.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(text) = self.query.get(name) else { return Ok(None) };
        let number = text.parse();
        number
            .map(Some)
            .map_err(|_| Problem::malformed(format!("`{name}`: expected a number, found `{text}`")))
    }

    /// Which part of a list is wanted.
    pub(crate) fn page(&self) -> Result<Page, Problem> {
        let size = |number: Option<u64>, otherwise: usize| {
            number.map_or(otherwise, |number| usize::try_from(number).unwrap_or(usize::MAX))
        };
        let limit = size(self.number("limit")?, LIMIT);
        if limit == 0 || limit > MOST {
            return Err(Problem::malformed(format!("`limit`: expected 1 to {MOST}, found {limit}")));
        }
        Ok(Page { offset: size(self.number("offset")?, 0), limit })
    }

    /// Of which state something is asked.
    pub(crate) fn moment(&self) -> Result<AsOf, Problem> {
        Ok(AsOf { min_tx: self.number("min_tx")?, as_of: self.text("as_of") })
    }

    /// A text of the headers; one that can't be read is not one that isn't there.
    pub(crate) fn header(&self, name: &str) -> Result<Option<&str>, Problem> {
        let wrong = |_| Problem::malformed(format!("`{name}`: expected letters of ASCII"));
        self.headers.get(name).map(|value| value.to_str().map_err(wrong)).transpose()
    }

    fn media(&self) -> Option<String> {
        let text = self.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        Some(text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// Checks what the body says that it is.
    pub(crate) fn expect(&self, known: &[&str]) -> Result<(), Problem> {
        match self.media() {
            Some(media) if known.contains(&media.as_str()) => Ok(()),
            found => {
                let found = found.map_or_else(|| String::from("none"), |found| format!("`{found}`"));
                let expected = known.join(" or ");
                Err(Problem::malformed(format!("`Content-Type`: expected {expected}, found {found}")))
            }
        }
    }

    /// Refuses a parameter of the query that the route doesn't have.
    pub(crate) fn check_query(&self) -> Result<(), Problem> {
        match self.route.filter(|route| route.is_strict()) {
            Some(route) => route.check("parameter", self.query.keys(), route.query),
            None => Ok(()),
        }
    }

    /// The same of a member of the body.
    fn check_members(&self, fields: &Map<String, Json>) -> Result<(), Problem> {
        let Some(route) = self.route.filter(|route| route.is_strict()) else { return Ok(()) };
        match route.body.and_then(openapi::members) {
            Some(known) => route.check("member", fields.keys(), &known),
            None => Ok(()),
        }
    }

    /// The body, a JSON object.
    pub(crate) fn object(&self) -> Result<Map<String, Json>, Problem> {
        self.expect(&["application/json"])?;
        if self.body.is_empty() {
            return Err(Problem::malformed("the body is empty; expected a JSON object"));
        }
        match unique::parse(&self.body) {
            Ok(Json::Object(fields)) => {
                self.check_members(&fields)?;
                Ok(fields)
            }
            Ok(_) => Err(Problem::malformed("the body is not a JSON object")),
            Err(error) if error.is_data() => Err(Problem::malformed(format!("the body: {error}"))),
            Err(error) => Err(Problem::malformed(format!("the body is not JSON: {error}"))),
        }
    }
}
