import { WORK_LIMITS } from '../work-limits.ts';

/** Cuts a stream of bytes into lines of text; a line beyond the limit is dropped, whatever it holds. */
export function createLineReader(onLine: (line: string) => void): {
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
} {
  const decoder = new TextDecoder();
  let rest = '';
  let dropping = false;
  const take = (text: string): void => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      if (!dropping && line.length <= WORK_LIMITS.eventCharacters) onLine(line);
      dropping = false;
    }
    if (rest.length > WORK_LIMITS.eventCharacters) {
      dropping = true;
      rest = '';
    }
  };
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end: () => {
      take(decoder.decode());
      if (rest !== '' && !dropping) onLine(rest);
      rest = '';
    },
  };
}
