import * as z from '../../base/schema/schema.ts';
import { MEMORY_SCOPES } from '../../continuity/memory/memory.ts';

import { shortText } from './text-parameters.ts';

/** Where a memory lies. */
export const SCOPE_PARAMETERS = {
  scope: z.described(z._default(z.enum(MEMORY_SCOPES), 'global'), 'Who sees it'),
  scope_id: z.described(z.optional(shortText), 'Which project, task or agent; none for global'),
};

export const PLACE_PARAMETERS = {
  key: z.described(shortText, 'The name it was remembered under'),
  ...SCOPE_PARAMETERS,
};
