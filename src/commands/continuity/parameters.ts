import * as z from 'zod/mini';
import { STORE_LIMITS } from '../../continuity/limits.ts';
import { described } from '../../contract/command.ts';

// Given with the checks at once: `check` would make every schema twice, and each start of a command waits for these.
const text = (max: number) =>
  new z.ZodMiniString({ type: 'string', checks: [z.minLength(1), z.maxLength(max)] });

/** Parameters that many commands share. */
export const idParameter = described(text(STORE_LIMITS.nameCharacters), 'The task');
export const projectParameter = described(
  z.optional(text(STORE_LIMITS.nameCharacters)),
  'The project; any text, compared literally',
);
export const titleParameter = text(STORE_LIMITS.titleCharacters);
export const longText = z.string().check(z.maxLength(STORE_LIMITS.textCharacters));
export const shortText = text(STORE_LIMITS.nameCharacters);
export const messageText = text(STORE_LIMITS.messageCharacters);
export const pathText = text(STORE_LIMITS.pathCharacters);
export const valueText = z.string().check(z.maxLength(STORE_LIMITS.valueCharacters));
export const priorityParameter = z.int().check(z.gte(-1000), z.lte(1000));
export const leaseParameter = described(
  z.optional(z.string()),
  'How long the claim holds without a sign of life, for example 30m (default 30m, at most 24h)',
);
