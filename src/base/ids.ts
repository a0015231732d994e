import { randomBytes } from 'node:crypto';

/** Makes an unguessable id of 128 random bits, as hex. */
export function randomId(): string {
  return randomBytes(16).toString('hex');
}
