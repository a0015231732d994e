import { confirm, preview, type Preview } from './api.ts';

/** The dry run of a write, and the write that it leads to. */
export interface PlannedWrite {
  readonly preview: Preview;
  readonly confirm: () => Promise<unknown>;
}

export async function planWrite(...[command, parameters]: Parameters<typeof preview>): Promise<PlannedWrite> {
  const shown = await preview(command, parameters);
  return { preview: shown, confirm: () => confirm(command, parameters, shown.token) };
}

/** Like `planWrite`, for a write that cannot be undone. */
export async function planDangerousWrite(
  ...[command, parameters]: Parameters<typeof preview>
): Promise<PlannedWrite> {
  const shown = await preview(command, parameters);
  return { preview: shown, confirm: () => confirm(command, parameters, shown.token, true) };
}
