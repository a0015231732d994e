import { render, type ComponentType, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { readSession, type CallError } from './base/api.ts';
import { onChanges, startLive } from './base/live.ts';
import { startRevealing } from './base/reveal.ts';
import { path, startRouter } from './base/router.ts';
import { loadSession, noteFailure, session, sessionError } from './base/session.ts';
import { useFleet, type FleetJob } from './base/use-fleet.ts';
import { useInbox, type InboxItem } from './base/use-inbox.ts';
import { useRuns, type RunRow } from './base/use-runs.ts';
import { SignInPage } from './pages/sign-in-page.tsx';
import { Empty, Failure, Loading } from './parts/notice.tsx';
import { Shell } from './parts/shell.tsx';

/** What every page gets. */
interface PageProps {
  readonly runs: readonly RunRow[] | undefined;
  readonly inbox: readonly InboxItem[] | undefined;
  /** The jobs in the queues of all hosts; undefined without a shared store. */
  readonly fleetJobs: readonly FleetJob[] | undefined;
  readonly refresh: () => void;
  readonly jobId: string;
}

interface Route {
  readonly pattern: RegExp;
  readonly title: string;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

const ROUTES: readonly Route[] = [
  { pattern: /^\/$/u, title: 'Now', load: () => import('./pages/now-page.tsx') },
  { pattern: /^\/inbox$/u, title: 'Inbox', load: () => import('./pages/inbox-page.tsx') },
  { pattern: /^\/tasks$/u, title: 'Tasks', load: () => import('./pages/tasks-page.tsx') },
  { pattern: /^\/sessions$/u, title: 'Sessions', load: () => import('./pages/sessions-page.tsx') },
  { pattern: /^\/journal$/u, title: 'Journal', load: () => import('./pages/journal-page.tsx') },
  { pattern: /^\/processes$/u, title: 'Processes', load: () => import('./pages/processes-page.tsx') },
  { pattern: /^\/trust$/u, title: 'Trust', load: () => import('./pages/trust-page.tsx') },
  { pattern: /^\/jobs$/u, title: 'Jobs', load: () => import('./pages/jobs-page.tsx') },
  { pattern: /^\/jobs\/(?<id>[\w-]+)$/u, title: 'Job', load: () => import('./pages/job-page.tsx') },
];

function App(): JSX.Element {
  useEffect(() => void loadSession(), []);
  // The link that signs in ends a session that is there.
  if (session.value === null || (path.value === '/sign-in' && session.value !== undefined))
    return <SignInPage />;
  if (session.value === undefined)
    return sessionError.value === undefined ? <Loading /> : <Failure error={sessionError.value} />;
  return <SignedIn />;
}

function SignedIn(): JSX.Element {
  useEffect(startLive, []);
  const { runs, error, refresh } = useRuns();
  const { data: fleet } = useFleet('work fleet');
  const inbox = useInbox(runs, fleet?.jobs);
  const waiting = inbox?.length ?? 0;
  const route = ROUTES.find(({ pattern }) => pattern.test(path.value));
  const [loaded, setLoaded] = useState<{ readonly route: Route; readonly Page: ComponentType<PageProps> }>();
  const [fault, setFault] = useState<CallError>();
  useEffect(() => {
    const prefix = waiting > 0 ? `(${waiting}) ` : '';
    document.title = `${prefix}${route?.title ?? 'Not found'} · deed`;
  }, [route, waiting]);
  useEffect(() => {
    setFault(undefined);
    if (route === undefined) return;
    let isBroken = false;
    const load = async (): Promise<void> => {
      try {
        const { default: Page } = await route.load();
        setLoaded({ route, Page });
      } catch {
        isBroken = true;
        setFault(await reloadIfAnswered());
      }
    };
    void load();
    return onChanges((changes) => {
      if (isBroken && changes === undefined) location.reload();
    });
  }, [route]);
  const shown = fault ?? error;
  const jobId = route?.pattern.exec(path.value)?.groups?.id ?? '';
  return (
    <Shell waiting={waiting}>
      {shown !== undefined && <Failure error={shown} />}
      {route === undefined && (
        <>
          <h1 class="hidden">Not found</h1>
          <Empty>
            <span>
              There is no such page. <a href="/">Now</a> shows what runs and what waits for you.
            </span>
          </Empty>
        </>
      )}
      {route !== undefined && loaded?.route === route && (
        <loaded.Page
          key={jobId}
          runs={runs}
          inbox={inbox}
          fleetJobs={fleet?.jobs}
          refresh={refresh}
          jobId={jobId}
        />
      )}
    </Shell>
  );
}

/** Handles a part that could not be loaded. After an update of the server, its parts have new names, so the page is reloaded; if the server does not answer, the page stays. */
async function reloadIfAnswered(): Promise<CallError | undefined> {
  try {
    await readSession();
    location.reload();
    return undefined;
  } catch (error) {
    return noteFailure(error);
  }
}

startRevealing();
startRouter();
const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
