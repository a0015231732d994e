import type { Pricing } from '../session-config.ts';
import type { PreparedProvider } from '../providers/provider-family.ts';

/** Default providers by family; one with its own base URL is found by that URL. */
const PROVIDER_IDS: Readonly<Partial<Record<PreparedProvider['family'], string>>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
};

/** A price of the table: a number, or prices by the size of the request. */
type Price =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly price: number }[] }
  | undefined;

/**
 * Looks up the published price of a model in the table that ships with this version; undefined for an unknown provider or model. The
 * table is half a megabyte, so it is loaded only when it is needed.
 */
export async function findShippedPrice(
  { family, baseUrl, hasOwnBaseUrl }: Pick<PreparedProvider, 'family' | 'baseUrl' | 'hasOwnBaseUrl'>,
  model: string,
): Promise<Pricing | undefined> {
  const providerId = hasOwnBaseUrl ? undefined : PROVIDER_IDS[family];
  if (providerId === undefined && (!hasOwnBaseUrl || baseUrl === undefined)) return undefined;
  const { calcPrice } = await import('@pydantic/genai-prices');
  const place = providerId === undefined ? { providerApiUrl: baseUrl ?? '' } : { providerId };
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, place);
  if (found === null) return undefined;
  const { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok } = found.model_price as Record<
    string,
    Price
  >;
  const [input, output] = [highest(input_mtok), highest(output_mtok)];
  const [cacheRead, cacheWrite] = [highest(cache_read_mtok), highest(cache_write_mtok)];
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

/** Returns the highest price of all sizes, so that a cap is never exceeded. */
function highest(price: Price): number | undefined {
  return typeof price === 'object' ? Math.max(price.base, ...price.tiers.map((tier) => tier.price)) : price;
}
