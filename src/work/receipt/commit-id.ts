import * as v from 'valibot';

/** The id of a commit in a document of others: it is passed to git. */
export function commitId() {
  return v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u));
}
