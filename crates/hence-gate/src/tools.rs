//! Tools of all hosts under one name, and their arguments likewise.

use crate::json::Object;

/// The gate's name for a tool: its own word for what all hosts have, `mcp/SERVER/TOOL`, or the host's name as it is.
pub(crate) fn named(own: &str) -> String {
    let word = match own {
        "Bash" | "bash" | "shell" | "Shell" | "run_shell_command" | "execute_bash" | "execute_cmd"
        | "executeBash" | "exec_command" | "local_shell" | "powershell" | "runTerminalCommand"
        | "run_in_terminal" | "Monitor" => "shell",
        "Read" | "read" | "read_file" | "view" | "fs_read" | "NotebookRead" | "readFile" => "read",
        "Write" | "write" | "write_file" | "create" | "fs_write" | "create_file" => "write",
        "Edit" | "MultiEdit" | "NotebookEdit" | "edit" | "replace" | "str_replace" | "StrReplace"
        | "apply_patch" | "search_replace" => "edit",
        "Delete" | "delete" | "delete_file" => "delete",
        "LS" | "list_directory" | "list_dir" | "ListDir" => "list",
        "Grep"
        | "Glob"
        | "grep"
        | "glob"
        | "rg"
        | "grep_search"
        | "search_file_content"
        | "find_files"
        | "code_search"
        | "codebase_search" => "search",
        "WebFetch" | "web_fetch" | "fetch" | "webFetch" => "fetch",
        "WebSearch" | "web_search" | "google_web_search" => "web_search",
        "Task" | "Agent" | "task" | "use_subagent" | "invoke_agent" | "spawn_agent" => "agent",
        "TodoWrite" | "write_todos" | "update_plan" | "update_todo" | "todo_list" | "TaskCreate"
        | "TaskUpdate" | "TaskGet" | "TaskList" | "AskUserQuestion" | "ask_user" | "ExitPlanMode"
        | "EnterPlanMode" | "BashOutput" | "TaskOutput" | "KillShell" | "TaskStop" | "ToolSearch"
        | "exit_plan_mode" | "enter_plan_mode" | "report_intent" | "thinking" => "plan",
        _ => return mcp(own).unwrap_or_else(|| own.to_owned()),
    };
    word.to_owned()
}

/// A tool of a server: `mcp__SERVER__TOOL`, `mcp_SERVER_TOOL` with one word each, `@SERVER/TOOL`, `MCP:TOOL`.
fn mcp(own: &str) -> Option<String> {
    if let Some(rest) = own.strip_prefix("mcp__") {
        let (server, tool) = rest.split_once("__").unwrap_or((rest, "*"));
        return Some(format!("mcp/{server}/{tool}"));
    }
    if let Some(rest) = own.strip_prefix('@') {
        let (server, tool) = rest.split_once('/').unwrap_or((rest, "*"));
        return Some(format!("mcp/{server}/{tool}"));
    }
    if let Some(tool) = own.strip_prefix("MCP:") {
        return Some(format!("mcp//{tool}"));
    }
    let rest = own.strip_prefix("mcp_")?;
    let (server, tool) = rest.split_once('_')?;
    Some(format!("mcp/{server}/{tool}"))
}

/// Arguments under the gate's names; what has none keeps its own, and so does what would take another's place.
pub(crate) fn arguments(tool: &str, own: Object) -> Object {
    let (mut all, others): (Object, Object) =
        own.into_iter().partition(|(name, _)| renamed(tool, name) == name);
    for (name, value) in others {
        let word = renamed(tool, &name);
        let word = if all.contains_key(word) { name.as_str() } else { word };
        all.insert(word.to_owned(), value);
    }
    all
}

/// Whether an argument is a second one of what has a name in the gate's words.
pub(crate) fn is_another(tool: &str, name: &str, word: &str) -> bool {
    name != word && renamed(tool, name) == word
}

/// The arguments that may hold a patch.
pub(crate) const PATCHES: [&str; 3] = ["patch", "input", "command"];

fn renamed<'n>(tool: &str, name: &'n str) -> &'n str {
    match (tool, name) {
        ("shell", "command" | "cmd" | "script" | "commands" | "input") => "command",
        ("shell", "cwd" | "workdir" | "dir_path" | "directory" | "working_dir" | "working_directory") => {
            "cwd"
        }
        (
            "read" | "write" | "edit" | "delete",
            "file_path" | "path" | "filePath" | "target_file" | "notebook_path" | "absolute_path"
            | "filename",
        ) => "path",
        ("edit", name) if PATCHES.contains(&name) => "patch",
        ("write", "content" | "contents" | "file_text" | "text") => "content",
        ("edit", "new_string" | "new_str" | "new_source") => "content",
        ("list" | "search", "path" | "dir_path" | "directory" | "dir" | "target_directory") => "path",
        ("fetch", "url" | "uri") => "url",
        _ => name,
    }
}
