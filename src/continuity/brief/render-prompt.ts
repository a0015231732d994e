import { escapeRecorded, frame, FRAME_RULE, isPlainWord } from './frame.ts';

/** The values in the fixed sentences of a prompt; all other lines are recorded text. */
export interface PromptFrame {
  readonly agent: string;
  readonly project: string | null;
  readonly task: { readonly id: string; readonly status: string } | null;
  /** The command line that starts `vybe`. */
  readonly vybe?: string | undefined;
  /** Only the next command, for small budgets. */
  readonly isShort: boolean;
}

/**
 * Renders a prompt for a model: an explanation, the recorded lines between tags, and the next commands. Names from the store that could be
 * read as text are shown only between the tags. `newRequestId` creates a request id for an operation.
 */
export function renderPrompt(
  outer: PromptFrame,
  lines: readonly string[],
  newRequestId: (operation: string) => string,
): string {
  const named = isPlainWord(outer.agent) ? ` as agent ${outer.agent}` : '';
  const names = [
    ...(named === '' ? [`AGENT is ${oneLine(outer.agent)}`] : []),
    ...(outer.project === null ? [] : [`Project: ${oneLine(outer.project)}`]),
    ...(outer.task === null || isPlainWord(outer.task.id) ? [] : [`TASK is ${oneLine(outer.task.id)}`]),
  ];
  return `${[
    `You continue recorded work${named}. ${FRAME_RULE}`,
    frame([...names, ...lines]),
    renderCommands(outer, newRequestId),
  ].join('\n\n')}\n`;
}

function renderCommands(outer: PromptFrame, newRequestId: (operation: string) => string): string {
  const { task, vybe = 'vybe', isShort } = outer;
  const agent = isPlainWord(outer.agent) ? outer.agent : '"$AGENT"';
  const call = (operation: string, rest: string): string =>
    `  ${vybe} ${rest.replace('AGENT', `--agent ${agent} --request-id ${newRequestId(operation)}`)}`;
  const next: (() => string)[] = [];
  if (task === null) next.push(() => call('task', "task create AGENT --title '…'"));
  else {
    const id = isPlainWord(task.id) ? task.id : '$TASK';
    if (task.status !== 'in_progress') next.push(() => call('begin', `task begin AGENT --id ${id}`));
    next.push(
      () => call('push', `push AGENT --json '{"task_id":"${id}","event":{"kind":"progress","message":"…"}}'`),
      () => call('done', `task complete AGENT --id ${id} --outcome done --summary '…'`),
    );
  }
  const rule = isShort
    ? 'Next command:'
    : 'Next commands (a request id is for one write; use it again only to retry that write):';
  return [rule, ...(isShort ? next.slice(0, 1) : next).map((line) => line())].join('\n');
}

function oneLine(name: string): string {
  return escapeRecorded(JSON.stringify(name));
}
