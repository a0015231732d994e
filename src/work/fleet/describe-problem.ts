import { errorMessage } from '../../base/error-message.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';

const MAX_CHARACTERS = 500;

/** A failure as other hosts see it. What git says may contain the password of a remote. */
export function describeProblem(error: unknown): string {
  return excerpt(redactText(errorMessage(error)), MAX_CHARACTERS);
}
