import { BUILD } from '../app/build.ts';
import * as z from '../base/schema/schema.ts';
import type { JsonObject } from '../base/json.ts';
import { defineExempt, type CommandContext } from '../contract/command.ts';
import { checkUpdate, previewUpdate } from '../release/check-update.ts';
import { renderCheck, renderOutcome, renderPreview } from '../release/render-update.ts';
import { runUpdate } from '../release/run-update.ts';
import { RELEASE_TRUST } from '../release/release-trust.ts';
import type { UpdateRequest, UpdateContext } from '../release/update-context.ts';
import { settingsOf } from './command-settings.ts';

const anything = z.record(z.string(), z.unknown());

const output = z.object({
  status: z.enum(['updated', 'up_to_date', 'skill_synced', 'update_available']),
  previous_version: z.string(),
  current_version: z.described(z.string(), 'The version that the next start runs'),
  target_version: z.string(),
  latest_version: z.described(z.nullable(z.string()), 'Null when a version was asked for'),
  update_available: z.boolean(),
  install_method: z.string(),
  command: z.described(z.string(), 'What a person would run to get there'),
  release_url: z.string(),
  binary_replaced: z.boolean(),
  signature_verified: z.boolean(),
  signature_status: z.enum(['verified', 'not_checked']),
  verification: z.optional(z.nullable(anything)),
  signature_available: z.optional(z.nullable(z.boolean())),
  checksum_available: z.optional(z.nullable(z.boolean())),
  skill_sync_supported: z.boolean(),
  skill_sync_status: z.enum(['not_started', 'not_needed', 'pending', 'failed', 'synced']),
  skill_sync_command: z.string(),
  skill_folders: z.array(z.string()),
  notice: z.optional(anything),
  preview: z.optional(z.object({ changes: z.array(anything), verification: z.array(z.string()) })),
  hint: z.optional(z.string()),
  next_steps: z.optional(z.array(z.object({ action: z.string(), command: z.string() }))),
});

export default defineExempt({
  path: 'update',
  summary: 'Update this tool and its Skill',
  description:
    'Finds the newest release, verifies it, replaces the program and syncs the Skill, all in one call and without a token. ' +
    'Does nothing when there is nothing newer. --check and --dry-run only look',
  params: {
    check: z.described(
      z._default(z.boolean(), false),
      'Only look, and remember what was found for the notices of other commands',
    ),
    target_version: z.described(z.optional(z.string()), 'Go to exactly this version, an older one too'),
  },
  output,
  examples: ['update', 'update --check', 'update --dry-run', 'update --target-version 0.1.0'],
  errors: ['E_NOT_FOUND', 'E_AUTH', 'E_NETWORK', 'E_RATE_LIMITED', 'E_SERVER', 'E_INTEGRITY', 'E_CONFLICT'],
  run: async (params, context) => {
    const request = { runningVersion: context.tool.version, targetVersion: params.target_version };
    const only = { check: params.check, dryRun: context.dryRun };
    return (await answer(request, updateContext(context), only)) as z.output<typeof output>;
  },
  renderText: ({ status, current_version, target_version, hint }) => {
    if (status === 'update_available') return `${target_version} is there; this is ${current_version}.\n`;
    if (status === 'up_to_date') return `${current_version} is the newest version.\n`;
    return `This is now ${current_version}. ${hint ?? ''}\n`;
  },
});

async function answer(
  request: UpdateRequest,
  system: UpdateContext,
  only: { readonly check: boolean; readonly dryRun: boolean },
): Promise<JsonObject> {
  if (only.dryRun) return renderPreview(await previewUpdate(request, system), request, system);
  if (only.check) {
    const check = await checkUpdate(request, system);
    return renderCheck(check, check.notice, request, system);
  }
  return renderOutcome(await runUpdate(request, system), request);
}

function updateContext(context: CommandContext): UpdateContext {
  const { system, home, signal, progress, warn, lastWords } = context;
  const settings = settingsOf(context);
  return {
    fetch: system.fetch,
    clock: system.clock,
    env: system.env,
    platform: system.platform,
    // A release has an archive of its own for this C library.
    arch: BUILD.libc === undefined ? system.arch : `${system.arch}-${BUILD.libc}`,
    userHome: system.userHome,
    executable: system.executable.path,
    home,
    signal,
    progress,
    warn,
    lastWords,
    releaseUrl: settings.get('update.release_url').value as string,
    skillFolders: settings.get('update.skill_folders').value as readonly string[],
    timeoutMs: Number(settings.get('update.timeout_ms').value),
    trust: RELEASE_TRUST,
  };
}
