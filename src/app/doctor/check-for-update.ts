import { pass, warn, type Checker } from '../../contract/health-check.ts';

/** Reports a known newer version; makes no request, unlike `update --check`. */
export const checkForUpdate: Checker = async ({ tool, notices }) => {
  const notice = (await notices()).find(({ type }) => type === 'update_available');
  if (notice === undefined) return pass('update', `${tool.version} is the newest known version.`);
  return warn(
    'update',
    `Version ${text(notice.latest_version)} is available.`,
    text(notice.recommended_command),
  );
};

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
