import { problemOfAnswer } from '../../agent/questions/answer-question.ts';
import type { WaitingCall } from '../../agent/approval/approval-request.ts';
import type { StoredSession } from '../../agent/stored-session/restore-session.ts';
import { Fault } from '../../base/fault.ts';
import { excerpt } from '../../base/text.ts';

/** Answers to the questions of calls: for each call, its number and the fields of the answer. */
export type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Decisions {
  readonly approve?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly answer?: Answers | undefined;
}

const ALL = 'all';

/** Throws for a decision about a call that does not wait, because it would be ignored. `all` means all calls that the other flags do not name. */
export function checkDecisions(
  { approve = [], deny = [], answer = {} }: Decisions,
  saved: StoredSession | undefined,
): void {
  const lists = { approve, deny, answer: Object.keys(answer) };
  const given = Object.entries(lists).find(([, calls]) => calls.length > 0);
  if (given === undefined) return;
  const [field] = given;
  if (saved === undefined)
    throw new Fault('E_USAGE', `--${field} is for the calls of a stored session.`, {
      hint: 'Pass --resume <id> with the id of the session that waits.',
      details: { field },
    });
  const { id, approvals } = saved;
  if (approvals.length === 0)
    throw new Fault('E_VALIDATION', `Session ${id} has no call that waits for a person.`, {
      hint: `Continue it without --${field}.`,
      details: { field, id },
    });
  for (const [name, calls] of Object.entries(lists)) checkCalls(name, calls, saved);
  checkOnce(lists);
  for (const [call, content] of Object.entries(answer)) checkAnswer(call, content, approvals);
}

/** A call that asks a question is answered or denied, not approved. */
function checkCalls(field: string, calls: readonly string[], { id, approvals }: StoredSession): void {
  const isAnswer = field === 'answer';
  const waiting = approvals.filter(
    ({ question }) => field === 'deny' || (question !== undefined) === isAnswer,
  );
  const allowed = [...waiting.map(({ call }) => call), ...(isAnswer ? [] : [ALL])];
  const unknown = calls.find((call) => !allowed.includes(call));
  if (unknown === undefined) return;
  const what = isAnswer ? 'an answer' : field === 'approve' ? 'approval' : 'a decision';
  throw new Fault('E_VALIDATION', `No call "${unknown}" of session ${id} waits for ${what}.`, {
    hint: `Waiting: ${approvals.map(describe).join('; ')}.${isAnswer ? '' : ` Or pass ${ALL}.`}`,
    details: { field, value: unknown, allowed },
  });
}

function checkOnce({
  approve,
  deny,
  answer,
}: Readonly<Record<'approve' | 'deny' | 'answer', readonly string[]>>): void {
  const both = [...approve, ...answer].find((call) => deny.includes(call));
  if (both === undefined) return;
  const other = approve.includes(both) ? 'approved' : 'answered';
  throw new Fault('E_VALIDATION', `Call ${both} is both ${other} and denied.`, {
    hint: 'Name each call once.',
    details: { field: 'deny', value: both },
  });
}

function checkAnswer(call: string, content: unknown, approvals: readonly WaitingCall[]): void {
  const question = approvals.find((each) => each.call === call)?.question;
  const problem = question === undefined ? undefined : problemOfAnswer(question, content);
  if (question === undefined || problem === undefined) return;
  throw new Fault('E_VALIDATION', `The answer to call ${call} is invalid: ${problem}`, {
    hint: 'Pass the fields that details.schema describes.',
    details: { field: 'answer', call, schema: question.schema },
  });
}

function describe({ call, tool, arguments: args, question }: WaitingCall): string {
  const more = question === undefined ? '' : ` asks: ${excerpt(question.message, 100)}`;
  return `${call}: ${tool} ${excerpt(args, 100)}${more}`;
}
