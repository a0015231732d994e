import { relative } from 'node:path';
import { redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import type { RunEnding } from '../../work/journal/run-journal.ts';

const SHOWN_FILES = 8;
const REASON_CHARACTERS = 2000;

/** Why a run did not come to its end, fit to be stored. */
export function reasonOf({ reason, status }: RunEnding): string {
  return redactText(excerpt((reason ?? status).toWellFormed().replaceAll('\u0000', ''), REASON_CHARACTERS));
}

/** Tells how a run ended in one line, for whoever comes later. */
export function describeEnding(ending: RunEnding): string {
  const name = ending.phase === 'reconcile' ? 'the whole plan' : ending.itemId;
  return `${name} (${ending.runId}, ${ending.agentId}): ${outcomeOf(ending)}`;
}

function outcomeOf(ending: RunEnding): string {
  const reason = reasonOf(ending);
  const kept = 'nothing of it is in the tree';
  switch (ending.status) {
    case 'success':
      return `done${ending.phase === 'tranche' ? `, ${filesOf(ending)}` : ''}${testsOf(ending)}`;
    case 'denied':
      return ending.phase === 'reconcile' ? `denied: ${reason}` : `denied: ${reason}; ${kept}`;
    case 'rolled_back':
      return `taken back: ${reason}`;
    case 'timeout':
      return `stopped: ${reason}; ${kept}`;
    case 'failure':
      return ending.phase === 'reconcile'
        ? `failed: ${reason}${testsOf(ending)}`
        : `${ending.interrupted ? 'interrupted' : 'failed'}: ${reason}${testsOf(ending)}; ${kept}`;
  }
}

function filesOf({ counts, files, root }: RunEnding): string {
  const told = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
  if (told.length === 0) return 'no file changed';
  const names = files.slice(0, SHOWN_FILES).map(({ path }) => relative(root, path));
  const more = files.length > SHOWN_FILES ? ', …' : '';
  return `files: ${told.join(', ')}${names.length > 0 ? ` (${names.join(', ')}${more})` : ''}`;
}

function testsOf({ tests }: RunEnding): string {
  return tests === undefined ? '' : `; tests: ${tests.passed} passed, ${tests.failed} failed`;
}
