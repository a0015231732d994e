import { isPlainObject } from '../../base/json.ts';

/** Reads a member that the hooks recorded; earlier versions recorded it only inside the tool input. */
export function recordedText(metadata: string, names: readonly string[]): string | undefined {
  const recorded = JSON.parse(metadata) as Record<string, unknown>;
  const input = isPlainObject(recorded.tool_input) ? recorded.tool_input : {};
  for (const name of names) {
    const value = recorded[name] ?? input[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
