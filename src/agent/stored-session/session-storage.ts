import type { Clock } from '../../base/clock.ts';
import { withAttachments, type Attachment } from '../conversation.ts';
import type { CallerPorts } from '../open-plan.ts';
import { openForkedFile } from './fork-session.ts';
import type { StoredSession } from './restore-session.ts';
import { openSessionFile } from './session-file.ts';
import type { SessionSetup } from './session-setup.ts';

/** Where a session is stored, and which stored session it continues. */
export interface SessionStorage {
  readonly folder: string;
  readonly head: SessionSetup;
  readonly resume?: StoredSession;
  /** The id of the session that `resume` is a copy of. */
  readonly forkOf?: string;
  /** A further task for the continued session. */
  readonly prompt?: string;
  /** The files of that task. */
  readonly attachments?: readonly Attachment[];
}

/** Returns the ports that store a session. */
export function storagePorts(
  storage: SessionStorage | undefined,
  id: string,
  clock: Clock,
): Pick<CallerPorts, 'sessionLog' | 'resume' | 'prompt' | 'attachments' | 'head'> {
  if (storage === undefined) return {};
  const { folder, head, resume, forkOf, prompt, attachments } = storage;
  return {
    sessionLog:
      forkOf === undefined
        ? openSessionFile(folder, id, clock)
        : openForkedFile(folder, { original: forkOf, copy: id }, clock),
    head,
    ...(resume !== undefined && { resume }),
    ...(prompt !== undefined && { prompt }),
    ...withAttachments(attachments),
  };
}
