import { excerpt } from '../../base/text.ts';
import type { ToolHost } from '../tool-host.ts';

/** The longest instructions of one server; longer ones would crowd out the task. */
const MAX_CHARACTERS = 4000;

/** Renders the instructions of the tool servers for the use of their tools; undefined when there are none. */
export function renderServerInstructions(hosts: readonly ToolHost[]): string | undefined {
  const sections = hosts.flatMap((host) => {
    const text = host.instructions?.()?.trim() ?? '';
    if (text === '' || host.listTools().length === 0) return [];
    return `Tool server ${host.name}:\n${excerpt(text.toWellFormed(), MAX_CHARACTERS)}`;
  });
  if (sections.length === 0) return undefined;
  return ['Notes of the tool servers on the use of their tools:', ...sections].join('\n\n');
}
