import { ownMember } from '../../base/own-member.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import type { WorkItem } from '../item/work-item.ts';
import { RUN_TRAILER } from '../workspace/landing/run-trailer.ts';

const SUBJECT_CHARACTERS = 72;

/** The trailer of a commit that names its receipt. */
export const RECEIPT_TRAILER = 'Deed-Receipt';

/** Addresses that the vendors of agents use for commits. */
const CO_AUTHORS: Readonly<Record<string, string>> = {
  claude: 'Claude <noreply@anthropic.com>',
  codex: 'Codex <noreply@openai.com>',
};

export interface MessageFields {
  readonly runId: string;
  readonly receiptId: string;
  readonly item: Pick<WorkItem, 'id' | 'agent_id' | 'description'>;
  readonly agent?: AgentConfig | undefined;
}

/**
 * Renders the message of the commit of a run. Of the description only the first line is used, as the subject: more of it could forge a
 * trailer.
 */
export function renderCommitMessage({ runId, receiptId, item, agent }: MessageFields): string {
  const [line = ''] = item.description.trim().split(/[\r\n\u2028\u2029]/u);
  const subject = excerpt(printable(line).trim(), SUBJECT_CHARACTERS) || item.id;
  const coAuthor =
    ownMember(CO_AUTHORS, agent?.kind ?? '') ?? `${printable(item.agent_id)} <agent@deed.invalid>`;
  return [
    // A subject that looks like a trailer would be one in a message that a squash joins.
    subject.startsWith('Deed-') ? `${item.id}: ${subject}` : subject,
    '',
    `Work item ${item.id}.`,
    '',
    `${RUN_TRAILER}: ${runId}`,
    `${RECEIPT_TRAILER}: ${receiptId}`,
    `Co-authored-by: ${coAuthor}`,
    '',
  ].join('\n');
}
