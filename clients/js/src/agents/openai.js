// OpenAI's Agents SDK (`@openai/agents`): the gate judges the calls of function tools.

import { defineToolInputGuardrail, defineToolOutputGuardrail, ToolGuardrailFunctionOutputFactory } from "@openai/agents";

/** @import { FunctionTool, RunContext } from "@openai/agents" */
/** @import { Gate } from "../gate.js" */

/**
 * The tool under the gate's rules: what they deny does not run, and the model is told why, or the run ends with the SDK's
 * exception where `halt`; what they ask about interrupts the run until it is approved. The rules know what was called before in
 * the same `session`, whichever tool it was.
 *
 * @template {FunctionTool<any, any, any>} Tool
 * @param {Tool} tool
 * @param {Gate} gate
 * @param {{ session: string | ((context: RunContext<any>) => string), halt?: boolean }} options
 * @returns {Tool}
 */
export function governed(tool, gate, { session, halt = false }) {
  /** @param {RunContext<any>} context @param {string} text @param {string} call */
  const callOf = (context, text, call) => ({
    tool: tool.name, arguments: argumentsOf(text), session: typeof session === "string" ? session : session(context), call,
  });
  const before = defineToolInputGuardrail({
    name: "hence",
    async run({ context, toolCall }) {
      const verdict = await gate.judge(callOf(context, toolCall.arguments, toolCall.callId));
      const approved = context.isToolApproved({ toolName: tool.name, callId: toolCall.callId }) === true;
      if (verdict.kind === "allow" || (verdict.kind === "ask" && approved)) {
        return ToolGuardrailFunctionOutputFactory.allow(verdict);
      }
      return halt
        ? ToolGuardrailFunctionOutputFactory.throwException(verdict)
        : ToolGuardrailFunctionOutputFactory.rejectContent(verdict.text, verdict);
    },
  });
  const after = defineToolOutputGuardrail({
    name: "hence",
    async run({ context, toolCall }) {
      await gate.ran(callOf(context, toolCall.arguments, toolCall.callId));
      return ToolGuardrailFunctionOutputFactory.allow();
    },
  });
  return {
    ...tool,
    async needsApproval(/** @type {RunContext<any>} */ context, /** @type {any} */ input, /** @type {string} */ call) {
      const verdict = await gate.judge(callOf(context, JSON.stringify(input), call));
      return verdict.kind === "ask" || tool.needsApproval(context, input, call);
    },
    inputGuardrails: [before, ...(tool.inputGuardrails ?? [])],
    outputGuardrails: [after, ...(tool.outputGuardrails ?? [])],
  };
}

/**
 * The arguments of a call; what is no object is judged as one that has it.
 *
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function argumentsOf(text) {
  const read = JSON.parse(text || "{}");
  return typeof read === "object" && read !== null && !Array.isArray(read) ? read : { arguments: read };
}
