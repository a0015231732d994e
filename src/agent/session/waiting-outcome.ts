import type { WaitingCall } from '../approval/approval-request.ts';
import { isPlainObject } from '../../base/json.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { TurnsOutcome } from './turns-outcome.ts';
import type { SessionScope } from './session-scope.ts';

const MAX_SHOWN = 500;

/** Returns the end of a session that waits for a person: the calls, their questions, and the commands to decide. */
export function waitingOutcome({ state: { approvals }, ports, ids }: SessionScope): TurnsOutcome {
  const resume = ports.resumeCommand?.(ids.txnId);
  const questions = approvals.filter(({ question }) => question !== undefined).length;
  const decisions = approvals.length - questions;
  const needs = [
    ...(decisions > 0 ? [`approve ${countOf(decisions, 'a tool call', 'tool calls')}`] : []),
    ...(questions > 0 ? [`answer ${countOf(questions, 'a question', 'questions')}`] : []),
  ];
  return {
    reason: 'approval_required',
    error: [
      `A person must ${needs.join(' and ')}:`,
      ...approvals.flatMap(describeCall),
      ...(resume === undefined ? [] : [`To decide: ${waysToDecide(resume, approvals).join('   or   ')}`]),
    ].join('\n'),
    errorKind: 'approval',
  };
}

/** Returns the flags that let every waiting call run; an answer has a placeholder for each of its fields. */
export function decisionFlags(approvals: readonly WaitingCall[]): string {
  const calls = approvals.flatMap(({ call, question }) => (question === undefined ? [call] : []));
  const answers = approvals.flatMap(({ call, question }) =>
    question === undefined ? [] : [[call, fieldsOf(question.schema.properties)] as const],
  );
  return [
    ...(calls.length > 0 ? [`--approve ${calls.join(',')}`] : []),
    ...(answers.length > 0 ? [`--answer ${quoteForShell(JSON.stringify(Object.fromEntries(answers)))}`] : []),
  ].join(' ');
}

function waysToDecide(resume: string, approvals: readonly WaitingCall[]): readonly string[] {
  const all = approvals.map(({ call }) => call).join(',');
  return [`${resume} ${decisionFlags(approvals)}`, `${resume} --deny ${all}`];
}

function describeCall({ call, tool, arguments: args, question }: WaitingCall): readonly string[] {
  const line = `${call}: ${tool} ${excerpt(args, MAX_SHOWN)}`;
  if (question === undefined) return [line];
  // In one line, because the text of a server must not look like one of ours.
  return [line, `   asks: ${printable(excerpt(question.message.replaceAll(/\s+/gu, ' '), MAX_SHOWN))}`];
}

function fieldsOf(properties: unknown): Readonly<Record<string, string>> {
  const fields = isPlainObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    fields.map(([name, field]) => [name, `<${isPlainObject(field) ? String(field.type) : 'value'}>`]),
  );
}

function countOf(count: number, one: string, many: string): string {
  return count === 1 ? one : `${count} ${many}`;
}
