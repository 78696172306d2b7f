import type { FlowDefinition, FlowOperator } from './flow';

/** The configuration an operator runs with: defaults of its type and name in `global_config`, then its own. */
export function effectiveConfig(flow: FlowDefinition, operator: FlowOperator): Record<string, unknown> {
  const shared = (flow.global_config ?? {}) as Record<string, unknown>;
  return { ...asObject(shared[operator.type]), ...asObject(shared[operator.name]), ...operator.config };
}

/** The flow with run parameters laid over its `global_config`; an object for an operator's name is laid over its config. */
export function withOverrides(flow: FlowDefinition, overrides: Record<string, unknown>): FlowDefinition {
  const names = new Set(flow.flow.map(({ name }) => name));
  const forOperators = Object.fromEntries(
    Object.entries(overrides).filter(([key, value]) => names.has(key) && isObject(value)),
  );
  const forAll = Object.fromEntries(Object.entries(overrides).filter(([key]) => !(key in forOperators)));
  return {
    ...flow,
    global_config: { ...flow.global_config, ...forAll },
    flow: flow.flow.map((operator) =>
      operator.name in forOperators
        ? { ...operator, config: { ...operator.config, ...asObject(forOperators[operator.name]) } }
        : operator,
    ),
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
