import { expect, test } from 'vitest';
import { createDeep, createProcess, createSnapshot } from '../../../test/fixtures/triage-snapshot.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type { DeepFacts, ProcessFacts } from '../process-snapshot.ts';
import { indexProcesses } from './process-index.ts';
import { findSupervisor } from './supervisor.ts';

const { observer } = createSnapshot([]);

test.each<[string, Partial<DeepFacts>, Partial<ProcessFacts>, string | null]>([
  ['a system service', { cgroup: '/system.slice/app.service' }, {}, 'systemctl stop app.service'],
  [
    'a service of a user',
    { cgroup: '/user.slice/user-1000.slice/user@1000.service/app.slice/sync.service' },
    {},
    'systemctl --user stop sync.service',
  ],
  [
    'a session scope, which is not a service',
    { cgroup: '/user.slice/user-1000.slice/session-3.scope' },
    {},
    null,
  ],
  [
    'a user manager, which is not a service',
    { cgroup: '/user.slice/user-1000.slice/user@1000.service/init.scope' },
    {},
    null,
  ],
  ['a container', { container: '0123456789abcdef' }, {}, 'docker stop 0123456789ab'],
  [
    'pm2',
    { environment: { pm_id: '4' } },
    { command: ['PM2 v6.0: God Daemon (/home/u/.pm2)'] },
    'pm2 stop 4',
  ],
  ['the variable of pm2 without pm2', { environment: { pm_id: '4' } }, { command: ['bash'] }, null],
  [
    'supervisord',
    { environment: { SUPERVISOR_PROCESS_NAME: 'web', SUPERVISOR_GROUP_NAME: 'site' } },
    { comm: 'supervisord' },
    'supervisorctl stop site:web',
  ],
  [
    'a supervisord with its own socket',
    { environment: { SUPERVISOR_PROCESS_NAME: 'web', SUPERVISOR_SERVER_URL: 'unix:///run/own.sock' } },
    { comm: 'supervisord' },
    'supervisorctl -s unix:///run/own.sock stop web',
  ],
  [
    'a supervisord on another host',
    { environment: { SUPERVISOR_PROCESS_NAME: 'web', SUPERVISOR_SERVER_URL: 'http://elsewhere:9001' } },
    { comm: 'supervisord' },
    null,
  ],
  [
    'a pm2 with its own home',
    { environment: { pm_id: '4', PM2_HOME: '/srv/pm2' } },
    { command: ['PM2 v6: God Daemon'] },
    'env PM2_HOME=/srv/pm2 pm2 stop 4',
  ],
  [
    'a pm2 whose home cannot be quoted: id 4 of the default one may be a different program',
    { environment: { pm_id: '4', PM2_HOME: '/srv/my pm2' } },
    { command: ['PM2 v6: God Daemon'] },
    null,
  ],
  ['no supervisor', {}, {}, null],
])('%s', (_name, deep, parent, command) => {
  const process = createProcess({ pid: 501, ppid: 500, deep: createDeep(deep) });
  const index = indexProcesses(
    [createProcess({ pid: 500, ...parent }), process],
    DEFAULT_PARAMETERS.names,
    false,
  );
  expect(findSupervisor(process, index, observer).supervisor_command).toBe(command);
});

test('the unit or container of the observer does not count as a supervisor', () => {
  const process = createProcess({
    deep: createDeep({ cgroup: '/system.slice/runner.service', container: 'abc' }),
  });
  const index = indexProcesses([process], DEFAULT_PARAMETERS.names, false);
  const inside = { ...observer, cgroup: '/system.slice/runner.service', container: 'abc' };
  expect(findSupervisor(process, index, inside).detected).toBe(false);
});
