/**
 * Generates the pages of docs/reference, the list of commands of the Skill, the JSON Schemas of the files of agents, and the types of the web pages. With --check it writes nothing and fails when a page on disk
 * is not current.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './build-constants.ts';
import { agentFilesPage } from './pages/agent-files-page.ts';
import { configFileSchema, promptFileSchema } from './pages/agent-schemas.ts';
import { commandList, commandsPage } from './pages/commands-page.ts';
import { configurationPage } from './pages/configuration-page.ts';
import { errorsPage } from './pages/errors-page.ts';
import { webCommandsPage } from './pages/web-commands-page.ts';

const pages: Readonly<Record<string, string>> = {
  'docs/reference/agent-files.md': agentFilesPage(),
  'docs/reference/commands.md': await commandsPage(),
  'docs/reference/configuration.md': configurationPage(),
  'docs/reference/exit-codes-and-errors.md': errorsPage(),
  'schemas/ai-agent.schema.json': json(configFileSchema()),
  'schemas/prompt-file.schema.json': json(promptFileSchema()),
  'skills/deed/commands.md': await commandList(),
  'web/base/commands.ts': await webCommandsPage(),
};

const check = process.argv.includes('--check');
for (const [path, text] of Object.entries(pages)) {
  const file = join(ROOT, path);
  if (!check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not current. Run: npm run generate`);
    process.exitCode = 1;
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
