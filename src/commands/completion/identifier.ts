/** The name of a program in names of shell functions. */
export function identifier(tool: string): string {
  return tool.replaceAll(/[^a-z0-9]/gu, '_');
}
