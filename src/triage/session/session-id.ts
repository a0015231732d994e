import { randomHex } from '../../base/ids.ts';

const SESSION_ID = /^sess-(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})-[a-z0-9]{6}$/u;

/** Creates a triage session id: the current second in UTC and six random characters. */
export function createSessionId(nowMs: number): string {
  const digits = new Date(nowMs).toISOString().replaceAll(/[-:]/gu, '');
  return `sess-${digits.slice(0, 8)}-${digits.slice(9, 15)}-${randomHex(3)}`;
}

/** Returns whether a string has the form of a triage session id, which is used as a folder name. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** Returns the creation time in a triage session id; undefined when it is invalid. */
export function sessionTime(id: string): number | undefined {
  const [, year, month, day, hour, minute, second] = SESSION_ID.exec(id) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}
