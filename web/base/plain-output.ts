/** Colours, cursor movements and titles of terminals. */
const ESCAPES =
  // eslint-disable-next-line no-control-regex -- escape sequences are the point
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\|$)|[ -/]*[0-~])/gu;

/** The output of a program as a terminal would leave it: without escape sequences, and of a line that was overwritten the last text. */
export function plainOutput(text: string): string {
  if (!text.includes('\u001B') && !text.includes('\r')) return text;
  return text
    .replaceAll(ESCAPES, '')
    .split('\n')
    .map((line) => line.replace(/\r+$/u, '').split('\r').at(-1) ?? '')
    .join('\n');
}
