import { pass, warn, type Checker } from '../../contract/health-check.ts';

/** Whether a newer version is known; nobody is asked here, `update --check` does that. */
export const checkForUpdate: Checker = async ({ tool, notices }) => {
  const notice = (await notices()).find(({ type }) => type === 'update_available');
  if (notice === undefined) return pass('update', `${tool.version} is the newest version known here.`);
  return warn('update', `Version ${text(notice.latest_version)} is there.`, text(notice.recommended_command));
};

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
