import { excerpt } from '../../base/text.ts';
import type { Revision } from './revision.ts';

/** What an agent gets about a run of it that was sent back. */
export interface Review extends Pick<Revision, 'of' | 'comment'> {
  /** How the run ended. */
  readonly outcome: string;
  readonly diff: string;
  readonly testOutput?: string | undefined;
  /** Whether the changes of the run are in the tree again; otherwise why they are not. */
  readonly reapplied: true | string;
}

const DIFF_CHARACTERS = 30_000;
const TEST_CHARACTERS = 10_000;

/** Renders a review as a message to the agent. Diff and test output are quoted, so that they cannot pose as the message. */
export function renderReview({ comment, outcome, diff, testOutput, reapplied }: Review): string {
  return [
    'Your work on this item was reviewed and sent back.',
    `The comment of the reviewer:\n\n${comment}`,
    `How your last attempt ended: ${outcome}`,
    reapplied === true
      ? 'Your changes are in the working tree. Continue from there.'
      : `Your changes are not in the working tree (${reapplied}). Make them again where they are still right.`,
    ...(diff === '' ? [] : [`Your changes:\n\n${quote('diff', excerpt(diff, DIFF_CHARACTERS))}`]),
    ...(testOutput === undefined
      ? []
      : [`The end of the test output:\n\n${quote('test_output', testOutput.slice(-TEST_CHARACTERS))}`]),
  ].join('\n\n');
}

/** Quotes text between tags that it cannot close. */
function quote(tag: string, text: string): string {
  return `<${tag}>\n${text.replaceAll(`</${tag}`, `<\\/${tag}`).trimEnd()}\n</${tag}>`;
}
