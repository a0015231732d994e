import { compileLinear } from '../../base/compile-linear.ts';

/** A pattern of a JSON Schema in the form that Ajv uses. */
interface Pattern {
  readonly toString: () => string;
  readonly test: (text: string) => boolean;
}

/** The cost of a match is at most the product of the two. */
const MAX_PATTERN_CHARACTERS = 1000;
const MAX_TEXT_CHARACTERS = 20_000;

/**
 * Compiles a pattern of a schema for an engine that runs in linear time: schemas come from tool servers, and one pattern such as
 * `(a+)+$` would block this process for hours. A pattern that the engine does not support (lookaround, backreferences), and a text that
 * is too long for it, are accepted: the server checks its arguments itself.
 */
export function linearPattern(source: string): Pattern {
  const compiled = source.length > MAX_PATTERN_CHARACTERS ? undefined : compileLinear(source);
  return {
    test: (text) => compiled === undefined || text.length > MAX_TEXT_CHARACTERS || compiled.test(text),
    // Ajv identifies a pattern by its text.
    toString: () => `/${source}/`,
  };
}

/** Ajv writes this name into generated code, which is never used outside the process. */
linearPattern.code = 'linearPattern';
