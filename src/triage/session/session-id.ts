import { randomHex } from '../../base/ids.ts';

const SESSION_ID = /^sess-(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})-[a-z0-9]{6}$/u;

/** Names a session by the second it began in, UTC, and six characters that tell it from others of that second. */
export function createSessionId(nowMs: number): string {
  const digits = new Date(nowMs).toISOString().replaceAll(/[-:]/gu, '');
  return `sess-${digits.slice(0, 8)}-${digits.slice(9, 15)}-${randomHex(3)}`;
}

/** Tells whether a text can be the name of a session; it becomes the name of a folder. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** When a session began, as its name tells; nothing when the name holds no such time. */
export function sessionTime(id: string): number | undefined {
  const [, year, month, day, hour, minute, second] = SESSION_ID.exec(id) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}
