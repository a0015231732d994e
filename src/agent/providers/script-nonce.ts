import type { LlmRequest } from '../llm-port.ts';

const TAG = /ai-agent-([0-9a-f]{8})-/gu;

/** Finds the session's nonce in a request: the last one in the latest message that contains a tag. */
export function findNonce({ messages }: Pick<LlmRequest, 'messages'>): string | undefined {
  for (const { content } of messages.toReversed()) {
    const nonce = [...content.matchAll(TAG)].at(-1)?.[1];
    if (nonce !== undefined) return nonce;
  }
  return undefined;
}

/** Replaces the nonce with a placeholder, so that recorded text can be replayed in another session. */
export function maskNonce(text: string, nonce: string | undefined): string {
  return nonce === undefined ? text : text.replaceAll(nonce, 'NONCE');
}

/** Replaces the placeholder with the nonce. */
export function unmaskNonce(text: string, nonce: string | undefined): string {
  return nonce === undefined ? text : text.replaceAll('ai-agent-NONCE-', `ai-agent-${nonce}-`);
}
