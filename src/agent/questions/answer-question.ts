import { errorMessage } from '../../base/error-message.ts';
import { canonicalJson } from '../../base/json.ts';
import { canWait } from '../approval/can-wait.ts';
import type { AvailableTool, SessionScope } from '../session/session-scope.ts';
import { renderProblems, schemaChecks } from '../tools/schema-checks.ts';
import type { RequestedCall } from '../transport/transport.ts';
import type { GivenAnswer, QuestionAnswer, ToolQuestion } from './tool-question.ts';

/** A server decides how long its question is, which is stored and shown. */
const MAX_QUESTION_CHARACTERS = 64 * 1024;

/**
 * Answers a question of a tool server: with an answer given with `--answer` or `--deny`, or by the calling program. Otherwise the server gets
 * `cancel`, which means that nothing was decided, and the session waits for a person; when it continues, the call is run again with the answer.
 */
export async function answerQuestion(
  scope: SessionScope,
  call: RequestedCall,
  tool: AvailableTool,
  question: ToolQuestion,
): Promise<QuestionAnswer> {
  const { position = '', name } = call;
  const { state, ports } = scope;
  const problem = problemOfQuestion(question);
  if (problem !== undefined) {
    scope.log('WRN', `The question of ${name} is not asked: ${problem}.`);
    return { action: 'cancel' };
  }
  const given = givenAnswer(scope, position, question);
  if (given !== undefined)
    return given.content === undefined ? { action: 'decline' } : { action: 'accept', content: given.content };
  const { description, origin } = tool.definition;
  const asked = { tool: name, server: origin.server, arguments: call.arguments };
  if (ports.answer !== undefined) {
    try {
      return checked(question, await ports.answer({ ...asked, ...question }, scope.abortSignal));
    } catch (error) {
      scope.log('WRN', `The question of ${name} was not answered: ${errorMessage(error)}`);
      return { action: 'cancel' };
    }
  }
  const isWaiting = state.approvals.some(({ call: waiting }) => waiting === position);
  if (canWait(scope) && !isWaiting) state.approvals.push({ call: position, ...asked, description, question });
  return { action: 'cancel' };
}

/** An answer holds only for the call and the question that the person saw. */
function givenAnswer(
  { recorder, state }: SessionScope,
  position: string,
  { message, schema }: ToolQuestion,
): GivenAnswer | undefined {
  if (!recorder.isRecordedResponse) return undefined;
  const asked = canonicalJson([position, message, schema]);
  return state.answers.find((each) => canonicalJson([each.call, each.message, each.schema]) === asked);
}

function problemOfQuestion(question: ToolQuestion): string | undefined {
  const { length } = JSON.stringify(question);
  if (length > MAX_QUESTION_CHARACTERS) return `it has ${length} characters`;
  try {
    schemaChecks.compile(question.schema);
    return undefined;
  } catch (error) {
    return `its schema is invalid: ${errorMessage(error)}`;
  }
}

/** Returns what is wrong with an answer, or undefined. */
export function problemOfAnswer({ schema }: ToolQuestion, content: unknown): string | undefined {
  const problems = schemaChecks.compile(schema)(content);
  return problems.length > 0 ? renderProblems(problems) : undefined;
}

function checked(question: ToolQuestion, answer: QuestionAnswer): QuestionAnswer {
  const problem = answer.action === 'accept' ? problemOfAnswer(question, answer.content) : undefined;
  if (problem !== undefined) throw new Error(`the answer does not match its schema: ${problem}`);
  return answer;
}
