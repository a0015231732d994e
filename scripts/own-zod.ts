import { readFileSync } from 'node:fs';
import type { Plugin } from 'rolldown';

const MARK = '?own';

/**
 * Gives packages a zod of their own. A call that is wrong loads our zod to say why, of which we use little; whatever a
 * package uses of the same files would be loaded with it, although the package itself is loaded late or never.
 */
export function ownZod(): Plugin {
  return {
    name: 'own-zod',
    async resolveId(source, importer) {
      if (importer === undefined) return null;
      const inside = importer.endsWith(MARK);
      const fromPackage = /[\\/]node_modules[\\/](?!zod[\\/])/u.test(importer);
      if (!inside && !(fromPackage && /^zod(?:\/|$)/u.test(source))) return null;
      const found = await this.resolve(source, inside ? importer.slice(0, -MARK.length) : importer, {
        skipSelf: true,
      });
      return found === null || found.external ? found : `${found.id}${MARK}`;
    },
    load(id) {
      return id.endsWith(MARK) ? readFileSync(id.slice(0, -MARK.length), 'utf8') : null;
    },
  };
}
