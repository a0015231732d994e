import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { MEMORY_SCOPES } from '../../continuity/memory/memory.ts';

import { scopeId } from './task-ids.ts';
import { shortText } from './text-parameters.ts';

export const SCOPE_PARAMETERS = {
  scope: described(v.optional(v.picklist(MEMORY_SCOPES), 'global'), 'The scope of the memory'),
  scope_id: scopeId(described(v.optional(shortText), 'The project, task or agent; not for global')),
};

export const KEY_PARAMETERS = {
  key: described(shortText, 'The key of the memory'),
  ...SCOPE_PARAMETERS,
};
