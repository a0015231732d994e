import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { signIn, type CallError } from '../base/api.ts';
import { open } from '../base/router.ts';
import { loadSession, noteFailure, session, sessionError } from '../base/session.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Failure } from '../parts/notice.tsx';

const RETURNS = ['focus', 'visibilitychange'] as const;

/** Signs in with the secret in the link, or explains where the link is. */
export function SignInPage(): JSX.Element {
  const [error, setError] = useState<CallError | undefined>();
  const [secret] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (secret === '') return;
    // The secret must not stay in the history of the browser.
    open('/', { replace: true });
    signIn(secret)
      .then(loadSession)
      .catch((reason: unknown) => {
        setError(noteFailure(reason));
        // A link that was used before does not sign out the browser that used it.
        return loadSession();
      });
  }, []);
  useEffect(() => {
    // Another tab of this browser may have signed in meanwhile.
    const retry = (): void => {
      if (!document.hidden && session.value === null) void loadSession();
    };
    for (const type of RETURNS) addEventListener(type, retry);
    return () => {
      for (const type of RETURNS) removeEventListener(type, retry);
    };
  }, []);
  return (
    <main class="sign-in" id="main">
      <h1>deed</h1>
      {error !== undefined && <Failure error={error} />}
      {sessionError.value !== undefined && <Failure error={sessionError.value} />}
      {secret !== '' && error === undefined ? (
        <p aria-busy="true">Signing in…</p>
      ) : (
        <>
          <p>Open the sign-in link that the terminal of the server shows. Each link works once.</p>
          <p class="muted">
            Without a terminal, the link is in the file that the server names when it starts:
          </p>
          <CommandLine line="deed web" />
        </>
      )}
    </main>
  );
}
