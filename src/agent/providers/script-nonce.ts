import type { LlmRequest } from '../llm-port.ts';

const TAG = /ai-agent-([0-9a-f]{8})-/gu;

/** Finds the nonce of the session that a request belongs to; it stands in the last instructions. */
export function findNonce({ messages }: Pick<LlmRequest, 'messages'>): string | undefined {
  for (const { content } of messages.toReversed()) {
    const nonce = [...content.matchAll(TAG)].at(-1)?.[1];
    if (nonce !== undefined) return nonce;
  }
  return undefined;
}

/** Writes a placeholder for the nonce, so that text of one session can be played in another. */
export function maskNonce(text: string, nonce: string | undefined): string {
  return nonce === undefined ? text : text.replaceAll(nonce, 'NONCE');
}

export function unmaskNonce(text: string, nonce: string | undefined): string {
  return nonce === undefined ? text : text.replaceAll('ai-agent-NONCE-', `ai-agent-${nonce}-`);
}
