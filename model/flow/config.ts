import { isObject } from '../json';
import type { FlowDefinition, FlowOperator } from './flow';

/** The effective configuration of an operator: `global_config` for its type, then for its name, then its own config. */
export function buildEffectiveConfig(flow: FlowDefinition, operator: FlowOperator): Record<string, unknown> {
  const shared = (flow.global_config ?? {}) as Record<string, unknown>;
  return { ...asObject(shared[operator.type]), ...asObject(shared[operator.name]), ...operator.config };
}

/**
 * The flow with run parameters merged into its `global_config`. An object under the name or type of an operator is merged into
 * the config of that operator.
 */
export function applyOverrides(flow: FlowDefinition, overrides: Record<string, unknown>): FlowDefinition {
  const operators = new Set(flow.flow.flatMap(({ name, type }) => [name, type]));
  const entries = Object.entries(overrides);
  const isForOperator = ([key, value]: [string, unknown]) => operators.has(key) && isObject(value);
  const forOperators = Object.fromEntries(entries.filter(isForOperator));
  const forAll = Object.fromEntries(entries.filter((entry) => !isForOperator(entry)));
  return {
    ...flow,
    global_config: { ...flow.global_config, ...forAll },
    flow: flow.flow.map((operator) => {
      const overridden = { ...asObject(forOperators[operator.type]), ...asObject(forOperators[operator.name]) };
      return Object.keys(overridden).length === 0
        ? operator
        : { ...operator, config: { ...operator.config, ...overridden } };
    }),
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
