/** By this line a plugin file is known as ours. */
const MARK = '// Written by "vybe hook install"; "vybe hook uninstall" removes it.';

/** The plugin that lets OpenCode call our handlers. It never throws into its host. */
export function openCodePlugin(program: readonly string[]): string {
  return `${MARK}
import { spawn } from 'node:child_process';

const PROGRAM = ${JSON.stringify(program)};

function call(handler, input) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), 'hook', handler], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 10000 });
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

export const Vybe = async ({ directory }) => {
  const contexts = new Map();
  const base = (session_id) => ({ session_id, cwd: directory, host: 'opencode' });
  return {
    event: async ({ event }) => {
      const id = event.properties?.info?.id ?? event.properties?.sessionID ?? '';
      if (event.type === 'session.created') {
        const text = await call('session-start', base(id));
        try {
          contexts.set(id, JSON.parse(text).hookSpecificOutput.additionalContext);
        } catch {}
      }
      if (event.type === 'session.compacted') await call('checkpoint', base(id));
      if (event.type === 'session.deleted') await call('session-end', base(id));
    },
    'chat.message': async (input, output) => {
      const prompt = (output.parts ?? []).map((part) => part.text ?? '').join('\\n');
      await call('prompt', { ...base(input.sessionID), prompt });
    },
    'tool.execute.after': async (input) => {
      await call('tool-success', { ...base(input.sessionID), tool_name: input.tool });
    },
    'experimental.chat.system.transform': async (input, output) => {
      const text = contexts.get(input.sessionID);
      if (text) output.system.push(text);
    },
  };
};
`;
}

export function isOurPlugin(text: string): boolean {
  return text.startsWith(MARK);
}
