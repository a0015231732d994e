import { prefixed, ALPHANUMERIC, type TokenFormat } from '../token-format.ts';

/** Tokens of providers of language models, and of tools for agents. */
export const modelFormats = (): readonly TokenFormat[] => [
  prefixed('model provider', ['sk-'], 16),
  prefixed('elevenlabs', ['sk_'], 40, 'a-f0-9'),
  prefixed('groq', ['gsk_'], 32, ALPHANUMERIC),
  prefixed('hugging face', ['hf_', 'api_org_'], 30, ALPHANUMERIC),
  prefixed('replicate', ['r8_'], 32, ALPHANUMERIC),
  prefixed('perplexity', ['pplx-'], 32, ALPHANUMERIC),
  prefixed('xai', ['xai-'], 40),
  prefixed('nvidia', ['nvapi-'], 40),
  prefixed('together', ['tgp_v1_'], 24),
  prefixed('tavily', ['tvly-'], 20),
  prefixed('langsmith', ['lsv2_pt_', 'lsv2_sk_'], 24),
  prefixed('pinecone', ['pcsk_'], 32),
  prefixed('jina', ['jina_'], 32, ALPHANUMERIC),
  prefixed('firecrawl', ['fc-'], 32, 'a-f0-9'),
  prefixed('fireworks', ['fw_'], 22, ALPHANUMERIC),
];
