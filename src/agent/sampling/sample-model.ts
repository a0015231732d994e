import { randomId } from '../../base/ids.ts';
import { Budget } from '../accounting/budget.ts';
import { computeCost } from '../accounting/cost.ts';
import { contextLimit } from '../context/context-guard.ts';
import { runAfterModel, runBeforeModel } from '../hooks/run-hooks.ts';
import type { LlmResponse } from '../llm-port.ts';
import { attemptLlm, type PreparedRequest } from '../session/attempt-llm.ts';
import { isFinalTurn, type SessionScope } from '../session/session-scope.ts';
import type { Target } from '../session-config.ts';
import type { SamplingAnswer, SamplingRequest } from './sampling-request.ts';

/**
 * Sends a request of a tool server to the model of the session. It counts as a turn, and its tokens and cost count like the tokens and cost of a
 * sub-agent. Throws an Error with the reason when the limits of the session do not allow it, or the model does not answer.
 */
export async function sampleModel(
  scope: SessionScope,
  server: string,
  request: SamplingRequest,
): Promise<SamplingAnswer> {
  const { state, config } = scope;
  const { maxTurns } = config.limits;
  const promptTokens = scope.estimate.messages(request.messages);
  const targets = config.targets.filter((target) => promptTokens <= contextLimit(target));
  const [first] = targets;
  if (first === undefined) throw new Error(`the prompt has ${promptTokens} tokens and fits no model`);
  // At least one turn must remain for the report.
  if (isFinalTurn(scope) || state.turn + 1 >= maxTurns)
    throw new Error(`no turn is left for it (maxTurns is ${maxTurns})`);
  const budget = new Budget({}, scope.budget);
  try {
    budget.expect(expectedSpending(promptTokens, first));
    const cap = budget.callerCapReached();
    if (cap !== undefined) throw new Error(`the session has no budget left for it (${cap.reason})`);
    state.turn += 1;
    state.turnsCompleted += 1;
    scope.log(
      'INF',
      `The tool server ${server} sends a request to the model; it counts as turn ${state.turn}.`,
    );
    const { agentId, callPath, txnId, originTxnId } = scope.ids;
    const ids = {
      agentId,
      callPath: `${callPath}->${server}`,
      txnId: randomId(),
      parentTxnId: txnId,
      originTxnId,
    };
    return await tryTargets({ ...scope, budget, ids }, targets, request, { promptTokens, turn: state.turn });
  } finally {
    budget.close();
  }
}

function expectedSpending(inputTokens: number, { pricing }: Target): { tokens: number; costUsd: number } {
  const usage = { inputTokens, outputTokens: 0, cacheReadTokens: 0 };
  return { tokens: inputTokens, costUsd: computeCost(usage, pricing) ?? 0 };
}

async function tryTargets(
  scope: SessionScope,
  targets: readonly Target[],
  given: SamplingRequest,
  aside: { readonly promptTokens: number; readonly turn: number },
): Promise<SamplingAnswer> {
  let problem = 'no attempt was made';
  for (let attempt = 1; attempt <= scope.config.limits.maxRetries; attempt += 1) {
    const target = targets[(attempt - 1) % targets.length];
    if (target === undefined || scope.abortSignal.aborted || scope.stopSignal.aborted) break;
    const request = await runBeforeModel(scope, target, toRequest(scope, target, given), attempt);
    if ('refuse' in request) throw new Error(request.refuse);
    const outcome = await attemptLlm(scope, target, { request, finalOnly: false, aside });
    if (outcome.ok) return acceptAnswer(scope, target, outcome);
    problem = outcome.message;
    if (outcome.class === 'auth' || outcome.class === 'quota') break;
  }
  throw new Error(`the model did not answer: ${problem}`);
}

function toRequest({ config }: SessionScope, target: Target, given: SamplingRequest): PreparedRequest {
  const { provider, model, parameters, maxOutputTokens, accepts } = target;
  const { messages, maxTokens, temperature, stopSequences } = given;
  return {
    provider,
    model,
    messages,
    tools: [],
    toolChoice: 'auto',
    parameters: {
      ...parameters,
      ...(temperature !== undefined && { temperature }),
      ...(stopSequences !== undefined && { stopSequences }),
      maxOutputTokens: Math.min(maxTokens, maxOutputTokens),
    },
    stream: config.stream,
    ...(accepts !== undefined && { accepts }),
  };
}

async function acceptAnswer(
  scope: SessionScope,
  { model }: Target,
  response: LlmResponse,
): Promise<SamplingAnswer> {
  const refusal = await runAfterModel(scope, response);
  if (refusal !== undefined) throw new Error(refusal);
  return { text: response.text, model: response.actualModel ?? model, stopReason: response.stopReason };
}
