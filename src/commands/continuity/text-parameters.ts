import * as z from 'zod/mini';
import { STORE_LIMITS } from '../../continuity/limits.ts';

// Given with the checks at once: `check` would make every schema twice, and each start of a command waits for these.
const text = (max: number) =>
  new z.ZodMiniString({ type: 'string', checks: [z.minLength(1), z.maxLength(max)] });
const textOrNothing = (max: number) => new z.ZodMiniString({ type: 'string', checks: [z.maxLength(max)] });

/** Texts of the store by what they are for, each with its own limit. */
export const titleText = text(STORE_LIMITS.titleCharacters);
export const shortText = text(STORE_LIMITS.nameCharacters);
export const messageText = text(STORE_LIMITS.messageCharacters);
export const pathText = text(STORE_LIMITS.pathCharacters);
export const longText = textOrNothing(STORE_LIMITS.textCharacters);
export const valueText = textOrNothing(STORE_LIMITS.valueCharacters);
