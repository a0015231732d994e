/** Turns a person's words into a match expression: every word must occur, the last may be a beginning. */
export function fullTextWords(text: string): string {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
  return words.map((word, index) => `"${word}"${index === words.length - 1 ? '*' : ''}`).join(' ');
}
