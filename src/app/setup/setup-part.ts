import { Fault } from '../../base/fault.ts';
import { parseJsonText, rewriteJson } from '../../base/rewrite-json.ts';
import type { TextEdit } from '../../base/text-edit.ts';

/** Agent hosts that can be set up, in the order of answers. */
export const SETUP_HOSTS = ['claude', 'codex', 'gemini', 'opencode', 'cursor'] as const;
export type SetupHost = (typeof SETUP_HOSTS)[number];

/** What a host can have; a host has those that it supports. */
export const PART_NAMES = ['mcp', 'hooks', 'skill', 'instructions'] as const;
export type PartName = (typeof PART_NAMES)[number];

export type JsonSettings = Readonly<Record<string, unknown>>;

/** An entry of ours in a file that belongs to a host and that others write too. */
export interface FilePart {
  readonly host: SetupHost;
  readonly part: Exclude<PartName, 'skill'>;
  readonly path: string;
  /** Contract: no edits if the entry is there already; everything else in the text keeps its bytes. */
  readonly add: (text: string) => readonly TextEdit[];
  readonly remove: (text: string) => readonly TextEdit[];
}

/** The parts of a JSON file are changes of its value. */
export function jsonPart(
  target: Pick<FilePart, 'host' | 'part' | 'path'>,
  add: (settings: JsonSettings) => JsonSettings,
  remove: (settings: JsonSettings) => JsonSettings,
): FilePart {
  const change = (text: string, to: (settings: JsonSettings) => JsonSettings): readonly TextEdit[] => {
    const settings = parseJsonText(text);
    if (settings === undefined) throw unreadable(target.path, 'is not a JSON object');
    const next = to(settings);
    return next === settings ? [] : rewriteJson(text, next);
  };
  return { ...target, add: (text) => change(text, add), remove: (text) => change(text, remove) };
}

export function unreadable(path: string, problem: string): Fault {
  return new Fault('E_CONFIG', `${path} ${problem}.`, {
    hint: 'Nothing was changed. Fix the file, then retry.',
    details: { path },
  });
}
