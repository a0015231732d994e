import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../../base/damaged.ts';
import { sha256 } from '../../../system/digest.ts';
import { readStored, writeStored, type DocumentShape } from '../../../system/stored-document.ts';

/** What an authorization server issued for one tool server. */
export interface SignIn {
  /** The URL of the tool server; the token is sent to no other one. */
  readonly url: string;
  readonly client: { readonly client_id: string; readonly client_secret?: string | undefined };
  readonly tokens: {
    readonly access_token: string;
    readonly token_type: string;
    readonly refresh_token?: string | undefined;
  };
}

/** Keeps sign-ins, one file for each tool server, readable only by the account. */
export interface SignInStore {
  readonly read: (url: string) => SignIn | undefined;
  readonly write: (signIn: SignIn) => void;
  readonly remove: (url: string) => void;
}

const SHAPE: DocumentShape<SignIn> = {
  schema: v.looseObject({
    url: v.string(),
    client: v.looseObject({ client_id: v.string() }),
    tokens: v.looseObject({
      access_token: v.string(),
      token_type: v.string(),
      refresh_token: v.optional(v.string()),
    }),
  }),
  hint: (path) => `Delete ${path} and sign in again with "deed agent login".`,
};

export function createSignInStore(folder: string): SignInStore {
  const pathOf = (url: string): string =>
    join(folder, `${sha256(url).replace('sha256:', '').slice(0, 32)}.json`);
  return {
    read: (url) => {
      const path = pathOf(url);
      const signIn = readStored(path, SHAPE);
      if (signIn !== undefined && signIn.url !== url)
        throw damaged(path, `it is the sign-in to ${signIn.url}`, SHAPE.hint(path));
      return signIn;
    },
    write: (signIn) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeStored(pathOf(signIn.url), signIn);
    },
    remove: (url) => rmSync(pathOf(url), { force: true }),
  };
}
