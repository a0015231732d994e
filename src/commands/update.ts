import * as v from 'valibot';
import { described, record } from '../base/schema.ts';
import { BUILD } from '../app/build.ts';
import type { JsonObject } from '../base/json.ts';
import { defineExempt, type CommandContext } from '../contract/command.ts';
import { checkUpdate, previewUpdate } from '../release/check-update.ts';
import { renderCheck, renderOutcome, renderUpdatePreview } from '../release/render-update.ts';
import { runUpdate } from '../release/run-update.ts';
import { RELEASE_TRUST } from '../release/release-trust.ts';
import type { UpdateRequest, UpdateContext } from '../release/update-context.ts';
import { settingsOf } from '../config/settings-of.ts';

const anything = record(v.unknown());

const output = v.object({
  status: v.picklist(['updated', 'up_to_date', 'skill_synced', 'update_available']),
  previous_version: v.string(),
  current_version: described(v.string(), 'The installed version, which the next start runs'),
  target_version: v.string(),
  latest_version: described(v.nullable(v.string()), 'Null with --target-version'),
  update_available: v.boolean(),
  install_method: v.string(),
  command: described(v.string(), 'The command that a user would run for this update'),
  release_url: v.string(),
  binary_replaced: v.boolean(),
  signature_verified: v.boolean(),
  signature_status: v.picklist(['verified', 'not_checked']),
  verification: v.optional(v.nullable(anything)),
  signature_available: v.optional(v.nullable(v.boolean())),
  checksum_available: v.optional(v.nullable(v.boolean())),
  skill_sync_supported: v.boolean(),
  skill_sync_status: v.picklist(['not_started', 'not_needed', 'pending', 'failed', 'synced']),
  skill_sync_command: v.string(),
  skill_folders: v.array(v.string()),
  notice: v.optional(anything),
  preview: v.optional(v.object({ changes: v.array(anything), verification: v.array(v.string()) })),
  hint: v.optional(v.string()),
  next_steps: v.optional(v.array(v.object({ action: v.string(), command: v.string() }))),
});

export default defineExempt({
  path: 'update',
  summary: 'Update this tool and its Skill',
  description:
    'Finds the newest release, verifies it, replaces the program and syncs the Skill, in one call and without a token. ' +
    'Does nothing when this is the newest version. --check and --dry-run change nothing',
  params: {
    check: described(
      v.optional(v.boolean(), false),
      'Only check, and cache the result for the notices of other commands',
    ),
    target_version: described(
      v.optional(v.string()),
      'Install exactly this version, which can be an older one',
    ),
  },
  output,
  examples: ['update', 'update --check', 'update --dry-run', 'update --target-version 0.1.0'],
  errors: [
    'E_NOT_FOUND',
    'E_AUTH',
    'E_NETWORK',
    'E_RATE_LIMITED',
    'E_SERVER',
    'E_INTEGRITY',
    'E_CONFLICT',
    'E_SKILL_SYNC',
  ],
  run: async (params, context) => {
    const request = { runningVersion: context.tool.version, targetVersion: params.target_version };
    const only = { check: params.check, dryRun: context.dryRun };
    return (await answer(request, updateContext(context), only)) as v.InferOutput<typeof output>;
  },
  renderText: ({ status, current_version, target_version, hint }) => {
    if (status === 'update_available') return `${target_version} is available; this is ${current_version}.\n`;
    if (status === 'up_to_date') return `${current_version} is the newest version.\n`;
    return `This is now ${current_version}. ${hint ?? ''}\n`;
  },
});

async function answer(
  request: UpdateRequest,
  system: UpdateContext,
  only: { readonly check: boolean; readonly dryRun: boolean },
): Promise<JsonObject> {
  if (only.dryRun) return renderUpdatePreview(await previewUpdate(request, system), request, system);
  if (only.check) {
    const check = await checkUpdate(request, system);
    return renderCheck(check, check.notice, request, system);
  }
  return renderOutcome(await runUpdate(request, system), request);
}

function updateContext(context: CommandContext): UpdateContext {
  const { system, home, signal, progress, warn, onForcedExit } = context;
  const settings = settingsOf(context);
  return {
    fetch: system.fetch,
    clock: system.clock,
    env: system.env,
    platform: system.platform,
    // A release has a separate archive for this C library.
    arch: BUILD.libc === undefined ? system.arch : `${system.arch}-${BUILD.libc}`,
    userHome: system.userHome,
    executable: system.executable.path,
    home,
    signal,
    progress,
    warn,
    onForcedExit,
    releaseUrl: settings.get('update.release_url').value as string,
    skillFolders: settings.get('update.skill_folders').value as readonly string[],
    timeoutMs: Number(settings.get('update.timeout_ms').value),
    trust: RELEASE_TRUST,
  };
}
