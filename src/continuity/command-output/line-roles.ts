/** The role of a line of output in the failure of a command. */
export type LineRole = 'name' | 'cause' | 'detail' | 'summary' | 'place' | 'other' | 'noise';

const all = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'), 'u');

/** Headers, separators, tests that passed, and frames of libraries. */
const NOISE = all(
  /^[\s=_~*.#|^+-]*$/,
  /^-{3,} .* -{3,}$|^[.FEsSx*]{10,}(?:\s|$)/,
  /^(?:platform|rootdir|configfile|plugins|cachedir|asyncio|collected|collecting|Test session|Run id|Seed)\b/,
  /^(?:=== (?:RUN|PAUSE|CONT|NAME)\b|running \d+ tests?|ok\s|PASS\b|PASSED\b|--- PASS|\s*(?:✓|✔|√)|\s*ok \d+|TAP version|# )/,
  /\.\.\. (?:ok|ignored)$|\bPASSED\b/,
  /^\s*at .*(?:node_modules|node:internal|<anonymous>)|^\s*at (?:java|jdk|sun|org\.junit|org\.gradle|org\.apache)\./,
  /^note: run with `RUST_BACKTRACE|^npm (?:ERR!|error) A complete log|^> \S+@\S+ |^\s*RUN\s+v\d|^\s*(?:Start at|Duration|Time:|Snapshots:|Ran all)/,
  /^E?\s*$|^FAIL$|\[no test files\]$|^goroutine \d+ \[|^running tests:$|^\s*(?:\/usr\/(?:local\/)?lib\/|\/usr\/local\/go\/|\/rustc\/|\S*(?:site-packages|\.cargo\/registry)\/)/,
  /^Exit code 1$|^\s*(?:Compiling|Downloading|Downloaded|Finished|Running|Resolving|Blocking|Updating)\b/,
  /^tests?\/\S+ [.FEsx]+(?:\s+\[ *\d+%\])?$|^\s*(?:```|---|\.\.\.)$|^---- .* stdout ----$|^-+ Captured/,
);
const SUMMARY = all(
  /\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?|problems?)\b/,
  /^test result: FAILED|^FAIL(?:\t|$)|^FAILED \(|\bTests run:|^Exit code \d+$|^make(?:\[\d+\])?: \*\*\*|BUILD FAIL|^error: (?:test failed|could not compile|aborting)/,
  /^\s*(?:Tests?|Test Files|Test Suites):?\s+\d/,
);
/** A failed test, as the test runners print it. */
const NAME = all(
  /^\s*(?:FAILED|FAIL:|ERROR:?)\s+\S*(?:::|\.py\b|\()/,
  /^\s*--- FAIL: /,
  /^\s*Test[A-Z]\w* \(\d+(?:\.\d+)?m?s\)$/,
  /^test .+ \.\.\. FAILED$/,
  /^\s*(?:✗|✘|×|✕|✖|●|❌)\s+\S/,
  /^\s*FAIL\s+\S/,
  /^\s*not ok\b/,
  /^\s*\d+\)\s+\S/,
  /^rspec \.?\/?\S+:\d+/,
  /^\s*Failed\s+\S+.*\[[<\d]/,
  /^\S+ > .+ FAILED$/,
  /^_{3,} .+ _{3,}$/,
  /^\[ERROR\]\s+\w+[.#]\w+.*:\d+/,
);
const CAUSE = all(
  /^E\s{1,8}\S(?!\s)/,
  /^\s*(?:Uncaught |Unhandled |thread )?[\w.$:]*(?:Error|Exception|Failure|Panic|Detected|Timeout)(?: \[\w+\])?(?::|$)/,
  /\berror TS\d+:|(?:^|[\s\]:])(?:fatal )?[Ee]rror(?:\[\w+\])?(?: \w+)?: ?\S/,
  /^\s*\d+:\d+\s+error\s/,
  /^panic:|panicked at|^Caused by:|^\s*Caused by:|^Exception in thread|^assertion /,
  /^\s*(?:ERROR|FATAL|fatal|FATAL ERROR|ERR!)\b:?\s/,
  /\bFailed asserting|Failure\/Error:|^\s*expect\(|^\s*Assert\.\w+\(\)|^\[ERROR\]\s/,
  /^\s*\S+\.\w+:\d+(?::\d+)?:\s+\S+\s+\S|^\s*\S+\.\w+:\d+:\d+\s+\S+\s+\S|^\s*\S+\.\w+\(\d+,\d+\): /,
  /\b(?:command not found|No such file or directory|Permission denied|permission denied|refused|already in use|timed out|is not recognized|segmentation fault|Segmentation fault|cannot find|Cannot find|out of memory|Out of memory|Killed)\b/,
);
const DETAIL = all(
  /^\s*(?:[-+] )?(?:Expected|Received|Actual|expected|actual|got|want|wanted|received|left|right|but was|Error Trace|Messages?|operator|message|reason|Differences?|Diff)\b\s*[:=]/,
  /^E\s{9,}\S|^E\s+[+?-]\s|^\s*[-+] \S|^\s*[-+](?:["'[{]|\d)|^\s+(?:Error:|\|\s)/,
);
const PLACE = all(
  /^\s*(?:-->|❯|at)\s+\S+/,
  /^\s*\S+\.\w+:\d+(?::\d+)?:?(?:\s+(?:in )?\S+)?$/,
  /^\s*File "[^"]+", line \d+/,
);

/** Classifies a line. */
export function roleOf(line: string): LineRole {
  if (NOISE.test(line) && !/^_{3,} /u.test(line)) return 'noise';
  if (/^={3,} .* ={3,}$/u.test(line)) return SUMMARY.test(line) ? 'summary' : 'noise';
  if (DETAIL.test(line)) return 'detail';
  if (PLACE.test(line)) return 'place';
  if (SUMMARY.test(line)) return 'summary';
  if (NAME.test(line)) return 'name';
  return CAUSE.test(line) ? 'cause' : 'other';
}
