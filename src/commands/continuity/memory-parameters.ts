import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { MEMORY_SCOPES } from '../../continuity/memory/memory.ts';

import { shortText } from './text-parameters.ts';

/** Where a memory lies. */
export const SCOPE_PARAMETERS = {
  scope: described(v.optional(v.picklist(MEMORY_SCOPES), 'global'), 'Who sees it'),
  scope_id: described(v.optional(shortText), 'Which project, task or agent; none for global'),
};

export const PLACE_PARAMETERS = {
  key: described(shortText, 'The name it was remembered under'),
  ...SCOPE_PARAMETERS,
};
