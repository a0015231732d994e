import { RE2JS } from 're2js';

/** A compiled pattern. */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in the text. */
  readonly test: (text: string) => boolean;
}

/**
 * Compiles a regular expression for an engine that runs in linear time: one pattern from outside such as `(a+)+$` would otherwise block
 * this process for hours. Undefined if it is invalid, or uses lookaround or backreferences, which the engine does not support.
 */
export function compileLinear(source: string): LinearPattern | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
}
