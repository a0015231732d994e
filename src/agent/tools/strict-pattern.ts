import { RE2JS } from 're2js';
import { errorMessage } from '../../base/error-message.ts';

const MAX_PATTERN_CHARACTERS = 1000;
const MAX_TEXT_CHARACTERS = 1_000_000;

/** Tests a text; undefined for a text that is too long to be checked. */
export type TextTest = (text: string) => boolean | undefined;

/**
 * Compiles a regular expression of a user for an engine that runs in linear time. Throws an Error for a pattern that the engine does
 * not support, because a rule that is never checked would be worse than no rule.
 */
export function strictPattern(source: string): TextTest {
  if (source.length > MAX_PATTERN_CHARACTERS)
    throw new Error(`the pattern has more than ${MAX_PATTERN_CHARACTERS} characters`);
  const compiled = compile(source);
  return (text) => (text.length > MAX_TEXT_CHARACTERS ? undefined : compiled.matcher(text).find());
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    const problem = errorMessage(error);
    throw new Error(`the pattern ${JSON.stringify(source)} is not supported: ${problem}`, { cause: error });
  }
}
