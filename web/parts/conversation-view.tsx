import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatNumber } from '../base/format.ts';
import type { SessionDetail } from '../base/session-steps.ts';

type Message = SessionDetail['conversation'][number];

const FOLD_CHARACTERS = 1500;

/** The conversation of a session, message by message. Long ones are folded. */
export function ConversationView({
  messages,
}: {
  readonly messages: SessionDetail['conversation'];
}): JSX.Element {
  return (
    <ol class="conversation">
      {messages.map((message, index) => (
        <MessageView key={index} message={message} />
      ))}
    </ol>
  );
}

function MessageView({ message }: { readonly message: Message }): JSX.Element {
  const role = textOf(message.role);
  const tool = textOf(message.toolName);
  const calls = Array.isArray(message.toolCalls) ? (message.toolCalls as Record<string, unknown>[]) : [];
  return (
    <li class={`message ${role}`}>
      <span class="message-role">{tool === '' ? role : `${role}: ${tool}`}</span>
      <Folded text={textOf(message.reasoning)} class="message-text reasoning" />
      <Folded text={textOf(message.content)} class="message-text" />
      {calls.map((call, index) => (
        <p key={index} class="message-call">
          <code>
            → {textOf(call.name)} {textOf(call.arguments)}
          </code>
        </p>
      ))}
    </li>
  );
}

/** A text that is cut until it is opened. */
function Folded({
  text,
  class: name,
}: {
  readonly text: string;
  readonly class: string;
}): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (text === '') return null;
  const isLong = text.length > FOLD_CHARACTERS;
  return (
    <>
      <p class={name}>{isLong && !isOpen ? `${text.slice(0, FOLD_CHARACTERS)}…` : text}</p>
      {isLong && (
        <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${formatNumber(text.length)} characters`}
        </button>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
