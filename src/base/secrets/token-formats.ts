import { lazy } from '../lazy.ts';

/** A kind of secret that is recognised by its own format, wherever it appears. */
export interface TokenFormat {
  readonly kind: string;
  /** One of these is in every text that the pattern matches, in lower case: most texts contain none and need no pattern. */
  readonly marks: readonly string[];
  /** Created when a text has one of the marks: a hundred patterns would slow down every start. */
  readonly pattern: () => RegExp;
}

const WORD = 'A-Za-z0-9';
const WORDY = String.raw`A-Za-z0-9_\-`;

/** A token that starts with one of these prefixes and continues with at least `length` characters of an alphabet. */
function prefixed(kind: string, prefixes: readonly string[], length: number, alphabet = WORDY): TokenFormat {
  const pattern = lazy(() => {
    // A short prefix may be the end of a hyphenated word; a long one is a token even after a hyphen.
    const boundary = prefixes.some((prefix) => prefix.length < 4) ? WORDY : WORD;
    const start = prefixes.map((prefix) => prefix.replaceAll('.', String.raw`\.`)).join('|');
    return new RegExp(`(?<![${boundary}])(?:${start})[${alphabet}]{${length},}`, 'gu');
  });
  return { kind, marks: prefixes.map((prefix) => prefix.toLowerCase()), pattern };
}

function format(kind: string, marks: readonly string[], pattern: () => RegExp): TokenFormat {
  return { kind, marks, pattern };
}

/**
 * The formats of keys and tokens that vendors issue. Lengths are lower bounds, well below the real ones, because a truncated token is
 * still a secret; they only have to be long enough that words such as `sk-short` or `task-1` stay.
 */
export const tokenFormats = lazy((): readonly TokenFormat[] => [
  // Code hosts, registries, builds.
  prefixed('github', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'], 20, `${WORD}_`),
  prefixed(
    'gitlab',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glimt-', 'glagent-', 'gloas-'],
    16,
  ),
  prefixed('bitbucket', ['ATBB'], 20),
  prefixed('atlassian', ['ATATT3', 'ATCTT3'], 20, `${WORDY}=`),
  prefixed('npm', ['npm_'], 30, WORD),
  prefixed('pypi', ['pypi-AgE'], 16),
  prefixed('rubygems', ['rubygems_'], 24),
  prefixed('clojars', ['CLOJARS_'], 24),
  format('nuget', ['oy2'], () => /(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])/gu),
  prefixed('docker', ['dckr_pat_', 'dckr_oat_'], 16),
  prefixed('jfrog', ['AKCp', 'cmVmdGtu'], 40),
  prefixed('buildkite', ['bkua_', 'bkct_', 'bkpt_'], 20),
  prefixed('circleci', ['CCIPAT_', 'CCIPRJ_'], 20),
  prefixed('sonar', ['squ_', 'sqp_', 'sqa_'], 30),
  prefixed('snyk', ['snyk_uat.', 'snyk_sat.'], 16, `${WORDY}.`),
  prefixed('sentry', ['sntrys_', 'sntryu_', 'sntrya_'], 20, `${WORDY}=+/`),
  // Clouds, databases, infrastructure.
  format(
    'aws access key',
    ['akia', 'asia', 'abia', 'acca'],
    () => /(?<![A-Za-z0-9])A(?:KI|SI|BI|CC)A[0-9A-Z]{16}(?![A-Za-z0-9])/gu,
  ),
  prefixed('aws bedrock key', ['ABSK'], 60, `${WORD}+/=`),
  prefixed('google api key', ['AIza'], 30),
  prefixed('google oauth', ['ya29.', 'GOCSPX-'], 20),
  format('google refresh token', ['1//0'], () => /(?<![A-Za-z0-9/])1\/\/0[\w-]{30,}/gu),
  format(
    'azure client secret',
    ['q~'],
    () => /(?<![\w~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}/gu,
  ),
  prefixed('alibaba', ['LTAI'], 16, WORD),
  prefixed('tencent', ['AKID'], 28, WORD),
  prefixed('digitalocean', ['dop_v1_', 'doo_v1_', 'dor_v1_'], 32),
  prefixed('heroku', ['HRKU-'], 30),
  prefixed('hashicorp vault', ['hvs.', 'hvb.', 'hvr.'], 20),
  format('terraform cloud', ['.atlasv1.'], () => /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}/gu),
  prefixed('pulumi', ['pul-'], 32, 'a-f0-9'),
  prefixed('doppler', ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'], 32, `${WORDY}.`),
  prefixed('databricks', ['dapi'], 32, 'a-fA-F0-9'),
  prefixed('planetscale', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], 24, `${WORDY}.=`),
  prefixed('supabase', ['sbp_', 'sb_secret_'], 20),
  prefixed('netlify', ['nfp_', 'nfc_'], 30),
  prefixed('vercel', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], 20, WORD),
  prefixed('fly.io', ['fo1_', 'fm1r_', 'fm2_'], 32, `${WORDY}=+/`),
  prefixed('cloudflare', ['v1.0-'], 60),
  prefixed('tailscale', ['tskey-'], 16),
  prefixed('yandex', ['AQVN', 't1.9eu', 'y0_'], 35, `${WORDY}.=`),
  prefixed('grafana', ['glc_', 'glsa_'], 30, `${WORD}+/=_`),
  prefixed('new relic', ['NRAK-', 'NRII-', 'NRRA-', 'NRJS-', 'NRAA-'], 16),
  prefixed('dynatrace', ['dt0c01.', 'dt0s01.', 'dt0s16.'], 24, `${WORDY}.`),
  prefixed('launchdarkly', ['api-', 'sdk-'], 36, String.raw`a-f0-9\-`),
  prefixed('prefect', ['pnu_', 'pnb_'], 30),
  prefixed('1password', ['ops_ey', 'A3-'], 60, `${WORDY}+/=`),
  prefixed('age key', ['AGE-SECRET-KEY-1'], 40, 'A-Z0-9'),
  // Models and the tools around them.
  prefixed('model provider', ['sk-'], 16),
  prefixed('groq', ['gsk_'], 32, WORD),
  prefixed('hugging face', ['hf_', 'api_org_'], 30, WORD),
  prefixed('replicate', ['r8_'], 32, WORD),
  prefixed('perplexity', ['pplx-'], 32, WORD),
  prefixed('xai', ['xai-'], 40),
  prefixed('nvidia', ['nvapi-'], 40),
  prefixed('together', ['tgp_v1_'], 24),
  prefixed('tavily', ['tvly-'], 20),
  prefixed('langsmith', ['lsv2_pt_', 'lsv2_sk_'], 24),
  prefixed('pinecone', ['pcsk_'], 32),
  prefixed('jina', ['jina_'], 32, WORD),
  prefixed('firecrawl', ['fc-'], 32, 'a-f0-9'),
  prefixed('fireworks', ['fw_'], 22, WORD),
  // Messages, payments, business.
  prefixed(
    'slack',
    [
      'xoxa-',
      'xoxb-',
      'xoxc-',
      'xoxd-',
      'xoxe-',
      'xoxe.',
      'xoxo-',
      'xoxp-',
      'xoxr-',
      'xoxs-',
      'xapp-',
      'xwfp-',
    ],
    10,
    `${WORDY}.%`,
  ),
  format(
    'webhook',
    ['hooks.slack.com', '/api/webhooks/', 'webhook.office.com', 'hooks.zapier.com'],
    () =>
      /(?<=(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|(?:discord|discordapp)\.com\/api\/webhooks\/|webhook\.office\.com\/webhookb2\/|hooks\.zapier\.com\/hooks\/catch\/))[\w/@.-]{16,}/gu,
  ),
  format('telegram bot', [':aa'], () => /(?<![A-Za-z0-9])(?:bot)?[0-9]{8,10}:AA[\w-]{32,}/gu),
  prefixed('sendgrid', ['SG.'], 30, `${WORDY}.`),
  format('mailgun', ['key-'], () => /(?<![\w-])key-[0-9a-zA-Z]{32}(?![\w-])/gu),
  format('mailchimp', ['-us'], () => /(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])/gu),
  prefixed('brevo', ['xkeysib-', 'xsmtpsib-'], 30),
  prefixed('stripe', ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'sk_org_'], 14),
  prefixed('webhook secret', ['whsec_'], 16, `${WORD}+/=`),
  prefixed('square', ['sq0atp-', 'sq0csp-', 'EAAA'], 20),
  prefixed('shopify', ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_'], 20),
  prefixed(
    'plaid',
    ['access-sandbox-', 'access-production-', 'access-development-'],
    30,
    String.raw`a-f0-9\-`,
  ),
  prefixed('easypost', ['EZAK', 'EZTK'], 40, WORD),
  prefixed('shippo', ['shippo_live_', 'shippo_test_'], 24),
  prefixed('duffel', ['duffel_live_', 'duffel_test_'], 24),
  prefixed('facebook', ['EAAC', 'EAAB', 'EAAG', 'EAAD', 'EAAM'], 60, WORD),
  prefixed('twitter', ['AAAAAAAAAAAAAAAAAAAA'], 40, `${WORD}%`),
  prefixed('linear', ['lin_api_', 'lin_oauth_'], 24),
  prefixed('notion', ['ntn_', 'secret_'], 40, WORD),
  prefixed('figma', ['figd_', 'figo_'], 24),
  prefixed('postman', ['PMAK-', 'PMAT-'], 20),
  prefixed('hubspot', ['pat-na1-', 'pat-eu1-', 'pat-na2-'], 30),
  prefixed('contentful', ['CFPAT-'], 24),
  prefixed('typeform', ['tfp_'], 32),
  prefixed('clickup', ['pk_'], 30, '0-9A-Z_'),
  prefixed('readme', ['rdme_'], 40),
  prefixed('adafruit', ['aio_'], 24, WORD),
  prefixed('mapbox', ['sk.eyJ'], 40, `${WORDY}.`),
  prefixed('frame.io', ['fio-u-'], 40),
  prefixed('infracost', ['ico-'], 30, WORD),
  prefixed('flutterwave', ['FLWSECK-', 'FLWSECK_TEST-'], 24),
  prefixed('amazon marketplace', ['amzn.mws.'], 30),
  format('braintree', ['access_token$'], () => /access_token\$(?:production|sandbox)\$[\w$]{24,}/gu),
  // Formats of no vendor.
  format('json web token', ['eyj'], () => /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/gu),
  format(
    'json web token',
    ['eyj'],
    () => /(?<![\w-])eyJ[\w-]{16,}\.{1,2}[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{8,})*/gu,
  ),
  format(
    'private key',
    ['-----begin'],
    () => /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----[\s\S]*?(?:-----END \1-----|$)/gu,
  ),
  format(
    'private key',
    ['putty-user-key-file'],
    () => /(?<=PuTTY-User-Key-File-[0-9][\s\S]{0,2000}Private-Lines: [0-9]+\s+)[A-Za-z0-9+/=\s]{16,}/gu,
  ),
  format(
    'password hash',
    ['$2', '$6$', '$5$', '$1$', '$y$', '$apr1$', '$argon2'],
    () =>
      /\$(?:2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}|(?:1|5|6|y|apr1)\$[./A-Za-z0-9=$]{24,}|argon2(?:id?|d)\$[^\s"']{30,})/gu,
  ),
]);

/** Formats whose prefix is too short, or too common a part of words, to tell anything. Their patterns are few and are always tried. */
export const unmarkedFormats = lazy((): readonly Pick<TokenFormat, 'kind' | 'pattern'>[] => [
  { kind: 'airtable', pattern: () => /(?<![\w-])pat[A-Za-z0-9]{14}\.[0-9a-f]{30,}/gu },
  { kind: 'asana', pattern: () => /(?<![\w/])[0-9]\/[0-9]{12,}\/[0-9]{12,}:[0-9a-f]{32}/gu },
  { kind: 'crates', pattern: () => /(?<![\w-])cio[A-Za-z0-9]{32,}/gu },
  { kind: 'discord bot', pattern: () => /(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/gu },
  { kind: 'dropbox', pattern: () => /(?<![\w.-])sl\.[\w-]{100,}/gu },
  { kind: 'hashicorp vault', pattern: () => /(?<![\w.-])s\.[A-Za-z0-9]{24}(?![\w.-])/gu },
  { kind: 'infisical', pattern: () => /(?<![\w.-])st\.[\w-]+\.[\w.-]{40,}/gu },
  { kind: 'resend', pattern: () => /(?<![\w-])re_[A-Za-z0-9]{8}_[A-Za-z0-9]{16,}/gu },
  { kind: 'twilio', pattern: () => /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/gu },
]);
