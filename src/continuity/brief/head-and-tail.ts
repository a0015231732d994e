/** Shortens a text in its middle: requests begin with the subject and end with limits, and errors end with the cause. */
export function headAndTail(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil(length * 0.6);
  const first = text.slice(0, head).replace(/[\uD800-\uDBFF]$/u, '');
  const last = text.slice(text.length - (length - head)).replace(/^[\uDC00-\uDFFF]/u, '');
  return `${first} … ${last}`;
}
