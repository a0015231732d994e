import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createScene, type Scene } from '../fixtures/pt-scene.ts';

/** Makes a restart the best that can be done to whatever is stopped: what is tested here is how it is done, not when. */
const RESTARTS = {
  priors: { useful: 0.04, useful_bad: 0.9, abandoned: 0.03, zombie: 0.03 },
  losses: { restart: [1, 1, 1, 1] },
};

/** Plans, explains, applies and verifies, for one stopped process that $PID names. */
const JUDGE = `
kill -STOP $PID
call plan agent plan
call explain agent explain --session $SESSION $PID
call apply agent apply --session $SESSION --targets $PID --yes
`;

/** Each is started with a socket or home of its own, as a machine may have several. */
const SUPERVISORS = [
  {
    type: 'supervisord',
    unit: 'app',
    reach: (home: string) => `supervisorctl -s unix://${home}/s.sock`,
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
${JUDGE}
until control status app | grep -q RUNNING; do sleep 0.1; done
call verify agent verify --session $SESSION
tell after $PID $(control pid app)
control shutdown`,
  },
  {
    type: 'pm2',
    unit: '0',
    reach: (home: string) => `env PM2_HOME=${home}/pm2 pm2`,
    script: `
export PM2_HOME=$HOME/pm2
printf 'exec sleep 100000\\n' > "$HOME/app.sh"
pm2 start "$HOME/app.sh" --name app --interpreter bash >/dev/null
PID=$(pm2 pid app)
unset PM2_HOME
${JUDGE}
export PM2_HOME=$HOME/pm2
call verify agent verify --session $SESSION
tell after $PID $(pm2 pid app)
pm2 kill >/dev/null`,
  },
] as const;

describe.each(SUPERVISORS)('a program that a real $type keeps', ({ type, unit, reach, script }) => {
  let scene: Scene;
  beforeEach(() => {
    scene = createScene();
    mkdirSync(join(scene.home, '.deed'));
    const file = join(scene.home, 'parameters.json');
    writeFileSync(file, JSON.stringify(RESTARTS));
    writeFileSync(join(scene.home, '.deed/config.json'), JSON.stringify({ 'triage.parameters_file': file }));
  });
  afterEach(() => scene.dispose());

  // Skipped, and said so, where the machine does not have it.
  it.runIf(namespaceCommand !== null && isInstalled(type))(
    'is never killed behind its back: it is restarted through it, and verify says by whom',
    () => {
      const played = scene.play(script);
      const command = `${reach(scene.home)} stop ${unit}`;
      expect(played.explain?.json.candidates).toMatchObject([
        {
          supervisor: { detected: true, type, unit, supervisor_command: command },
          recommended_action: 'restart',
          infeasible: { kill: `${type} would start it again: ${command}` },
        },
      ]);
      expect(played.apply?.json.results).toMatchObject([
        {
          action: 'restart',
          outcome: 'success',
          reason: `Restarted by ${reach(scene.home)} restart ${unit}.`,
        },
      ]);
      const [before, after] = played.after?.stdout.trim().split(' ') ?? [];
      expect(Number(after)).toBeGreaterThan(0);
      expect(after).not.toBe(before);
      expect(played.verify?.json).toMatchObject({
        verification: { overall_status: 'success' },
        action_outcomes: [
          { action: 'restart', outcome: 'respawned', respawn_detected: { pid: Number(after) } },
        ],
      });
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
