import * as v from 'valibot';

/** The name of a signer is a part of the name of its file. */
export function signerName() {
  return v.pipe(
    v.string(),
    v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/u, 'must be a lower-case word of up to 40 characters'),
  );
}
