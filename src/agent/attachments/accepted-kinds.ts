import { Fault } from '../../base/fault.ts';
import type { ProviderFamily } from '../providers/provider-family.ts';
import type { SessionConfig } from '../session-config.ts';
import { ATTACHMENT_KINDS, describeAttachment, kindOf, type AttachmentKind } from './attachment-kinds.ts';

/** Families whose current models accept images and documents. For other providers it depends on the model, so the configuration must name what a model accepts. */
const MULTIMODAL: ReadonlySet<ProviderFamily> = new Set(['openai', 'anthropic', 'google', 'script']);

/** Returns what the models of a family accept unless the configuration sets `accepts`. */
export function defaultKinds(family: ProviderFamily): readonly AttachmentKind[] {
  return MULTIMODAL.has(family) ? ATTACHMENT_KINDS : [];
}

/** Throws a Fault when no model of a session accepts a file of its task. */
export function checkAttachments({ attachments = [], targets }: SessionConfig): void {
  const accepted = new Set(targets.flatMap(({ accepts = [] }) => accepts));
  const refused = attachments.find((each) => !accepted.has(kindOf(each)));
  if (refused === undefined) return;
  const [first] = targets;
  const kind = kindOf(refused);
  throw new Fault('E_CONFIG', `No model of this session accepts ${describeAttachment(refused)}.`, {
    hint: `If the model does, set providers.${first?.provider}.models[${JSON.stringify(first?.model)}].accepts to ["${kind}"].`,
    details: { field: 'attach', kind, models: targets.map(({ provider, model }) => `${provider}/${model}`) },
  });
}
