/**
 * Turns of phrase that stop a reader: archaic, whimsical, or a riddle where the field has a term. Each pattern has the words to use instead.
 * Identifiers count as well as prose.
 */
export const AVOIDED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:some|any|every|no)body\b/iu, 'a user, the caller, no process'],
  [/\bwho(?:so)?ever\b/iu, 'the caller, the user'],
  [/\bwhatever\b|\bhowever (?:many|often|long|the|it|they|much|fast)\b/iu, 'any, regardless of'],
  [/\b(?:goes|go|went|going|gone) on\b|\bgoes?On\b/iu, 'continue, resume'],
  [/\b(?:comes?|coming|came) to (?:an|its|their|the) end\b/iu, 'finish, stop'],
  [/\b(?:that|which) (?:is|are) none\b|\bthat (?:is|are) no\b/iu, 'is not a, is invalid'],
  [
    /(?<!there )\b(?:is|are|was|were) no (?!longer|more than|op\b|way|need|one\b)[a-z]+/iu,
    'is not a, does not count as',
  ],
  [/\bstrangers?\b/iu, 'untrusted, another user'],
  [/\bfor ever\b/iu, 'indefinitely'],
  [/\ball the same\b/iu, 'anyway'],
  [/\bin vain\b/iu, 'without effect'],
  [/\bunder way\b/iu, 'running, pending'],
  [/\breckon/iu, 'compute, estimate'],
  [/\blets? go of\b|\bg[ia]ve?s? back\b|\bgiven back\b/iu, 'release, return'],
  [/\bleft behind\b/iu, 'left running, orphaned'],
  [/\bover again\b|\banew\b/iu, 'again'],
  [/\btak(?:es|en|e) away\b/iu, 'remove'],
  [/\bnoted? down\b/iu, 'record, save'],
  [
    /\b(?:lastWords|complaints?|complains?|Workshop|RELUCTANCE|mayStayAway|SessionHappening)\b/iu,
    'onForcedExit, stderrTail, …',
  ],
  [/\w*World\b/u, 'context, system, dependencies'],
  [/\b(?:papers|rooms)\b|\b(?:test|the) house\b|\bsrc\/heads\b/iu, 'docs, modules, codebase, entrypoints'],
  [/\bstrikes?\b/iu, 'kill, remove'],
  [/\bin a circle\b/iu, 'in a cycle'],
  [/\bhand(?:s|ed) (?:in|over)\b/iu, 'return, pass'],
  [/\bsound (?:JSON|arguments|value)/iu, 'valid'],
  [/\bnot there\b|\bcannot be had\b/iu, 'does not exist, is unavailable'],
  [/\blies (?:in|on|under|outside|beside|there|within)\b|\bbeside\b/iu, 'is in, next to'],
  [/\b(?:thereof|whence|hence|lest|herein|thus)\b/iu, 'so, from there'],
  [/\bof (?:one's|our|his) own\b/iu, 'its own, separate'],
  [/\btrouble\b/iu, 'failure, problem'],
  [/\bcut short\b/iu, 'truncated'],
  [/\bsays nothing\b|\bnothing is said\b/iu, 'is empty'],
];
