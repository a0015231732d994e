import { format, type TokenFormat } from '../token-format.ts';

/** Formats whose prefix occurs in many words. They have a separate small table, so that a text with such a prefix does not need the large table. */
export const shortPrefixFormats = (): readonly TokenFormat[] => [
  format('airtable', ['pat'], () => /(?<![\w-])pat[A-Za-z0-9]{14}\.[0-9a-f]{30,}/gu),
  format('asana', ['/1'], () => /(?<![\w/])[0-9]\/[0-9]{12,}\/[0-9]{12,}:[0-9a-f]{32}/gu),
  format('crates', ['cio'], () => /(?<![\w-])cio[A-Za-z0-9]{32,}/gu),
  format('discord bot', ['.'], () => /(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/gu, 59),
  format('dropbox', ['sl.'], () => /(?<![\w.-])sl\.[\w-]{100,}/gu),
  format('hashicorp vault', ['s.'], () => /(?<![\w.-])s\.[A-Za-z0-9]{24}(?![\w.-])/gu),
  format('infisical', ['st.'], () => /(?<![\w.-])st\.[\w-]+\.[\w.-]{40,}/gu),
  format('resend', ['re_'], () => /(?<![\w-])re_[A-Za-z0-9]{8}_[A-Za-z0-9]{16,}/gu),
  format('twilio', ['sk'], () => /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/gu),
];
