import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createPtSandbox, type PtSandbox } from '../fixtures/pt-sandbox.ts';

/** Parameters with which the odds favour a restart of a stopped process. */
const RESTARTS = {
  priors: { useful: 0.04, useful_bad: 0.9, abandoned: 0.03, zombie: 0.03 },
  losses: { restart: [1, 1, 1, 1] },
};

/** Stops the process $PID, then plans, explains and applies. */
const PLAN_AND_APPLY = `
kill -STOP $PID
plan plan
call explain agent explain --session $SESSION $PID
call apply agent apply --session $SESSION --targets $PID --yes
`;

/** Each is started with its own socket or home, because a machine can have several. */
const SUPERVISORS = [
  {
    type: 'supervisord',
    unit: 'app',
    control: (home: string) => `supervisorctl -s unix://${home}/s.sock`,
    script: `
cat > "$HOME/s.conf" <<END
[unix_http_server]
file=$HOME/s.sock
[supervisord]
logfile=$HOME/s.log
pidfile=$HOME/s.pid
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[program:app]
command=sleep 100000
stopsignal=KILL
END
control() { supervisorctl -s unix://$HOME/s.sock "$@"; }
supervisord -c "$HOME/s.conf"
until control status app | grep -q RUNNING; do sleep 0.1; done
PID=$(control pid app)
${PLAN_AND_APPLY}
record after $PID $(control pid app)
control shutdown`,
  },
  {
    type: 'pm2',
    unit: '0',
    control: (home: string) => `env PM2_HOME=${home}/pm2 pm2`,
    script: `
export PM2_HOME=$HOME/pm2
printf 'exec sleep 100000\\n' > "$HOME/app.sh"
pm2 start "$HOME/app.sh" --name app --interpreter bash >/dev/null
PID=$(pm2 pid app)
unset PM2_HOME
${PLAN_AND_APPLY}
export PM2_HOME=$HOME/pm2
record after $PID $(pm2 pid app)
pm2 kill >/dev/null`,
  },
] as const;

describe.each(SUPERVISORS)('a process under a real $type', ({ type, unit, control, script }) => {
  let sandbox: PtSandbox;
  beforeEach(() => {
    sandbox = createPtSandbox();
    const file = join(sandbox.home, 'parameters.json');
    writeFileSync(file, JSON.stringify(RESTARTS));
    writeFileSync(
      join(sandbox.home, '.deed/config.json'),
      JSON.stringify({ 'triage.parameters_file': file }),
    );
  });
  afterEach(() => sandbox.dispose());

  // Skipped where it is not installed.
  it.runIf(namespaceCommand !== null && isInstalled(type))(
    'is left to its supervisor: reviewed with the command for it, and never acted on automatically',
    async () => {
      const answers = await sandbox.run(script);
      const command = `${control(sandbox.home)} stop ${unit}`;
      expect(answers.explain?.json.candidates).toMatchObject([
        {
          supervisor: { detected: true, type, unit, supervisor_command: command },
          recommended_action: 'review',
          grounds: { found: false },
          infeasible: { kill: `${type} would restart it: ${command}` },
        },
      ]);
      expect([answers.apply?.code, answers.apply?.json.error]).toMatchObject([
        5,
        { code: 'GATE_FAILED', details: { gate: 'grounds', recommended_action: 'review' } },
      ]);
      const [before, after] = answers.after?.stdout.trim().split(' ') ?? [];
      expect(Number(after)).toBeGreaterThan(0);
      expect(after).toBe(before);
    },
  );
});

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
