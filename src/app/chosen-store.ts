import { rmSync } from 'node:fs';
import * as v from 'valibot';
import type { Home } from '../contract/home.ts';
import { readStored, writeStored, type DocumentShape } from '../system/stored-document.ts';

/** A second record of the store on Postgres that "store use" chose: a lost configuration would mean an empty store in the home. */
const SHAPE: DocumentShape<{ readonly address: string }> = {
  schema: v.object({ address: v.string() }),
  hint: () => 'Choose the store again with "deed store use".',
};

const pathOf = (home: Home): string => home.at('chosen-store.json');

export function readChosenStore(home: Home): string | undefined {
  return readStored(pathOf(home), SHAPE)?.address;
}

/** Records the choice; undefined for the file in the home. */
export function recordChosenStore(home: Home, address: string | undefined): void {
  home.folder();
  if (address === undefined) rmSync(pathOf(home), { force: true });
  else writeStored(pathOf(home), { address });
}
