import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { settingsOf } from '../../config/settings-of.ts';

/** Checks that the configuration is readable. Reports a configuration of the folder that is ignored because it is not trusted. */
export const checkSettings: Checker = (context) => {
  const { trust } = settingsOf(context);
  if (trust.state === 'none' || trust.state === 'trusted')
    return pass('config', 'The configuration is readable.');
  const why = trust.state === 'changed' ? 'has changed since it was trusted' : 'is not trusted';
  return warn(
    'config',
    `${trust.file} ${why} and is ignored.`,
    `Review it, then run "${context.tool.name} config trust . --dry-run", or remove it.`,
  );
};
