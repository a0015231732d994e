import { relative } from 'node:path';
import { redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import type { RunOutcome } from '../../work/journal/run-journal.ts';

const SHOWN_FILES = 8;
const REASON_CHARACTERS = 2000;

/** Why a run did not succeed, sanitised for storage. */
export function reasonOf({ reason, status }: RunOutcome): string {
  return redactText(excerpt((reason ?? status).toWellFormed().replaceAll('\u0000', ''), REASON_CHARACTERS));
}

/** Why a task of an interrupted job is blocked: the command that continues it. */
export function interruptedReason(jobId: string): string {
  return `interrupted:deed work run --resume ${jobId}`;
}

/** Describes the outcome of a run in one line. */
export function describeOutcome(outcome: RunOutcome): string {
  const name = outcome.phase === 'reconcile' ? 'plan' : outcome.itemId;
  return `${name} (${outcome.runId}, ${outcome.agentId}): ${summarize(outcome)}`;
}

function summarize(outcome: RunOutcome): string {
  const reason = reasonOf(outcome);
  switch (outcome.status) {
    case 'success':
      return `done${outcome.phase === 'tranche' ? `, ${filesOf(outcome)}` : ''}${testsOf(outcome)}`;
    case 'denied':
      return outcome.phase === 'reconcile' ? `denied: ${reason}` : `denied: ${withUnchanged(reason)}`;
    case 'rolled_back':
      return `rolled back: ${reason}`;
    case 'timeout':
      return `stopped: ${withUnchanged(reason)}`;
    case 'failure':
      return outcome.phase === 'reconcile'
        ? `failed: ${reason}${testsOf(outcome)}`
        : `${outcome.interrupted ? 'interrupted' : 'failed'}: ${withUnchanged(`${reason}${testsOf(outcome)}`)}`;
  }
}

/** Adds that the tree is unchanged. Some reasons, such as the one for a killed process, say that already. */
function withUnchanged(reason: string): string {
  const text = reason.replace(/[.]$/u, '');
  return text.endsWith('is unchanged') ? text : `${text}; the tree is unchanged`;
}

function filesOf({ counts, files, root }: RunOutcome): string {
  const parts = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
  if (parts.length === 0) return 'no file changed';
  const names = files.slice(0, SHOWN_FILES).map(({ path }) => relative(root, path));
  const more = files.length > SHOWN_FILES ? ', …' : '';
  return `files: ${parts.join(', ')}${names.length > 0 ? ` (${names.join(', ')}${more})` : ''}`;
}

function testsOf({ tests }: RunOutcome): string {
  return tests === undefined ? '' : `; tests: ${tests.passed} passed, ${tests.failed} failed`;
}
