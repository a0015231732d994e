import * as z from 'zod/mini';
import { MEMORY_SCOPES } from '../../continuity/memory/memory.ts';
import { described } from '../../contract/command.ts';
import { shortText } from './text-parameters.ts';

/** Where a memory lies. */
export const SCOPE_PARAMETERS = {
  scope: described(z._default(z.enum(MEMORY_SCOPES), 'global'), 'Who sees it'),
  scope_id: described(z.optional(shortText), 'Which project, task or agent; none for global'),
};

export const PLACE_PARAMETERS = {
  key: described(shortText, 'The name it was remembered under'),
  ...SCOPE_PARAMETERS,
};
