// Checks the fixtures of `tests/gate/hosts` and the answers in `tests/gate/answers.json` against the types that the hosts
// publish in their packages: `node tests/gate/types/check.mjs FOLDER`. What it needs comes from the npm registry.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGES = {
  claude: ["@anthropic-ai/claude-agent-sdk", "0.3.331", "sdk"],
  copilot: ["@github/copilot-sdk", "1.0.14", "dist/types"],
  gemini: ["@google/gemini-cli-core", "0.61.0", "dist/src/hooks/types"],
};

// The type of each event, and of each answer.
const EVENTS = {
  "claude PreToolUse": "PreToolUseHookInput",
  "claude PostToolUse": "PostToolUseHookInput",
  "claude PostToolUseFailure": "PostToolUseFailureHookInput",
  "claude SessionEnd": "SessionEndHookInput",
  "copilot preToolUse": "Omit<PreToolUseHookInput, 'timestamp'>",
  "copilot postToolUse": "Omit<PostToolUseHookInput, 'timestamp'>",
  "gemini BeforeTool": "BeforeToolInput",
  "gemini AfterTool": "AfterToolInput",
};
const ANSWERS = {
  "claude PreToolUse": "SyncHookJSONOutput",
  "copilot preToolUse": "PreToolUseHookOutput",
  "gemini BeforeTool": "BeforeToolOutput",
};

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? "target/gate-types";
const read = (path) => JSON.parse(readFileSync(join(here, "..", path), "utf8"));
const run = (program, ...words) => execFileSync(program, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
run("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "typescript@5.9.3", "@types/node@22");
let text = "";
const answers = Object.entries(read("answers.json"));
for (const [host, [name, version, file]] of Object.entries(PACKAGES)) {
  const packed = run("npm", "pack", "--silent", `${name}@${version}`).toString().trim();
  mkdirSync(join(folder, host), { recursive: true });
  run("tar", "xzf", packed, "-C", host);
  text += `import type * as ${host} from "./${host}/package/${file}.js";\n`;
  const typed = (type) => type.replace(/\b[A-Z]\w*(Input|Output)\b/g, (word) => `${host}.${word}`);
  let number = 0;
  for (const [event, value] of Object.entries(read(`hosts/${host}.json`))) {
    const type = EVENTS[`${host} ${event}`];
    if (type === undefined) continue;
    if (type.startsWith("Omit")) delete value.timestamp;
    text += `export const ${host}${number++}: ${typed(type)} = ${JSON.stringify(value)};\n`;
  }
  for (const [key, { output }] of answers) {
    const type = ANSWERS[key.split(" ").slice(0, 2).join(" ")];
    if (type === undefined || output === null || !key.startsWith(`${host} `)) continue;
    text += `export const ${host}${number++}: ${typed(type)} = ${JSON.stringify(output)};\n`;
  }
}
writeFileSync(join(folder, "fixtures.ts"), text);
run("npx", "tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "fixtures.ts");
console.log(`${text.split("\n").length - 1 - Object.keys(PACKAGES).length} fixtures fit the types of their hosts`);
