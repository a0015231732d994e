import * as v from 'valibot';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';

const text = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max));
const textOrNothing = (max: number) => v.pipe(v.string(), v.maxLength(max));

/** Texts of the store by what they are for, each with its own limit. */
export const titleText = text(STORE_LIMITS.titleCharacters);
export const shortText = text(STORE_LIMITS.nameCharacters);
export const messageText = text(STORE_LIMITS.messageCharacters);
export const pathText = text(STORE_LIMITS.pathCharacters);
export const longText = textOrNothing(STORE_LIMITS.textCharacters);
export const valueText = textOrNothing(STORE_LIMITS.valueCharacters);
