import type { Projection } from '../context/context-guard.ts';
import type { Message } from '../conversation.ts';
import type { Target } from '../session-config.ts';
import type { Offer } from '../transport/transport.ts';
import type { PreparedRequest } from './attempt-llm.ts';
import { forceFinalIfDue } from './force-final-if-due.ts';
import { forceFinal, isFinalTurn, type SessionScope } from './session-scope.ts';

/** Providers that take no system message in the middle get it as the user's, so it says whose it is. */
const FINAL_INSTRUCTION: Message = {
  role: 'system',
  content:
    'System notice: this is the last turn and no further tool can run. Give your final report now, from what you have gathered so far.',
};

/** A request that passed the guard, and whether it asks for the report only. */
export interface GuardedRequest {
  readonly request: PreparedRequest;
  readonly finalOnly: boolean;
}

/**
 * Builds the next request for a target and holds it against the target's window. If it does not fit, the session turns to its final
 * turn, which offers fewer tools; if even that does not fit, it is sent all the same, with a warning.
 */
export function prepareRequest(scope: SessionScope, target: Target, attempt: number): GuardedRequest {
  forceFinalIfDue(scope, target);
  let draft = draftRequest(scope, target);
  if (!draft.projection.fits) {
    const { projection } = draft;
    forceFinal(scope, 'context', {
      guard: 'turn_preflight',
      blocked: [{ provider: target.provider, model: target.model }],
      projected_tokens: projection.projectedTokens,
      limit_tokens: projection.limitTokens,
    });
    draft = draftRequest(scope, target);
    if (!draft.projection.fits) warnAfterShrink(scope, draft.projection);
  }
  const { guard } = scope;
  scope.tell({
    type: 'llm.requested',
    provider: target.provider,
    model: target.model,
    attempt,
    ctxTokens: guard.currentTokens,
    newTokens: guard.pendingTokens,
    schemaTokens: guard.schemaTokens,
    expectedTokens: guard.expectedTokens,
    limitTokens: draft.projection.limitTokens,
    forcedFinalReason: scope.state.forcedFinal,
  });
  return {
    finalOnly: draft.finalOnly,
    request: {
      provider: target.provider,
      model: target.model,
      messages: [...scope.conversation, ...draft.ephemeral, ...draft.offer.next],
      tools: draft.offer.tools,
      toolChoice: draft.offer.toolChoice,
      // What the guard sets aside for the reply must be what the reply may take.
      parameters: { ...target.parameters, maxOutputTokens: target.maxOutputTokens },
      stream: scope.config.stream,
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
  const offer = scope.transport.offer(tools, finalOnly);
  const { notice } = scope.state;
  const ephemeral: Message[] = [
    ...(notice === undefined ? [] : [{ role: 'user', content: notice } as const]),
    ...(finalOnly ? [FINAL_INSTRUCTION] : []),
  ];
  scope.guard.expose({
    // Instructions of a turn are how a transport shows its schemas, so they count as such.
    schemaTokens: scope.estimate.tools(offer.tools) + tokensOf(scope, offer.next),
    ephemeralTokens: tokensOf(scope, ephemeral),
  });
  return { offer, ephemeral, finalOnly, projection: scope.guard.checkRequest(target) };
}

function tokensOf(scope: SessionScope, messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + scope.estimate.message(message), 0);
}

function warnAfterShrink(scope: SessionScope, { provider, model, ...projection }: Projection): void {
  scope.log('WRN', 'Even the final request exceeds the context limit; it is sent as a last resort.', {
    guard: 'post_shrink',
    provider,
    model,
    projected_tokens: projection.projectedTokens,
    limit_tokens: projection.limitTokens,
  });
}
