import { chunksOf } from '../../base/chunks-of.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ToolCall } from '../conversation.ts';
import type { LlmFailure, LlmOutcome, LlmPort, LlmRequest } from '../llm-port.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import { findNonce, unmaskNonce } from './script-nonce.ts';
import type { Scenario, ScenarioCall, ScenarioStep } from './script-scenario.ts';

/** Creates a model that replays a scenario, offline and deterministically. */
export function createScriptProvider(scenario: Scenario): LlmPort {
  let replayed = 0;
  return {
    attempt: async (request) => {
      const step = scenario.steps[replayed];
      replayed += 1;
      if (step === undefined) {
        return modelError(
          `The scenario has ${scenario.steps.length} steps, but this is request ${replayed}.`,
        );
      }
      return replayStep(step, scenario, request, replayed);
    },
  };
}

async function replayStep(
  step: ScenarioStep,
  scenario: Scenario,
  request: LlmRequest,
  number: number,
): Promise<LlmOutcome> {
  const { provider = request.provider, model = request.model } = step.expect ?? {};
  if (provider !== request.provider || model !== request.model) {
    return modelError(
      `Step ${number} expects ${provider}/${model}, but the request is for ${request.provider}/${request.model}.`,
    );
  }
  if (step.hang === true) return hang(request.signal);
  if (step.failure !== undefined) return { message: step.failure.class, ...step.failure, ok: false };
  const nonce = findNonce(request);
  const calls = (step.toolCalls ?? []).map((call, index) => renderCall(call, number, index));
  const firstSlot = findFirstSlot(request);
  const tags = firstSlot === undefined ? '' : renderCallTags(calls, firstSlot, nonce);
  const toolCalls = firstSlot === undefined ? calls : [];
  const native = request.tools.some(({ name }) => name === FINAL_REPORT);
  if (step.report !== undefined && native) toolCalls.push(reportCall(step.report, request, number));
  const reported = step.report === undefined || native ? '' : renderTag(step.report, request, nonce);
  const text = unmaskNonce(step.text ?? '', nonce) + tags + reported;
  emitDeltas(step, text, request);
  const usage = step.usage ?? scenario.usage;
  return {
    ok: true,
    text,
    reasoning: step.reasoning ?? '',
    toolCalls,
    stopReason: step.stopReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
    usage,
    ...(step.costUsd !== undefined && { costUsd: step.costUsd }),
  };
}

/** Emits deltas if the request streams; reasoning first, then text, like real models. */
function emitDeltas(step: ScenarioStep, text: string, request: LlmRequest): void {
  if (!request.stream) return;
  if (step.reasoning !== undefined) request.onDelta({ type: 'reasoning', text: step.reasoning });
  const size = Math.max(1, step.chunkCharacters ?? text.length);
  for (const part of chunksOf(text, size)) request.onDelta({ type: 'text', text: part });
}

function renderCall(call: ScenarioCall, step: number, index: number): ToolCall {
  const { id = `call-${step}-${index + 1}`, name, arguments: args = {} } = call;
  return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

/** Returns the first free slot from the turn's instructions, when tools are called with XML tags. */
function findFirstSlot({ messages }: LlmRequest): number | undefined {
  const slot = /<ai-agent-[0-9a-f]{8}-(\d{4}) tool="TOOL_NAME">/u.exec(messages.at(-1)?.content ?? '')?.[1];
  return slot === undefined ? undefined : Number(slot);
}

function renderCallTags(calls: readonly ToolCall[], firstSlot: number, nonce: string | undefined): string {
  return calls
    .map(({ name, arguments: args }, index) => {
      const tag = `ai-agent-${nonce ?? 'NONCE'}-${String(firstSlot + index).padStart(4, '0')}`;
      return `<${tag} tool="${name}">${args}</${tag}>`;
    })
    .join('\n');
}

function renderTag(report: string | JsonObject, request: LlmRequest, nonce: string | undefined): string {
  const tag = `ai-agent-${nonce ?? 'NONCE'}-FINAL`;
  const content = typeof report === 'string' ? report : JSON.stringify(report);
  return `<${tag} tool="${FINAL_REPORT}" format="${requestedFormat(request)}">${content}</${tag}>`;
}

/** Returns the report format from the turn's instructions. */
function requestedFormat({ messages }: LlmRequest): string {
  const format = messages.map(({ content }) => /-FINAL tool="[^"]*" format="([^"]*)"/u.exec(content)?.[1]);
  return format.findLast((found) => found !== undefined) ?? 'markdown';
}

function reportCall(report: string | JsonObject, { tools }: LlmRequest, step: number): ToolCall {
  const schema = tools.find(({ name }) => name === FINAL_REPORT)?.inputSchema;
  const properties = (schema?.['properties'] ?? {}) as Record<string, JsonObject>;
  const field =
    ['content_json', 'messages', 'report_content'].find((name) => name in properties) ?? 'content';
  const args = { format: properties['format']?.['const'] ?? 'markdown', [field]: report };
  return { id: `call-${step}-report`, name: FINAL_REPORT, arguments: JSON.stringify(args) };
}

async function hang(signal: AbortSignal): Promise<LlmFailure> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  return { ok: false, class: 'aborted', message: 'aborted' };
}

function modelError(message: string): LlmFailure {
  return { ok: false, class: 'model_error', message };
}
