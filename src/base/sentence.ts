/** Adds a full stop unless the text ends with punctuation. */
export function sentence(text: string): string {
  return /[.!?:"]$/u.test(text) ? text : `${text}.`;
}
