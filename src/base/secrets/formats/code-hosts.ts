import { format, prefixed, ALPHANUMERIC, ALPHANUMERIC_DASH, type TokenFormat } from '../token-format.ts';

/** Tokens of code hosts, package registries and build services. */
export const codeHostFormats = (): readonly TokenFormat[] => [
  prefixed('github', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'], 20, `${ALPHANUMERIC}_`),
  prefixed(
    'gitlab',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glimt-', 'glagent-', 'gloas-'],
    16,
  ),
  prefixed('gitlab', ['GR1348941'], 16),
  prefixed('bitbucket', ['ATBB'], 20),
  prefixed('atlassian', ['ATATT3', 'ATCTT3'], 20, `${ALPHANUMERIC_DASH}=`),
  prefixed('npm', ['npm_'], 30, ALPHANUMERIC),
  prefixed('pypi', ['pypi-AgE'], 16),
  prefixed('rubygems', ['rubygems_'], 24),
  prefixed('clojars', ['CLOJARS_'], 24),
  format('nuget', ['oy2'], () => /(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])/gu),
  prefixed('docker', ['dckr_pat_', 'dckr_oat_'], 16),
  prefixed('jfrog', ['AKCp', 'cmVmdGtu'], 40),
  prefixed('buildkite', ['bkua_', 'bkct_', 'bkpt_'], 20),
  prefixed('circleci', ['CCIPAT_', 'CCIPRJ_'], 20),
  prefixed('sonar', ['squ_', 'sqp_', 'sqa_'], 30),
  prefixed('snyk', ['snyk_uat.', 'snyk_sat.'], 16, `${ALPHANUMERIC_DASH}.`),
  prefixed('sentry', ['sntrys_', 'sntryu_', 'sntrya_'], 20, `${ALPHANUMERIC_DASH}=+/`),
];
