import completion from '../../src/commands/completion/completion.ts';
import man from '../../src/commands/man.ts';
import { deedTool } from '../../src/app/deed-tool.ts';
import { DEED_COMMANDS } from '../../src/commands/table.ts';
import type { Command, CommandContext } from '../../src/contract/command.ts';
import { createTable } from '../../src/contract/command-table.ts';

/** The manual page and the completions that packages and archives contain, by path. */
export async function shellFiles(version: string): Promise<Readonly<Record<string, string>>> {
  // These two commands use nothing else.
  const context = { tool: { ...deedTool, version }, table: createTable(DEED_COMMANDS) } as CommandContext;
  const render = async (command: Command, params: Record<string, unknown>): Promise<string> => {
    if (command.kind !== 'read' || command.renderRaw === undefined) throw new Error('it prints no text');
    return command.renderRaw(await command.run(params, context));
  };
  return {
    'share/man/man1/deed.1': await render(man, {}),
    'share/completions/deed.bash': await render(completion, { shell: 'bash' }),
    'share/completions/_deed': await render(completion, { shell: 'zsh' }),
    'share/completions/deed.fish': await render(completion, { shell: 'fish' }),
  };
}
