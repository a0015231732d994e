import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { settingsOf } from '../command-settings.ts';

/** The configuration can be read, and a folder's own file is either trusted or known to be ignored. */
export const checkSettings: Checker = (context) => {
  const { trust } = settingsOf(context);
  if (trust.state === 'none' || trust.state === 'trusted')
    return pass('config', 'The configuration is readable.');
  const why = trust.state === 'changed' ? 'changed since it was trusted' : 'is not trusted';
  return warn(
    'config',
    `${trust.file} ${why} and is ignored.`,
    `Read it; if you agree with it, run "${context.tool.name} config trust . --dry-run". Otherwise remove it.`,
  );
};
