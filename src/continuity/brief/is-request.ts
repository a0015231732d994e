/** Words of replies that have no meaning without the conversation around them. */
const REPLIES = new Set(
  (
    'a ah again ahead alright and awesome carry continue cool correct do done exactly fine go going good great hello hey hi hm hmm it job just k keep ' +
    'lgtm like looks me n nice next no nope now oh ok okay on perfect please pls proceed resume right so sounds sure thank thanks that the then this thx try ' +
    'ty u very well work works y yeah yep yes you ' +
    'bitte danke genau gut ja jetzt mach nein nochmal weiter merci oui allez dale gracias si sí sigue adelante obrigado sim da да дальше продолжай спасибо хорошо ' +
    '好 好的 是 是的 对 可以 继续 请继续 谢谢 はい うん 続けて 続けてください お願いします ありがとう 네 예 계속 계속해줘 고마워'
  ).split(' '),
);
/** Commands of hosts that concern the conversation itself. */
const HOST_COMMAND = /^\/(?:add-dir|clear|compact|config|effort|login|model|rename|resume)\b|^[/!]\S+$/u;

/** Whether a prompt asks for something; "yes", "continue" and "/compact" have no meaning without the conversation around them. */
export function isRequest(prompt: string): boolean {
  return !HOST_COMMAND.test(prompt.trim()) && hasMeaning(prompt);
}

/** Whether a text says more than "yes", "OK" or "done". */
export function hasMeaning(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.some((word) => !REPLIES.has(word) && !/^.?\p{N}*$/u.test(word));
}
