import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { errorMessage } from '../../../base/error-message.ts';
import { Fault } from '../../../base/fault.ts';
import { faultFromNetwork } from '../../../base/http-fault.ts';
import { randomHex } from '../../../base/ids.ts';
import { redactText } from '../../../base/secrets/redact.ts';
import { receiveCode } from './receive-code.ts';
import { createSignInStore, type SignIn } from './sign-in-store.ts';

export interface SignInOptions {
  /** The URL of the tool server. */
  readonly url: string;
  /** The command that signs in. */
  readonly resume: string;
  /** The folder that keeps the tokens. */
  readonly folder: string;
  /** Called with the address that a person must open in a browser on this machine. */
  readonly onUrl: (url: string) => void;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** A client that is registered already; without it one is registered dynamically. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
  /** The port of the redirect address, if the registration requires one. */
  readonly callbackPort?: number | undefined;
}

const WAIT_MS = 5 * 60 * 1000;

/**
 * Signs in to a tool server with OAuth 2.1: discovers its authorization server, registers a client, and exchanges the code that a person's
 * consent returns, with PKCE. Throws a Fault when that is not possible.
 */
export async function signIn(options: SignInOptions): Promise<void> {
  const { auth } = await import('@modelcontextprotocol/client');
  const state = randomHex(16);
  const receiver = await receiveCode(state, options.callbackPort);
  const { provider, result } = createProvider(options, state, receiver.redirectUrl);
  const deadline = AbortSignal.any([options.signal, AbortSignal.timeout(WAIT_MS)]);
  const shared = {
    serverUrl: options.url,
    fetchFn: (url: string | URL, init?: RequestInit) =>
      send(options.fetch, url, { ...init, signal: deadline }),
    ...(options.scope !== undefined && { scope: options.scope }),
  };
  try {
    await auth(provider, shared);
    const answer = await receiver.received(deadline);
    const code = answer.get('code');
    if (code === null) throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'no code');
    const iss = answer.get('iss');
    await auth(provider, { ...shared, authorizationCode: code, ...(iss !== null && { iss }) });
    createSignInStore(options.folder).write(result());
  } catch (error) {
    throw signInFault(options, deadline, error);
  } finally {
    receiver.close();
  }
}

/** Sends a request; one without a response is a fault of the network, not of the sign-in. */
async function send(fetch: SignInOptions['fetch'], url: string | URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw faultFromNetwork(error, String(url));
  }
}

/** Keeps everything in memory until the sign-in is complete. */
function createProvider(
  { url, onUrl, clientId, clientSecret }: SignInOptions,
  state: string,
  redirectUrl: string,
): { readonly provider: OAuthClientProvider; readonly result: () => SignIn } {
  let client: SignIn['client'] | undefined =
    clientId === undefined ? undefined : { client_id: clientId, client_secret: clientSecret };
  let tokens: SignIn['tokens'] | undefined;
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'deed',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    clientInformation: () => client,
    saveClientInformation: (saved) => {
      client = saved;
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (address) => onUrl(address.href),
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
  };
  const result = (): SignIn => {
    if (client === undefined || tokens === undefined) throw new Error('the server issued no token');
    return { url, client, tokens };
  };
  return { provider, result };
}

function signInFault({ url, resume, signal }: SignInOptions, deadline: AbortSignal, error: unknown): Fault {
  const host = URL.parse(url)?.host ?? url;
  if (signal.aborted) return new Fault('E_INTERRUPTED', `The sign-in to ${host} was interrupted.`);
  if (deadline.aborted)
    return new Fault(
      'E_HUMAN_REQUIRED',
      `The sign-in to ${host} was not completed within ${WAIT_MS / 60_000} minutes.`,
      {
        hint: 'Run the command again and open its address in a browser on this machine.',
        details: { action: 'sign_in', resume, url },
      },
    );
  if (error instanceof Fault) return error;
  const problem = redactText(errorMessage(error));
  return new Fault('E_AUTH', `Cannot sign in to ${host}: ${problem}`, {
    hint: 'Check that the server supports OAuth with dynamic registration, or set oauth.clientId in its configuration; otherwise set headers.',
    details: { url },
    cause: error,
  });
}
