import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Collects the licence texts of the bundled packages, which must be distributed with the bundle. Throws for a package without a licence,
 * so that none is shipped.
 */
export const LICENCES_NAME = 'THIRD_PARTY_LICENCES.txt';

export function renderLicences(moduleIds: readonly string[]): string {
  const folders = new Set(moduleIds.flatMap((id) => packageFolder(id) ?? []));
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/iu.test(entry));
    if (license === undefined) throw new Error(`${name} has no licence`);
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return `deed contains code of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** Returns the package of a module; undefined for modules of this project. */
function packageFolder(id: string): string | undefined {
  const match = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/u.exec(id);
  return match?.[1] !== undefined && existsSync(join(match[1], 'package.json')) ? match[1] : undefined;
}
