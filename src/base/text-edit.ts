/** One replacement in a text. A list of edits is applied in order: each offset refers to the text after the edits before it. */
export interface TextEdit {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce((current, { offset, removed, inserted }) => {
    if (!current.startsWith(removed, offset)) throw new Error('the edit does not fit the text');
    return current.slice(0, offset) + inserted + current.slice(offset + removed.length);
  }, text);
}

/** The edits that undo others, in the order to apply them. */
export function invertEdits(edits: readonly TextEdit[]): readonly TextEdit[] {
  return edits
    .map(({ offset, removed, inserted }) => ({ offset, removed: inserted, inserted: removed }))
    .toReversed();
}
