//! `[mcp]` of `hence.toml`: where servers of tools are searched for, and which may be reached.

use std::path::PathBuf;

use hence_actuators::mcp_settings::{DECISIONS, McpSettings, Registry, TIME_LIMIT};

use super::super::carried::Means;
use super::super::settings::MCP;
use super::super::shown;
use super::carry::{Said, plain};
use super::{DeTable, Kind, Range, Reading};

/// What is said of servers.
const KEYS: [(&str, Kind); 7] = [
    ("registries", Kind::Texts),
    ("servers", Kind::Text),
    ("programs", Kind::Texts),
    ("hosts", Kind::Texts),
    ("env", Kind::Texts),
    ("timeout", Kind::TimeLimit),
    ("as", Kind::Text),
];

impl Reading<'_> {
    /// `registries = ["servers.json"]`, `programs = ["npx"]`
    pub(super) fn mcp(&mut self, key: Range<usize>, table: &DeTable<'_>) {
        let Some(mut said) = self.said(MCP, &KEYS, table) else { return };
        let author = said.text("as");
        let beside = self.path.parent().unwrap_or(self.path).to_owned();
        match said.mcp(|path| shown(&beside.join(path))) {
            Ok(settings) => self.crew(MCP, key, &DECISIONS, author.as_deref(), &Means::Mcp(settings)),
            Err(what) => self.wrong(key, format!("`{MCP}`: {what}")),
        }
    }
}

impl Said<'_> {
    fn mcp(&mut self, beside: impl Fn(&str) -> PathBuf) -> Result<McpSettings, String> {
        let registry = |text: String| match text.contains("://") {
            true => plain(text).map(Registry::Url),
            false => Ok(Registry::File(beside(&text))),
        };
        let registries = self.texts("registries").into_iter().map(registry).collect::<Result<Vec<_>, _>>()?;
        if registries.is_empty() {
            return Err(String::from(
                "missing registries; expected `registries = [\"…\"]` with files or URLs",
            ));
        }
        let servers = self.text("servers");
        Ok(McpSettings {
            registries,
            servers: beside(servers.as_deref().unwrap_or("mcp_servers.json")),
            programs: self.texts("programs"),
            hosts: self.texts("hosts"),
            env: self.texts("env"),
            time_limit: self.duration("timeout").unwrap_or(TIME_LIMIT),
        })
    }
}
