/** Breaks a long text between words, so that its lines start below each other. */
export function wrapText(text: string, start: number, columns: number): string {
  const room = Math.max(20, columns - start);
  if (text.length <= room) return text;
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(start)}`);
}
