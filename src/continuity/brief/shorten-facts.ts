import { excerptOutput } from '../command-output/excerpt-output.ts';
import type { EventRow } from '../events/event.ts';
import type { Constraint, EventSummary, Failure, Todo } from './brief.ts';
import { excerptMessage } from './excerpt-message.ts';
import { excerptRequest } from './excerpt-request.ts';
import type { SessionFacts } from './read-session-facts.ts';

/** Shortens a text to a share of the budget. */
export type Fit = (text: string, share: number, cut?: (text: string, length: number) => string) => string;

const LONG_REQUEST_CHARACTERS = 300;

/** Shortens each kind of fact in its own way, and leaves out facts that the newest entries already contain. */
export function shortenFacts(
  facts: SessionFacts,
  fit: Fit,
): {
  requests: EventSummary[];
  opening: EventSummary[];
  todos: Todo[];
  constraints: Constraint[];
  messages: EventSummary[];
  givenUp: EventSummary[];
  failures: Failure[];
} {
  const requests = shortenRequests(facts.requests, fit);
  const messages = facts.messages.map((row, index) =>
    summarizeEvent(row, fit(row.message, index === 0 ? 0.1 : 0.05, excerptMessage)),
  );
  return {
    requests,
    opening:
      facts.opening === undefined
        ? []
        : [summarizeEvent(facts.opening, fit(facts.opening.message, 0.06, excerptRequest))],
    todos: facts.todos.map((todo) => ({ ...todo, text: fit(todo.text, 0.03) })),
    constraints: facts.constraints.filter(({ text }) => !requests[0]?.message.includes(text)),
    messages,
    givenUp: facts.ruledOut
      .filter(({ message }) => !messages[0]?.message.includes(message))
      .map((row) => summarizeEvent(row, fit(row.message, 0.04))),
    failures: facts.failures.map((failure) => ({
      ...failure,
      error: fit(failure.error, failure.succeeded_later ? 0.03 : 0.08, excerptOutput),
    })),
  };
}

/** The newest request, and the newest long one if that is another, have room for their details. */
function shortenRequests(requests: readonly EventRow[], fit: Fit): EventSummary[] {
  const firstLong = requests.findIndex(({ message }) => message.length > LONG_REQUEST_CHARACTERS);
  return requests.map((row, index) =>
    summarizeEvent(row, fit(row.message, index === 0 || index === firstLong ? 0.12 : 0.05, excerptRequest)),
  );
}

export function summarizeEvent(
  { id, kind, agent_name, created_at }: EventRow,
  message: string,
): EventSummary {
  return { id: String(id), kind, agent_name, message, created_at };
}
