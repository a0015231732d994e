import { randomId } from '../../base/ids.ts';
import { Fault } from '../../base/fault.ts';
import type { SessionSettings } from '../config/resolve-session.ts';
import { withAttachments, type Attachment } from '../conversation.ts';
import type { AgentCall } from '../plan-agent.ts';
import { readSession } from './read-session.ts';
import { assertNotRunning } from './session-file.ts';
import { setupOf, type SessionSetup } from './session-setup.ts';
import type { SessionStorage } from './session-storage.ts';

/** Which stored session to continue: itself, or a copy of it. */
export interface Continuation {
  readonly resume?: string | undefined;
  readonly fork?: string | undefined;
  /** A further task. */
  readonly prompt?: string | undefined;
  /** The files of that task. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** Settings of this call; they override the settings of the stored session. */
  readonly settings: SessionSettings;
}

export interface ContinuedSession {
  readonly head: SessionSetup;
  readonly call: AgentCall;
  readonly storage: SessionStorage;
}

/** Opens a stored session to continue it. Reads only; a copy is made when it runs. */
export function continueSession(folder: string, given: Continuation): ContinuedSession {
  const { resume, fork, prompt, settings, attachments = [] } = given;
  const id = resume ?? fork;
  if (id === undefined) throw unclearSession('Pass --resume or --fork with the id of a session.');
  if (resume !== undefined && fork !== undefined)
    throw unclearSession('Pass only one of --resume and --fork.');
  if (resume !== undefined) assertNotRunning(folder, resume);
  const saved = readSession(folder, id);
  const head = setupOf(saved);
  const stored: AgentCall = { ...head.call, settings: { ...head.call.settings, ...settings } };
  return {
    head,
    call: { ...stored, ...withAttachments(attachments) },
    storage: {
      folder,
      head: { ...head, call: stored },
      resume: resume === undefined ? { ...saved, id: randomId() } : saved,
      ...(fork !== undefined && { forkOf: fork }),
      ...(prompt !== undefined && {
        prompt: joinPrompts(saved.prompt, prompt),
        attachments: [...(saved.attachments ?? []), ...attachments],
      }),
    },
  };
}

function unclearSession(message: string): Fault {
  return new Fault('E_USAGE', message, {
    hint: '"deed agent sessions list" lists the sessions.',
    details: { field: 'resume' },
  });
}

/** A task that the interrupted process did not start stays part of the next one. */
function joinPrompts(earlier: string | undefined, prompt: string): string {
  return earlier === undefined ? prompt : `${earlier}\n\n${prompt}`;
}
