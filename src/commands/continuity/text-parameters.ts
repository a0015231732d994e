import * as v from 'valibot';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';

const text = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max));
const textOrEmpty = (max: number) => v.pipe(v.string(), v.maxLength(max));

/** Strings with the limits of the store. */
export const titleText = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(STORE_LIMITS.titleCharacters),
  v.regex(/\S/u, 'must not be blank'),
);
export const shortText = text(STORE_LIMITS.nameCharacters);
export const messageText = text(STORE_LIMITS.messageCharacters);
export const pathText = text(STORE_LIMITS.pathCharacters);
export const longText = textOrEmpty(STORE_LIMITS.textCharacters);
export const valueText = textOrEmpty(STORE_LIMITS.valueCharacters);
