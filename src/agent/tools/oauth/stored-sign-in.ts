import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { SignIn, SignInStore } from './sign-in-store.ts';

/** The SDK requires an address even if no person is asked. */
const NO_REDIRECT = 'http://127.0.0.1/callback';

/**
 * Returns the sign-in of a tool server for the SDK, which refreshes an expired token; undefined if no sign-in is stored. It never asks a person: when the
 * refresh fails, the connection fails with 401.
 */
export function storedSignIn(url: string, store: SignInStore): OAuthClientProvider | undefined {
  const known = store.read(url);
  if (known === undefined) return undefined;
  let used = known.tokens;
  const change = (part: Partial<SignIn>): void => {
    const current = store.read(url);
    if (current !== undefined) store.write({ ...current, ...part });
  };
  return {
    redirectUrl: NO_REDIRECT,
    clientMetadata: { redirect_uris: [NO_REDIRECT], client_name: 'deed' },
    clientInformation: () => store.read(url)?.client ?? known.client,
    saveClientInformation: (client) => change({ client }),
    // Read each time: another process may have refreshed it.
    tokens: () => {
      const tokens = store.read(url)?.tokens;
      used = tokens ?? used;
      return tokens;
    },
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
    invalidateCredentials: (scope) => {
      if (scope === 'verifier' || scope === 'discovery') return;
      // A token that another process has refreshed meanwhile stays.
      if (store.read(url)?.tokens.access_token === used.access_token) store.remove(url);
    },
  };
}
