import { findMoves, movedPath } from '../command-output/file-moves.ts';
import type { EventRow } from '../events/event.ts';
import type { EditedFile } from './brief.ts';
import { recordedText } from './recorded-text.ts';

const SHOWN = 15;
/** Most commands neither move nor remove a file; parsing them all would take longer than the rest of a brief. */
const MAY_MOVE = /\b(?:mv|rm)\s/u;

type Edits = Map<string, { edits: number; last_edited_at: string }>;

/** The edited files under their present names, the last one first. `tools` has the newest call first. */
export function summarizeEdits(tools: readonly EventRow[], projectId: string | undefined): EditedFile[] {
  const files: Edits = new Map();
  for (const { metadata, created_at } of tools.toReversed()) {
    const path = recordedText(metadata, ['file_path']);
    const command = recordedText(metadata, ['command']);
    if (path !== undefined)
      for (const edited of [path, ...otherFiles(metadata)]) touch(files, edited, 1, created_at);
    else if (command !== undefined && MAY_MOVE.test(command))
      applyMoves(files, command, projectId, created_at);
  }
  const nameOf = (path: string): string =>
    projectId !== undefined && path.startsWith(`${projectId}/`) ? path.slice(projectId.length + 1) : path;
  return [...files]
    .toReversed()
    .slice(0, SHOWN)
    .map(([path, edits]) => ({ file_path: nameOf(path), ...edits }));
}

/** The other files of a patch. */
function otherFiles(metadata: string): string[] {
  const { other_files: others } = JSON.parse(metadata) as { other_files?: unknown };
  return Array.isArray(others) ? others.filter((path) => typeof path === 'string') : [];
}

function applyMoves(files: Edits, command: string, projectId: string | undefined, at: string): void {
  for (const move of findMoves(command, projectId ?? '/')) {
    const moved = [...files].flatMap(([path, { edits }]) => {
      const to = movedPath(path, move);
      return to === undefined ? [] : [{ path, to, edits }];
    });
    for (const { path, to, edits } of moved) {
      files.delete(path);
      if (to !== null) touch(files, to, edits, at);
    }
    // A file that was moved without an edit is listed too, unless it left the project.
    const isInProject = projectId !== undefined && move.to?.startsWith(`${projectId}/`);
    if (moved.length === 0 && move.to !== undefined && isInProject) touch(files, move.to, 0, at);
  }
}

/** Counts an edit, and makes the file the last one. */
function touch(files: Edits, path: string, count: number, at: string): void {
  const known = files.get(path)?.edits ?? 0;
  files.delete(path);
  files.set(path, { edits: known + count, last_edited_at: at });
}
