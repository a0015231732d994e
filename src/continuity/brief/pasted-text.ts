/** Lines that a program printed: logs, stack traces, compiler messages, diffs, JSON members and shell prompts. */
const PRINTED: readonly RegExp[] = [
  /^[[(]?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d/u,
  /^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d /u,
  /^\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)(?:\]|\s*[:|])/iu,
  /^(?:[\w.$]*(?:Error|Exception)|\w+Warning)(?: \[\w+\])?: /u,
  /^\(\w+:\d+\) /u,
  /^at \S.*:\d+/u,
  /^(?:Traceback \(|File ".+", line \d|Caused by: |panic: |goroutine \d)/u,
  /^(?:npm|pnpm|yarn) (?:ERR!|error|warn)/iu,
  /^\S+\.\w{1,5}(?::\d+|\(\d+)/u,
  /^"[\w-]+"\s*:/u,
  /^[$❯✗✖✕●] \S/u,
  /^(?:diff --git |@@ |[+-]{3} )/u,
];
const CODE_BLOCK = /^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1/gmu;

/** Long prompts are recorded with a gap in their middle. */
const LINE_OR_GAP = /\n|(?<= … )/u;

/** Separates what a user says from what the user pasted: code blocks, and lines that a program printed. */
export function separatePastes(text: string): { readonly said: string; readonly pasted: string } {
  const pasted: string[] = [];
  const said = text
    .replaceAll(CODE_BLOCK, (block) => {
      pasted.push(block.replaceAll(/^[ \t]*(?:```|~~~).*$/gmu, '').trim());
      return '';
    })
    .split(LINE_OR_GAP)
    .filter((line) => {
      const isPrinted = PRINTED.some((pattern) => pattern.test(line.trimStart()));
      if (isPrinted) pasted.push(line);
      return !isPrinted;
    });
  return { said: said.join('\n').trim(), pasted: pasted.join('\n') };
}
