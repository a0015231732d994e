import { randomId } from '../../base/ids.ts';
import { withAttachments, type Message } from '../conversation.ts';
import type { SessionConfig } from '../session-config.ts';
import type { SessionIds } from './session-scope.ts';

/** Returns the ids of a session and its caller. */
export function createIds({ agentId, trace }: SessionConfig): SessionIds {
  const txnId = trace?.txnId ?? randomId();
  return {
    agentId,
    callPath: trace?.callPath ?? agentId,
    txnId,
    ...(trace?.parentTxnId !== undefined && { parentTxnId: trace.parentTxnId }),
    originTxnId: trace?.originTxnId ?? txnId,
  };
}

/** Returns the messages that a conversation starts with. */
export function initialMessages(
  { systemPrompt, history = [], userPrompt, attachments }: SessionConfig,
  instructions: string | undefined,
): Message[] {
  return [
    { role: 'system', content: systemPrompt },
    ...(instructions === undefined ? [] : [{ role: 'system', content: instructions } as const]),
    ...history,
    { role: 'user', content: userPrompt, ...withAttachments(attachments) },
  ];
}
