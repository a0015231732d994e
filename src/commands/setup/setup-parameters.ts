import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { SETUP_HOSTS } from '../../app/setup/setup-part.ts';

export const HOSTS_PARAMETER = described(
  v.optional(v.array(v.picklist(SETUP_HOSTS))),
  'The coding agents, such as claude,codex (default: all of this account)',
);

export const CHANGED_FILES = described(
  v.array(v.object({ action: v.string(), path: v.string() })),
  'The files and folders that were changed',
);
