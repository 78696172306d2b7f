import type { FlowDefinition, FlowOperator } from './flow';

/** The configuration an operator runs with: defaults of its type and name in `global_config`, then its own. */
export function effectiveConfig(flow: FlowDefinition, operator: FlowOperator): Record<string, unknown> {
  const shared = (flow.global_config ?? {}) as Record<string, unknown>;
  return { ...asObject(shared[operator.type]), ...asObject(shared[operator.name]), ...operator.config };
}

/**
 * The flow with run parameters laid over its `global_config`; an object for an operator's name, or for its type, is laid over its
 * config.
 */
export function withOverrides(flow: FlowDefinition, overrides: Record<string, unknown>): FlowDefinition {
  const operators = new Set(flow.flow.flatMap(({ name, type }) => [name, type]));
  const entries = Object.entries(overrides);
  const isForOperator = ([key, value]: [string, unknown]) => operators.has(key) && isObject(value);
  const forOperators = Object.fromEntries(entries.filter(isForOperator));
  const forAll = Object.fromEntries(entries.filter((entry) => !isForOperator(entry)));
  return {
    ...flow,
    global_config: { ...flow.global_config, ...forAll },
    flow: flow.flow.map((operator) => {
      const given = { ...asObject(forOperators[operator.type]), ...asObject(forOperators[operator.name]) };
      return Object.keys(given).length === 0 ? operator : { ...operator, config: { ...operator.config, ...given } };
    }),
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
