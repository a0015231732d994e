import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createPtSandbox, type PtAnswer, type PtSandbox } from '../fixtures/pt-sandbox.ts';
import { deed, executable } from '../fixtures/run-deed.ts';
import { APPLY_SCHEMA, PLAN_SCHEMA, VERIFY_SCHEMA } from '../fixtures/triage-schemas.ts';

/** Present in every candidate, for all flags. */
const MANDATORY = [
  'pid',
  'start_id',
  'uid',
  'ppid',
  'cmd_short',
  'cmd_full',
  'classification',
  'posterior',
  'confidence',
  'matched_signature',
  'novel_pattern',
  'blast_radius',
  'reversibility',
  'supervisor',
  'uncertainty',
  'recommended_action',
  'action_rationale',
];
const CARDS = [
  'posterior_core',
  'hazard_time_varying',
  'conformal_interval',
  'conformal_class',
  'e_fdr',
  'alpha_investing',
  'voi',
];
const ENVELOPE = ['schema_version', 'session_id', 'generated_at', 'host_id'];

function problems(schema: object, value: unknown): unknown[] {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
  });
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []);
}

describe.runIf(namespaceCommand !== null)('a pt session', () => {
  let sandbox: PtSandbox;
  let answers: Readonly<Record<string, PtAnswer>>;
  const answer = (name: string): PtAnswer => {
    const found = answers[name];
    if (found === undefined) throw new Error(`no answer ${name}`);
    return found;
  };
  beforeAll(async () => {
    sandbox = createPtSandbox();
    answers = await sandbox.run(`
      orphans 2; A=$ORPHANS
      call snapshot agent snapshot --format json --window 60ms
      call created agent status --session $SESSION
      call plan agent plan --session $SESSION --format json
      call again agent plan --session $SESSION --format json
      call compact agent plan --session $SESSION --compact
      call verbose agent plan --session $SESSION --verbose --include-ledger --include-raw
      call prose agent plan --session $SESSION --include-prose
      call proseformat agent plan --session $SESSION --format prose
      for style in terse conversational formal technical; do call style_$style agent plan --session $SESSION --prose-style $style; done
      call galaxy agent plan --session $SESSION --galaxy-brain --limit 1
      call fields agent plan --session $SESSION --fields pid,classification,posterior,action_rationale
      call only agent plan --session $SESSION --only review
      call both agent plan --session $SESSION --only kill,review
      call limit agent plan --session $SESSION --limit 1
      set -- $A
      call explain agent explain --session $SESSION $1 --galaxy-brain
      call explained agent explain --session $SESSION $1:$(jq -r '.candidates[] | select(.pid == '$1') | .start_id' "$OUT/plan.out")
      call mismatch agent explain --session $SESSION $1:1.1
      call unknownpid agent explain --session $SESSION 99999
      call preview agent apply --session $SESSION --recommended
      record previewed $(alive $A)
      call planned agent status --session $SESSION
      call early agent verify --session $SESSION
      call apply agent apply --session $SESSION --recommended --yes
      record applied "$(alive $A)"
      call completed agent status --session $SESSION
      call twice agent apply --session $SESSION --recommended --yes
      call verify agent verify --session $SESSION
      call verified agent status --session $SESSION
      call diff agent diff --session $SESSION
      call export agent export --session $SESSION
      call report agent report --session $SESSION --format html
      call reportjson agent report --session $SESSION
      call sessions agent sessions
      call capabilities agent capabilities
      orphans 1
      call watch agent watch --rounds 2 --interval 10ms --window 60ms
      call index agent
      call help agent plan --help
      record pids $A
    `);
  }, 180_000);
  afterAll(() => sandbox.dispose());

  it('has the four envelope members in every answer, including errors', () => {
    for (const name of [
      'snapshot',
      'plan',
      'apply',
      'verify',
      'completed',
      'diff',
      'export',
      'sessions',
      'capabilities',
      'mismatch',
      'early',
      'preview',
    ])
      expect([name, Object.keys(answer(name).json).slice(0, 4)]).toEqual([name, ENVELOPE]);
    const { schema_version, session_id, generated_at } = answer('plan').json;
    expect([schema_version, session_id]).toEqual(['1.0.0', answer('snapshot').json.session_id]);
    expect(session_id).toMatch(/^sess-\d{8}-\d{6}-[a-z0-9]{6}$/u);
    expect(generated_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/u);
  });

  it('prints one line of JSON', () => {
    for (const name of ['snapshot', 'plan', 'apply', 'verify', 'mismatch'])
      expect(answer(name).stdout.trim().split('\n').length).toBe(1);
  });

  it('returns plans, results and verifications that match the contract’s schemas', () => {
    for (const name of ['plan', 'verbose', 'prose', 'galaxy', 'limit', 'both'])
      expect([name, problems(PLAN_SCHEMA, answer(name).json)]).toEqual([name, []]);
    for (const name of ['apply', 'twice', 'preview'])
      expect([name, problems(APPLY_SCHEMA, answer(name).json)]).toEqual([name, []]);
    expect(problems(VERIFY_SCHEMA, answer('verify').json)).toEqual([]);
  });

  it('never omits a mandatory field of a candidate', () => {
    for (const name of ['plan', 'verbose', 'limit']) {
      for (const candidate of answer(name).json.candidates) {
        expect(Object.keys(candidate).slice(0, MANDATORY.length)).toEqual(MANDATORY);
        expect(Object.keys(candidate.blast_radius)).toEqual([
          'memory_mb',
          'cpu_pct',
          'child_count',
          'connection_count',
          'open_files',
          'dependent_processes',
          'risk_level',
          'summary',
        ]);
        expect(Object.keys(candidate.reversibility)).toEqual([
          'reversible',
          'recovery_options',
          'data_at_risk',
          'open_write_fds',
          'note',
        ]);
        expect(Object.keys(candidate.supervisor)).toEqual([
          'detected',
          'type',
          'unit',
          'recommended_action',
          'supervisor_command',
        ]);
        expect(Object.keys(candidate.uncertainty)).toEqual([
          'confidence_level',
          'uncertainty_drivers',
          'to_increase_confidence',
          'decision_robustness',
        ]);
      }
    }
    expect(answer('plan').json.candidates.length).toBe(2);
  });

  it('returns the same plan for a session, except for the time', () => {
    const withoutTime = (text: string): string => text.replace(/"generated_at":"[^"]+"/u, '');
    expect(withoutTime(answer('again').stdout)).toBe(withoutTime(answer('plan').stdout));
    expect(withoutTime(answer('compact').stdout)).toBe(withoutTime(answer('plan').stdout));
  });

  it('preselects recommended kills', () => {
    const { recommended, summary } = answer('plan').json;
    const pids = answer('pids').stdout.trim().split(/\s+/u).map(Number);
    expect(new Set(recommended.preselected_pids)).toEqual(new Set(pids));
    expect(recommended.actions[0]).toMatchObject({
      action: 'kill',
      stage: 1,
      target: { pid: recommended.preselected_pids[0] },
    });
    expect(recommended.actions[0].target.start_id).toMatch(/^\d+\.\d+$/u);
    expect(recommended.actions[0].gates).toEqual([
      'identity_valid',
      'not_protected',
      'supervisor_check',
      'posterior_threshold',
      'blast_radius_limit',
      'fdr_budget',
      'grounds',
      'vetoes',
      'plan_age',
    ]);
    expect([summary.kill_recommended, summary.candidates_found, recommended.total_actions]).toEqual([
      2, 2, 2,
    ]);
  });

  it('adds optional fields, raw samples and a ledger that adds up, by flag', () => {
    const [candidate] = answer('verbose').json.candidates;
    expect(candidate.raw_samples.process.pid).toBe(candidate.pid);
    expect(candidate).toMatchObject({ e_bh_rejected: true, exemption: null });
    for (const name of ['useful', 'useful_bad', 'abandoned', 'zombie']) {
      const sum = candidate.evidence_ledger.reduce(
        (total: number, line: { log_likelihood: Record<string, number> }) =>
          total + (line.log_likelihood[name] ?? 0),
        0,
      );
      expect(sum).toBe(candidate.log_posterior[name]);
    }
    expect(Object.keys(answer('plan').json.candidates[0])).toEqual([...MANDATORY, 'grounds', 'vetoes']);
  });

  it('writes prose in four styles, with either flag', () => {
    const { prose_summary } = answer('prose').json;
    expect(Object.keys(prose_summary)).toEqual(['executive', 'actions', 'rationale', 'next_steps']);
    expect(answer('proseformat').json.prose_summary).toEqual(prose_summary);
    expect(answer('style_conversational').json.prose_summary).toEqual(prose_summary);
    const styles = ['terse', 'conversational', 'formal', 'technical'].map(
      (style) => answer(`style_${style}`).json.prose_summary.executive,
    );
    expect(new Set(styles).size).toBe(4);
    expect(answer('plan').json.prose_summary).toBeUndefined();
  });

  it('has seven cards with their numbers', () => {
    const { galaxy_brain } = answer('galaxy').json;
    expect(galaxy_brain.enabled).toBe(true);
    expect(galaxy_brain.cards.map(({ id }: { id: string }) => id)).toEqual(CARDS);
    for (const card of galaxy_brain.cards)
      expect(Object.keys(card)).toEqual(
        expect.arrayContaining(['id', 'title', 'equations', 'values', 'intuition']),
      );
    expect(answer('explain').json.galaxy_brain.cards.map(({ id }: { id: string }) => id)).toEqual(CARDS);
  });

  it('selects fields, limits and filters candidates', () => {
    for (const candidate of answer('fields').json.candidates)
      expect(Object.keys(candidate)).toEqual(['pid', 'classification', 'posterior', 'action_rationale']);
    expect(answer('fields').json.summary).toEqual(answer('plan').json.summary);
    expect([answer('only').json.candidates, answer('both').json.candidates.length]).toEqual([[], 2]);
    expect([answer('limit').json.candidates.length, answer('limit').json.candidates_left_out]).toEqual([
      1, 1,
    ]);
  });

  it('explains a process by pid and by pid:start_id', () => {
    expect(answer('explain').json.candidates[0].evidence_ledger.length).toBeGreaterThan(3);
    expect(answer('explained').json.candidates).toEqual(answer('explain').json.candidates);
    expect([answer('mismatch').code, answer('mismatch').json.error.code]).toEqual([7, 'IDENTITY_MISMATCH']);
    expect([answer('unknownpid').code, answer('unknownpid').json.error.code]).toEqual([
      3,
      'PROCESS_NOT_FOUND',
    ]);
  });

  it('only shows a preview without --yes', () => {
    const { approved, results, preview } = answer('preview').json;
    expect([approved, results, preview.length, preview[0].would_run]).toEqual([false, [], 2, true]);
    expect(answer('previewed').stdout.trim().split(/\s+/u).length).toBe(2);
    expect(answer('planned').json.state).toBe('planned');
  });

  it('acts, reports its states, and measures the outcome', () => {
    expect([
      answer('created').json.state,
      answer('completed').json.state,
      answer('verified').json.state,
    ]).toEqual(['created', 'completed', 'verified']);
    expect(answer('completed').json).toMatchObject({
      phase: 'apply',
      progress: { total_actions: 2, completed_actions: 2, pending_actions: 0 },
      resumable: false,
    });
    expect(answer('applied').stdout.trim()).toBe('');
    expect(answer('apply').json.summary).toMatchObject({ total: 2, successful: 2, skipped: 0, failed: 0 });
    expect(answer('verify').json.verification.overall_status).toBe('success');
    for (const outcome of answer('verify').json.action_outcomes) {
      expect(outcome.outcome).toBe('confirmed_dead');
      expect(outcome.time_to_death_ms).toBeGreaterThanOrEqual(0);
      expect(outcome.resources_freed.memory_mb).toBeGreaterThan(0);
    }
    expect([answer('early').code, answer('early').json.error.code]).toEqual([5, 'GATE_FAILED']);
  });

  it('changes nothing when it is applied a second time', () => {
    expect(answer('twice').json.results).toEqual(answer('apply').json.results);
    expect(answer('twice').code).toBe(0);
  });

  it('compares, exports, reports and lists', () => {
    expect(answer('diff').json.ended.length).toBeGreaterThanOrEqual(2);
    const { documents, audit, manifest } = answer('export').json;
    expect(documents.map(({ name }: { name: string }) => name)).toEqual([
      'snapshot.json',
      'plan.json',
      'outcomes.json',
    ]);
    expect(audit.map(({ event }: { event: string }) => event)).toEqual(
      expect.arrayContaining(['snapshot.taken', 'plan.made', 'action.ended', 'session.verified']),
    );
    expect(manifest.state).toBe('verified');
    expect(answer('report').stdout).toMatch(/^<!doctype html>/u);
    expect(answer('report').stdout).not.toMatch(/https?:|<script|@import|url\(/u);
    expect(answer('reportjson').json.bytes).toBeGreaterThan(5000);
    expect(answer('sessions').json.sessions[0]).toMatchObject({ state: 'verified' });
    expect(answer('capabilities').json.platform.pidfd).toBe(true);
  });

  it('watches as JSON lines and reports each change once', () => {
    const lines = answer('watch')
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ event, round }) => [event, round])).toEqual([
      ['candidate.found', 1],
      ['round.ended', 1],
      ['round.ended', 2],
      ['watch.ended', undefined],
    ]);
    for (const line of lines) expect(Object.keys(line).slice(0, 4)).toEqual(ENVELOPE);
  });

  it('lists its commands as JSON and has help text', () => {
    expect(answer('index').json.commands.map(({ command }: { command: string }) => command)).toEqual(
      [
        'snapshot',
        'plan',
        'explain',
        'apply',
        'verify',
        'diff',
        'status',
        'sessions',
        'export',
        'report',
        'capabilities',
        'watch',
      ].map((verb) => `pt agent ${verb}`),
    );
    expect(answer('help').stdout).toContain('--galaxy-brain');
  });
});

describe('an invalid call of pt', () => {
  const call = (...argv: string[]) => {
    const { code, stdout } = deed(argv, { executable: executable('pt') });
    return {
      code,
      error: (JSON.parse(stdout) as { error: Record<string, unknown> }).error,
      json: JSON.parse(stdout) as Record<string, unknown>,
    };
  };

  it.each([
    [['agnet', 'plan'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'pln'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'plan', '--nope'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'plan', '--only', 'murder'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'plan', '--compact', '--verbose'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'plan', '--format', 'html'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'plan', '--window', 'soon'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'plan', '--window', '0'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'plan', 'x'], 2, 'INVALID_ARGUMENT'],
    [['agent', 'apply', '--recommended', '--yes'], 2, 'INVALID_ARGUMENT'],
    [
      [
        'agent',
        'apply',
        '--session',
        'sess-20260115-143022-abc123',
        '--recommended',
        '--yes',
        '--max-blast-radius',
        'much',
      ],
      2,
      'INVALID_ARGUMENT',
    ],
    [['agent', 'status', '--session', 'x'], 3, 'SESSION_NOT_FOUND'],
    [['agent', 'status', '--session', '../../../etc'], 3, 'SESSION_NOT_FOUND'],
    [['agent', 'plan', '--session', 'sess-20200115-143022-abc123'], 3, 'SESSION_EXPIRED'],
    [
      ['agent', 'apply', '--session', 'sess-20990115-143022-abc123', '--recommended', '--yes'],
      3,
      'SESSION_NOT_FOUND',
    ],
  ])('%j exits with %i and %s', (argv, code, name) => {
    const answer = call(...argv);
    expect([answer.code, answer.error.code]).toEqual([code, name]);
    expect(Object.keys(answer.json).slice(0, 4)).toEqual(ENVELOPE);
    expect(Object.keys(answer.error)).toEqual([
      'code',
      'message',
      'details',
      'recoverable',
      'recovery_action',
    ]);
  });
});
