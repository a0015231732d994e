import type { Projection } from '../context/context-guard.ts';
import { contextOf } from '../compaction/compacted-context.ts';
import type { Message } from '../conversation.ts';
import type { Target } from '../session-config.ts';
import type { Offer } from '../transport/transport.ts';
import type { PreparedRequest } from './attempt-llm.ts';
import { estimateSpending } from './estimate-spending.ts';
import { forceFinalIfDue } from './force-final-if-due.ts';
import { forceFinal, isFinalTurn, type SessionScope } from './session-scope.ts';

/** Prefixed with `System notice`, because some providers receive it as a user message. */
const FINAL_INSTRUCTION: Message = {
  role: 'system',
  content:
    'System notice: this is the last turn and no further tool can run. Give your final report now, based on what you have so far.',
};

/** A request that passed the context guard. `finalOnly`: it offers only the final report. */
export interface GuardedRequest {
  readonly request: PreparedRequest;
  readonly finalOnly: boolean;
}

/**
 * Builds the next request and checks it against the target's context window. If it does not fit, the session switches to its final
 * turn, which offers fewer tools; if that does not fit either, the request is sent anyway, with a warning.
 */
export function prepareRequest(scope: SessionScope, target: Target, attempt: number): GuardedRequest {
  let draft = draftRequest(scope, target);
  forceFinalIfDue(scope, target);
  if (!draft.finalOnly && isFinalTurn(scope)) draft = draftRequest(scope, target);
  if (!draft.projection.fits) {
    const { projection } = draft;
    forceFinal(scope, 'context', {
      guard: 'turn_preflight',
      blocked: [{ provider: target.provider, model: target.model }],
      projected_tokens: projection.projectedTokens,
      limit_tokens: projection.limitTokens,
    });
    draft = draftRequest(scope, target);
    if (!draft.projection.fits) warnPostShrink(scope, draft.projection);
  }
  scope.budget.expect(estimateSpending(scope, target));
  const { contextGuard } = scope;
  scope.emit({
    type: 'llm.requested',
    provider: target.provider,
    model: target.model,
    attempt,
    ctxTokens: contextGuard.currentTokens,
    newTokens: contextGuard.pendingTokens,
    schemaTokens: contextGuard.schemaTokens,
    expectedTokens: contextGuard.expectedTokens,
    limitTokens: draft.projection.limitTokens,
    forcedFinalReason: scope.state.forcedFinal,
  });
  return {
    finalOnly: draft.finalOnly,
    request: {
      provider: target.provider,
      model: target.model,
      messages: [
        ...contextOf(scope.conversation, scope.state.compaction),
        ...draft.ephemeral,
        ...draft.offer.next,
      ],
      tools: draft.offer.tools,
      toolChoice: draft.offer.toolChoice,
      // The guard reserves maxOutputTokens, so the provider must apply the same limit.
      parameters: { ...target.parameters, maxOutputTokens: target.maxOutputTokens },
      stream: scope.config.stream,
      ...(target.accepts !== undefined && { accepts: target.accepts }),
    },
  };
}

interface Draft {
  readonly offer: Offer;
  readonly ephemeral: readonly Message[];
  readonly finalOnly: boolean;
  readonly projection: Projection;
}

function draftRequest(scope: SessionScope, target: Target): Draft {
  const finalOnly = isFinalTurn(scope);
  const tools = finalOnly ? [] : [...scope.tools.values()].map(({ definition }) => definition);
  const hasToolCalls = scope.conversation.some(
    (message) => message.role === 'assistant' && (message.toolCalls?.length ?? 0) > 0,
  );
  const offer = scope.transport.offer(tools, {
    finalOnly,
    hasToolCalls,
    serverInstructions: scope.serverInstructions,
  });
  const { notice } = scope.state;
  const ephemeral: Message[] = [
    ...(notice === undefined ? [] : [{ role: 'user', content: notice } as const]),
    ...(finalOnly ? [FINAL_INSTRUCTION] : []),
  ];
  scope.contextGuard.expose({
    // A transport may send its schemas as turn instructions, so these count as schema tokens.
    schemaTokens: scope.estimate.tools(offer.tools) + scope.estimate.messages(offer.next),
    ephemeralTokens: scope.estimate.messages(ephemeral),
  });
  return { offer, ephemeral, finalOnly, projection: scope.contextGuard.checkRequest(target) };
}

function warnPostShrink(scope: SessionScope, { provider, model, ...projection }: Projection): void {
  scope.log('WRN', 'The final request exceeds the context limit; sending it anyway.', {
    guard: 'post_shrink',
    provider,
    model,
    projected_tokens: projection.projectedTokens,
    limit_tokens: projection.limitTokens,
  });
}
