import type { JSX } from 'preact';
import type { Token } from '../base/highlight.ts';

/** A line of code with its colours; without tokens it is plain text. */
export function CodeLine({
  text,
  tokens,
}: {
  readonly text: string;
  readonly tokens: readonly Token[] | undefined;
}): JSX.Element {
  if (tokens === undefined) return <>{text}</>;
  return (
    <>
      {tokens.map((token, index) =>
        token.kind === undefined ? (
          token.text
        ) : (
          <span key={index} class={`code-${token.kind}`}>
            {token.text}
          </span>
        ),
      )}
    </>
  );
}
