import { LOADS_CODE } from '../../system/child-environment.ts';

/** The first line of an installed plugin file; identifies it. */
const MARK = '// Written by "vybe hook install"; "vybe hook uninstall" removes it.';

/**
 * Renders the plugin through which OpenCode calls the handlers. It never throws, and the host waits for it in two places only: before the
 * first request to a model, for the brief, and on exit, for events that are not recorded yet.
 */
export function openCodePlugin(program: readonly string[]): string {
  return `${MARK}
import { spawn } from 'node:child_process';
import { env as hostEnvironment } from 'node:process';

const PROGRAM = ${JSON.stringify(program)};
/** Runtime settings of the host that would load code into vybe or change how it runs. */
const LOADS_CODE = ${String(LOADS_CODE)};
${PLUGIN_BODY}`;
}

export function isVybePlugin(text: string): boolean {
  return text.startsWith(MARK);
}

/** The command that a plugin calls; undefined if the file was edited. */
export function programOfPlugin(text: string): readonly string[] | undefined {
  const list = /^const PROGRAM = (\[.*\]);$/mu.exec(text)?.[1];
  try {
    return list === undefined ? undefined : (JSON.parse(list) as readonly string[]);
  } catch {
    return undefined;
  }
}

const PLUGIN_BODY = `const TIMEOUT_MS = 5000;
const MAX_WAITING = 100;
/** The result of a command is at the end of its output. */
const MAX_OUTPUT = 20000;
/** Tools that change something, or the to-do list; reads are not recorded. */
const RECORDED_TOOLS = /^(?:bash|edit|multiedit|write|patch|apply_patch|todowrite)$/;

function call(handler, input) {
  return new Promise((resolve) => {
    try {
      const env = Object.fromEntries(Object.entries(hostEnvironment).filter(([name]) => !LOADS_CODE.test(name)));
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), 'hook', handler], { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: TIMEOUT_MS });
      let output = '';
      child.stdout.on('data', (chunk) => { output += chunk; });
      child.on('error', () => resolve(''));
      child.on('close', () => resolve(output));
      child.stdin.on('error', () => undefined);
      child.stdin.end(JSON.stringify(input));
    } catch {
      resolve('');
    }
  });
}

function contextIn(output) {
  try {
    return JSON.parse(output).hookSpecificOutput.additionalContext;
  } catch {
    return '';
  }
}

export const Vybe = async ({ directory }) => {
  const contexts = new Map();
  const childSessions = new Set();
  const failed = new Set();
  /** The last message of the assistant in each session: its id and its text. */
  const messages = new Map();
  let waiting = 0;
  let last = Promise.resolve();
  const base = (session_id) => ({ session_id, cwd: directory, host: 'opencode' });

  /** Records in order, without blocking the host. Sessions started by another session are not recorded. */
  const record = (handler, id, input) => {
    if (waiting >= MAX_WAITING || childSessions.has(id)) return;
    waiting += 1;
    last = last.then(() => call(handler, { ...base(id), ...input })).then(() => { waiting -= 1; });
  };
  /** The host does not wait for this on session.created, and sends no event for a resumed session. */
  const contextOf = (id) => {
    if (!contexts.has(id)) contexts.set(id, call('session-start', base(id)).then(contextIn));
    return contexts.get(id);
  };
  const toolFailed = (id, callID, tool_name, tool_input, error) => {
    if (failed.has(callID)) return;
    failed.add(callID);
    record('tool-failure', id, { tool_name, tool_input, error });
  };
  const onEvent = ({ type, properties = {} }) => {
    const id = properties.info?.id ?? properties.sessionID ?? '';
    if (type === 'session.created') {
      if (properties.info?.parentID) childSessions.add(id);
      else void contextOf(id);
    }
    if (type === 'session.compacted') record('checkpoint', id, {});
    if (type === 'session.deleted') {
      if (contexts.delete(id)) record('session-end', id, { reason: 'deleted' });
    }
    if (type === 'message.updated' && properties.info?.role === 'assistant') {
      const { id: messageID, sessionID } = properties.info;
      if (messages.get(sessionID)?.messageID !== messageID) messages.set(sessionID, { messageID, text: '' });
    }
    if (type === 'session.idle' && messages.get(id)?.text) {
      record('stop', id, { last_assistant_message: messages.get(id).text });
      messages.delete(id);
    }
    const part = properties.part;
    if (type === 'message.part.updated' && part?.type === 'text') {
      const message = messages.get(part.sessionID);
      if (message?.messageID === part.messageID) message.text = part.text ?? '';
    }
    if (type === 'message.part.updated' && part?.type === 'tool' && part.state?.status === 'error')
      toolFailed(part.sessionID, part.callID, part.tool, part.state.input, part.state.error);
  };
  const ignoreErrors = (action) => async (input, output) => {
    try {
      await action(input ?? {}, output ?? {});
    } catch {}
  };
  return {
    event: ignoreErrors(({ event }) => onEvent(event)),
    'chat.message': ignoreErrors((input, output) => {
      const prompt = (output.parts ?? []).map((part) => (part.synthetic ? '' : (part.text ?? ''))).filter(Boolean).join('\\n');
      if (prompt !== '') record('prompt', input.sessionID, { prompt });
    }),
    'tool.execute.after': ignoreErrors(({ tool, sessionID, callID, args }, { output, metadata }) => {
      const code = metadata?.exit;
      const text = String(output ?? '').slice(-MAX_OUTPUT);
      if (typeof code === 'number' && code !== 0)
        toolFailed(sessionID, callID, tool, args, 'exit code ' + code + '\\n' + text);
      else if (RECORDED_TOOLS.test(tool)) record('tool-success', sessionID, { tool_name: tool, tool_input: args, tool_response: text });
    }),
    'experimental.chat.system.transform': ignoreErrors(async ({ sessionID }, { system }) => {
      // The host generates session titles through this hook too.
      if (!sessionID || childSessions.has(sessionID) || /^You are a title generator/.test(system[0] ?? '')) return;
      const text = await contextOf(sessionID);
      if (text) system.push(text);
    }),
    dispose: ignoreErrors(async () => {
      for (const id of contexts.keys()) record('session-end', id, { reason: 'exit' });
      await last;
    }),
  };
};
`;
