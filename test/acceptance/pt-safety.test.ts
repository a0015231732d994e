import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createScene, type PtAnswer, type Scene } from '../fixtures/pt-scene.ts';

const isRoot = process.getuid?.() === 0;

describe.runIf(namespaceCommand !== null)('pt, when things go wrong,', () => {
  let scene: Scene;
  beforeEach(() => {
    scene = createScene();
  });
  afterEach(() => scene.dispose());

  const result = (answer: PtAnswer | undefined): unknown[] => [answer?.code, answer?.json.error?.code];
  const outcomes = (answer: PtAnswer | undefined): string[] =>
    answer?.json.results.map(
      ({ outcome, gate }: { outcome: string; gate?: string }) => `${outcome}${gate ? ` ${gate}` : ''}`,
    );

  it.each(['plan.json', 'snapshot.json', 'manifest.json', 'outcomes.json'])(
    'refuses a session whose %s was changed, and touches nothing',
    (name) => {
      const played = scene.play(`
      leave 2
      call plan agent plan
      [ ${name} = outcomes.json ] && call part agent apply --session $SESSION --targets \${LEFT%%[[:space:]]*} --yes
      sed -i 's/"pid":\\([0-9]*\\)/"pid":1\\1/; s/"uid":/"uid":1/' "$HOME"/.local/share/process_triage/sessions/$SESSION/${name}
      call explain agent explain --session $SESSION $LEFT
      call apply agent apply --session $SESSION --recommended --yes
      tell alive $(alive $LEFT)
    `);
      const answer = name === 'snapshot.json' ? played.explain : played.apply;
      expect(result(answer)).toEqual([5, 'GATE_FAILED']);
      expect(answer?.json.error.details.document).toBe(name);
      if (name !== 'snapshot.json')
        expect(played.alive?.stdout.trim().split(/\s+/u).length).toBe(name === 'outcomes.json' ? 1 : 2);
    },
  );

  it('aborts when a pid was used again before the first action, and blocks it later on; the new process lives', () => {
    const played = scene.play(`
      leave 2
      reuse() { kill -9 $1; while [ -e /proc/$1 ]; do sleep 0.01; done; echo $(($1 - 1)) > /proc/sys/kernel/ns_last_pid; sleep 4711 & }
      call plan agent plan
      first=$(jq '.recommended.preselected_pids[0]' "$OUT/plan.out"); second=$(jq '.recommended.preselected_pids[1]' "$OUT/plan.out")
      reuse $second
      call blocked agent apply --session $SESSION --recommended --yes
      tell foreign $! $second $(alive $!)
      leave 1; unset SESSION
      call plan2 agent plan
      reuse $LEFT
      call aborted agent apply --session $SESSION --recommended --yes
      tell foreign2 $! $LEFT $(alive $!)
      call status agent status --session $SESSION
    `);
    const reused = (answer: PtAnswer | undefined): string => answer?.stdout.trim() ?? '';
    // Pid of the new process, pid of the target, and the same once more because it is alive.
    expect(new Set(reused(played.foreign).split(' ')).size).toBe(1);
    expect(reused(played.foreign).split(' ').length).toBe(3);
    expect(outcomes(played.blocked)).toEqual(['success', 'blocked identity_valid']);
    expect(new Set(reused(played.foreign2).split(' ')).size).toBe(1);
    expect(reused(played.foreign2).split(' ').length).toBe(3);
    expect(result(played.aborted)).toEqual([7, 'IDENTITY_MISMATCH']);
    expect(played.aborted?.json.error).toMatchObject({
      recoverable: true,
      recovery_action: 'Generate fresh plan with: pt agent plan',
    });
    const { expected_start_id, actual_start_id } = played.aborted?.json.error.details ?? {};
    expect(actual_start_id).not.toBe(undefined);
    expect(expected_start_id.split('.')[1]).toBe(actual_start_id.split('.')[1]);
    expect(played.status?.json.state).toBe('interrupted');
  });

  it('skips what has ended meanwhile, and aborts on what became another program', () => {
    const played = scene.play(`
      leave 1; ended=$LEFT
      call plan agent plan
      kill -9 $ended; while [ -e /proc/$ended ]; do sleep 0.01; done
      call gone agent apply --session $SESSION --recommended --yes
      unset SESSION
      # It waits in itself: a child that lives as long as the look would be a second action, rightly.
      left=$(mktemp -d); cd $left; mkfifo never; ( true | setsid bash -c 'trap "exec sleep 4711" USR1; exec 3<>never; echo $$ > pid; while :; do read -t 0.05 -u 3; done' mcp-server-demo >/dev/null 2>&1 & )
      while [ ! -s pid ]; do sleep 0.02; done; changing=$(cat pid); cd /; rm -r $left
      call plan2 agent plan
      kill -USR1 $changing; while ! grep -q 4711 /proc/$changing/cmdline; do sleep 0.02; done
      call changed agent apply --session $SESSION --recommended --yes
      tell alive $(alive $changing)
    `);
    expect(outcomes(played.gone)).toEqual(['skipped identity_valid']);
    expect(played.gone?.code).toBe(0);
    expect(played.plan2?.json.recommended.total_actions).toBe(1);
    expect(result(played.changed)).toEqual([7, 'IDENTITY_MISMATCH']);
    expect(played.alive?.stdout.trim()).not.toBe('');
  });

  it('keeps to every limit it is given, and says at which gate it stopped', () => {
    const played = scene.play(`
      leave 3
      call plan agent plan
      call posterior agent apply --session $SESSION --recommended --yes --min-posterior 1
      call radius agent apply --session $SESSION --recommended --yes --max-blast-radius 0.5MB
      tell alive $(alive $LEFT)
      call kills agent apply --session $SESSION --recommended --yes --max-kills 1 --min-posterior 0.99 --max-blast-radius 2GB --require-known-signature
      tell left $(alive $LEFT)
      call init agent apply --session $SESSION --targets 1 --yes
    `);
    expect(result(played.posterior)).toEqual([5, 'GATE_FAILED']);
    expect(outcomes(played.posterior)).toEqual(Array(3).fill('skipped posterior_threshold'));
    expect(outcomes(played.radius)).toEqual(Array(3).fill('skipped blast_radius_limit'));
    expect(played.alive?.stdout.trim().split(' ').length).toBe(3);
    expect(outcomes(played.kills)).toEqual(['success', 'skipped fdr_budget', 'skipped fdr_budget']);
    expect(played.kills?.code).toBe(0);
    expect(played.left?.stdout.trim().split(' ').length).toBe(2);
    expect(result(played.init)[0]).toBe(3);
  });

  it('adds the impact of a run up, and stops before the sum passes the limit', () => {
    const played = scene.play(`
      leave 3
      call plan agent plan
      one=$(jq '.candidates[0].blast_radius.memory_mb' "$OUT/plan.out")
      call radius agent apply --session $SESSION --recommended --yes --max-blast-radius $(jq -n "$one * 2.5")MB
    `);
    expect(outcomes(played.radius)).toEqual(['success', 'success', 'skipped blast_radius_limit']);
  });

  it('keeps the budget of the day across sessions', () => {
    mkdirSync(join(scene.home, '.deed'));
    writeFileSync(join(scene.home, '.deed/config.json'), '{"triage.kills_per_day": 1}');
    const played = scene.play(`
      leave 1; call plan agent plan; call first agent apply --session $SESSION --recommended --yes
      unset SESSION; leave 1; call plan2 agent plan; call second agent apply --session $SESSION --recommended --yes
      tell alive $(alive $LEFT)
    `);
    expect(played.first?.code).toBe(0);
    expect(result(played.second)).toEqual([5, 'BUDGET_EXHAUSTED']);
    expect(played.second?.json.error.recoverable).toBe(true);
    expect(played.alive?.stdout.trim()).not.toBe('');
  });

  it('stops when its time is over or it is interrupted, with its progress on record, and goes on from there', () => {
    const played = scene.play(`
      leave 2
      call other agent plan; EARLY=$SESSION; unset SESSION
      call plan agent plan
      call timeout agent apply --session $SESSION --recommended --yes --timeout 0s --max-kills 1
      call status agent status --session $SESSION
      call early agent apply --session $EARLY --resume
      call loosened agent apply --session $SESSION --resume --max-kills 9
      call resume agent apply --session $SESSION --resume
      tell left $(alive $LEFT)
      unset SESSION
      left=$(mktemp -d); cd $left; ( true | setsid bash -c 'trap "" TERM; echo $$ > pid; exec -a mcp-server-demo sleep 1000' >/dev/null 2>&1 & )
      while [ ! -s pid ]; do sleep 0.02; done; stubborn=$(cat pid); cd /; rm -r $left; sleep 0.2
      call plan2 agent plan --only kill
      pt agent apply --session $SESSION --targets $stubborn --yes --grace 60s > "$OUT/interrupted.out" 2> "$OUT/interrupted.err" & run=$!
      while ! grep -q started "$HOME"/.local/share/process_triage/sessions/$SESSION/outcomes.json 2>/dev/null; do sleep 0.02; done
      kill -TERM $run
      wait $run; echo $? > "$OUT/interrupted.code"
      tell still $(alive $stubborn)
      call status2 agent status --session $SESSION
      call resumed agent apply --session $SESSION --resume --grace 100ms
      tell gone "$(alive $stubborn)"
    `);
    expect(result(played.timeout)).toEqual([6, 'TIMEOUT']);
    expect(played.timeout?.json.error.details.progress).toEqual({
      total_actions: 2,
      completed_actions: 0,
      pending_actions: 2,
    });
    expect(played.status?.json).toMatchObject({ state: 'interrupted', phase: 'apply', resumable: true });
    const { session_id } = played.plan?.json ?? {};
    expect(played.status?.json.resume_command).toBe(`pt agent apply --session ${session_id} --resume`);
    expect(result(played.early)).toEqual([5, 'GATE_FAILED']);
    // Other limits than those that were approved need a new approval.
    expect(played.loosened?.json).toMatchObject({ approved: false, results: [] });
    // The limit of the run that was approved still holds.
    expect(outcomes(played.resume)).toEqual(['success', 'skipped fdr_budget']);
    expect(result(played.interrupted)).toEqual([6, 'INTERRUPTED']);
    expect(played.still?.stdout.trim()).not.toBe('');
    expect(played.status2?.json.state).toBe('interrupted');
    // Only what was approved, not what else is recommended by now.
    expect(outcomes(played.resumed)).toEqual(['success']);
    expect(played.gone?.stdout.trim()).toBe('');
  });

  it('survives its own death in the middle of an action, and of two at once one wins', () => {
    const played = scene.play(`
      left=$(mktemp -d); cd $left; ( true | setsid bash -c 'trap "" TERM; echo $$ > pid; exec -a mcp-server-demo sleep 1000' >/dev/null 2>&1 & )
      while [ ! -s pid ]; do sleep 0.02; done; stubborn=$(cat pid); cd /; rm -r $left; sleep 0.2
      call plan agent plan
      folder="$HOME"/.local/share/process_triage/sessions/$SESSION
      pt agent apply --session $SESSION --recommended --yes --grace 60s > /dev/null 2>&1 & run=$!
      while ! grep -q started $folder/outcomes.json 2>/dev/null; do sleep 0.02; done
      call second agent apply --session $SESSION --recommended --yes
      kill -9 $run; wait $run 2>/dev/null
      call status agent status --session $SESSION
      tell still $(alive $stubborn)
      call resume agent apply --session $SESSION --resume --yes --grace 100ms
      tell gone "$(alive $stubborn)"
    `);
    expect(result(played.second)).toEqual([5, 'GATE_FAILED']);
    expect(played.second?.json.error.message).toContain('Another process is at work');
    expect(played.status?.json).toMatchObject({ state: 'executing', resumable: true });
    expect(played.still?.stdout.trim()).not.toBe('');
    expect(outcomes(played.resume)).toEqual(['success']);
    expect(played.gone?.stdout.trim()).toBe('');
  });

  it('notices who came back, and whose pid belongs to another now', () => {
    const played = scene.play(`
      leave 1
      call plan agent plan; call apply agent apply --session $SESSION --recommended --yes
      ( exec -a mcp-server-demo sleep 1000 ) & again=$!
      while ! grep -q mcp-server-demo /proc/$again/cmdline; do sleep 0.01; done
      call verify agent verify --session $SESSION
      kill -9 $again; wait $again 2>/dev/null
      echo $(($LEFT - 1)) > /proc/sys/kernel/ns_last_pid; sleep 4711 &
      call reused agent verify --session $SESSION
      tell pids $again $! $LEFT
    `);
    const [again, foreign, target] = (played.pids?.stdout ?? '').trim().split(' ').map(Number);
    expect(played.verify?.json.action_outcomes[0]).toMatchObject({
      outcome: 'respawned',
      respawn_detected: { pid: again, parent_pid: 1, by: 'bash (pid 1)' },
    });
    expect(played.verify?.json.verification.overall_status).toBe('failure');
    expect(played.verify?.json.resource_summary.shortfall_reason).toContain('started again');
    expect(foreign).toBe(target);
    expect(played.reused?.json.action_outcomes[0].outcome).toBe('pid_reused');
  });

  it('never acts on a protected name, and is not steered by hostile ones', () => {
    const played = scene.play(`
      cp "$(command -v sleep)" "$HOME/nginx"
      left=$(mktemp -d); cd $left
      ( true | setsid bash -c 'echo $$ > one; exec "$HOME/nginx" 1000' mcp-server-demo >/dev/null 2>&1 & )
      big=$(head -c 100000 /dev/zero | tr '\\0' x)
      ( true | setsid bash -c 'echo $$ > two; exec -a "$0" sleep 1000 0 0 0' $'mcp-server\\e[31m"}],"error":{"code":"x\\n\\x01\\xff' >/dev/null 2>&1 & )
      ( true | setsid bash -c 'echo $$ > three; exec -a mcp-server-big tail -f /dev/null "$@"' x "$big" "$big" "$big" "$big" "$big" "$big" "$big" "$big" "$big" "$big" >/dev/null 2>&1 & )
      while [ ! -s one ] || [ ! -s two ] || [ ! -s three ]; do sleep 0.02; done
      nginx=$(cat one); odd=$(cat two); huge=$(cat three); cd /; rm -r $left; sleep 0.3
      call plan agent plan --verbose
      call protected agent explain --session $SESSION $nginx
      call refused agent apply --session $SESSION --targets $nginx --yes
      call report agent report --session $SESSION --format html
      call apply agent apply --session $SESSION --recommended --yes
      tell alive $(alive $nginx) - $(alive $odd $huge)
      tell pids $nginx $odd $huge
    `);
    const [nginx, odd, huge] = (played.pids?.stdout ?? '').trim().split(' ').map(Number);
    const { candidates, recommended } = played.plan?.json ?? {};
    expect(new Set(recommended.preselected_pids)).toEqual(new Set([odd, huge]));
    // eslint-disable-next-line no-control-regex -- control characters are the point
    expect(played.plan?.stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/u);
    const big = candidates.find(({ pid }: { pid: number }) => pid === huge);
    expect(big.cmd_full.length).toBeLessThan(20_000);
    expect(big.cmd_short.length).toBeLessThan(200);
    expect(played.report?.stdout).not.toContain('"}],"error"');
    expect([3, 4]).toContain(played.refused?.code);
    expect(played.alive?.stdout.trim()).toBe(`${nginx} -`);
  });

  it('finds one among thousands', () => {
    const many = process.env.DEED_TEST_LONG ? 5000 : 500;
    const played = scene.play(`
      leave 1
      sh -c 'i=0; while [ $i -lt ${many} ]; do sleep 1000 & i=$((i+1)); done; wait' &
      while [ "$(ls /proc | grep -c '^[0-9]')" -lt ${many} ]; do sleep 0.1; done
      call plan agent plan
      call apply agent apply --session $SESSION --recommended --yes
      tell left $LEFT
    `);
    const { summary, recommended } = played.plan?.json ?? {};
    expect(summary.total_scanned).toBeGreaterThan(many);
    expect(recommended.preselected_pids).toEqual([Number(played.left?.stdout)]);
    expect(outcomes(played.apply)).toEqual(['success']);
  });

  it.runIf(isRoot)('leaves other users alone unless root names one, and says what it cannot see', () => {
    const played = scene.play(`
      left=$(mktemp -d); chmod 777 $left; cd $left
      ( true | setsid setpriv --reuid=65534 --clear-groups bash -c 'echo $$ > pid; exec -a mcp-server-demo sleep 1000' >/dev/null 2>&1 & )
      while [ ! -s pid ]; do sleep 0.02; done; theirs=$(cat pid); cd /; rm -r $left; sleep 0.2
      call plan agent plan
      call named agent plan --uid 65534; S2=$(jq -r .session_id "$OUT/named.out")
      call unnamed agent apply --session $S2 --recommended --yes
      tell still $(alive $theirs)
      call apply agent apply --session $S2 --recommended --yes --uid 65534
      tell gone "$(alive $theirs)"
      chmod -R a+rwX "$HOME"
      mount -o remount,hidepid=2 /proc && {
        export HOME="$HOME/nobody"; mkdir -m 777 "$HOME"
      } 2>/dev/null
      setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$HOME" pt agent plan > "$OUT/hidden.out" 2> "$OUT/hidden.err"; echo $? > "$OUT/hidden.code"
      setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$HOME" pt agent plan --uid 0 > "$OUT/uid.out" 2> "$OUT/uid.err"; echo $? > "$OUT/uid.code"
    `);
    expect(played.plan?.json.recommended.total_actions).toBe(0);
    expect(played.named?.json.recommended.total_actions).toBe(1);
    expect(result(played.unnamed)).toEqual([4, 'PROTECTED_PROCESS']);
    expect(played.still?.stdout.trim()).not.toBe('');
    expect(played.apply?.code).toBe(0);
    expect(played.gone?.stdout.trim()).toBe('');
    expect(played.hidden?.json.visibility).toMatchObject({ complete: false, hidepid: '2' });
    expect(result(played.uid)).toEqual([4, 'PERMISSION_DENIED']);
  });
});
