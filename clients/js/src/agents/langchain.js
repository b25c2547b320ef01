// LangChain (`langchain`): a middleware that has the gate judge each tool call of an agent.

import { randomUUID } from "node:crypto";

import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import { createMiddleware, ToolMessage } from "langchain";

/** @import { ToolCallRequest } from "langchain" */
/** @import { Gate } from "../gate.js" */

/**
 * Tools under the gate's rules: what they deny does not run, and the model is told why; what they ask about interrupts the
 * agent, in the form of LangChain's own `humanInTheLoopMiddleware`, until somebody approves, edits or rejects it. A call with
 * edited arguments is judged again. The session is the `thread_id` of the run, else one of the middleware's own.
 *
 * @param {Gate} gate
 */
export function governed(gate) {
  const otherwise = randomUUID();
  return createMiddleware({
    name: "hence",
    async wrapToolCall(request, handler) {
      const settled = await settle(gate, request, otherwise);
      if (settled instanceof ToolMessage) return settled;
      const call = callOf(settled, otherwise);
      try {
        const result = await handler(settled);
        await gate.ran(call, !(result instanceof ToolMessage && result.status === "error"));
        return result;
      } catch (error) {
        if (!isGraphBubbleUp(error)) await gate.ran(call, false);
        throw error;
      }
    },
  });
}

/**
 * The request that may run, perhaps with other arguments; else what the model is told.
 *
 * @template {ToolCallRequest<any, any>} Request
 * @param {Gate} gate
 * @param {Request} request
 * @param {string} otherwise
 * @returns {Promise<Request | ToolMessage>}
 */
async function settle(gate, request, otherwise) {
  for (;;) {
    const { kind, text } = await gate.judge(callOf(request, otherwise));
    if (kind === "allow") return request;
    if (kind === "deny") return refusal(request, text);
    const decision = asked(request, text);
    if (decision.type === "approve") return request;
    if (decision.type !== "edit") return refusal(request, decision.message ?? `A person rejected this call. ${text}`);
    const { name, args } = decision.editedAction;
    if (name !== request.toolCall.name) {
      return refusal(request, "The call was edited into one of another tool, and did not run.");
    }
    request = { ...request, toolCall: { ...request.toolCall, args } };
  }
}

/**
 * What somebody decides about a call; the agent is interrupted until then.
 *
 * @param {ToolCallRequest<any, any>} request
 * @param {string} description
 */
function asked({ toolCall: { name, args } }, description) {
  const answer = interrupt({
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "edit", "reject"] }],
  });
  return answer.decisions[0];
}

/** @param {ToolCallRequest<any, any>} request @param {string} text */
function refusal({ toolCall: { name, id } }, text) {
  return new ToolMessage({ content: text, name, tool_call_id: String(id), status: "error" });
}

/** @param {ToolCallRequest<any, any>} request @param {string} otherwise */
function callOf({ toolCall, runtime }, otherwise) {
  const session = String(/** @type {any} */ (runtime).configurable?.thread_id ?? otherwise);
  return { tool: toolCall.name, arguments: toolCall.args, session, call: String(toolCall.id) };
}
