import { Fault } from '../base/fault.ts';
import { findShippedPrice } from './accounting/shipped-prices.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { providerSettings } from './config/resolve-session.ts';
import type { AgentPlan } from './plan-agent.ts';
import { prepareProvider } from './providers/provider-family.ts';
import type { Target } from './session-config.ts';

/** Families that report the cost of each request, or cost nothing. */
const NEED_NO_PRICE: ReadonlySet<string> = new Set(['openrouter', 'script']);

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Adds prices to the models of an agent and its sub-agents if the agent has a limit on the cost, which covers its sub-agents too. A configured
 * price is used first, then the price that ships with this version. Throws a Fault for a model without a price: its cost would count as 0.
 */
export async function pricePlan(
  plan: AgentPlan,
  config: LoadedConfig,
  env: Env,
  isCapped = false,
): Promise<AgentPlan> {
  const capped = isCapped || plan.config.limits.maxCostUsd !== undefined;
  const children: AgentPlan[] = [];
  for (const child of plan.children) children.push(await pricePlan(child, config, env, capped));
  if (!capped) return { ...plan, children };
  const targets: Target[] = [];
  for (const target of plan.config.targets) targets.push(await priceTarget(target, config, env));
  return { ...plan, children, config: { ...plan.config, targets } };
}

async function priceTarget(target: Target, config: LoadedConfig, env: Env): Promise<Target> {
  if (target.pricing !== undefined) return target;
  const provider = prepareProvider(target.provider, providerSettings(config, target.provider), env);
  if (NEED_NO_PRICE.has(provider.family)) return target;
  const pricing = await findShippedPrice(provider, target.model);
  if (pricing === undefined) throw unknownPrice(target);
  return { ...target, pricing };
}

function unknownPrice({ provider, model }: Target): Fault {
  return new Fault(
    'E_CONFIG',
    `maxCostUsd cannot be enforced: the price of ${provider}/${model} is unknown.`,
    {
      hint: `Set pricing in the configuration, in US dollars per million tokens: {"pricing": {"${provider}": {"${model}": {"input": 1, "output": 4}}}}. Or limit tokens with maxTotalTokens instead.`,
      details: { setting: 'maxCostUsd', provider, model },
    },
  );
}
