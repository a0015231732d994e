import type { ComponentChildren, JSX } from 'preact';
import type { CallError } from '../base/api.ts';
import { CommandLine } from './command-line.tsx';

/** A place without content: one sentence, and the command that gives it some. */
export function Empty({
  children,
  command,
}: {
  readonly children: ComponentChildren;
  readonly command?: string;
}): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
      {command !== undefined && <CommandLine line={command} />}
    </div>
  );
}

/** What went wrong, and how to fix it. Codes of the connection are for programs only. */
export function Failure({ error }: { readonly error: CallError }): JSX.Element {
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{error.message}</strong> {error.code.startsWith('E_') && <code>{error.code}</code>}
      </p>
      {error.hint !== undefined && <p>{error.hint}</p>}
    </div>
  );
}

/** Shown until the first answer; screen readers hear it only if it takes long. */
export function Loading(): JSX.Element {
  return <div class="loading" aria-busy="true" />;
}
