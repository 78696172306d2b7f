import type { FlowOperator } from './flow';
import type { OperatorDefinition } from './operator';

/** One finding about a flow. `node_name` is absent when the finding is not about a single operator. */
export interface FlowAlert {
  message_code: string;
  message: string;
  node_name?: string;
  operator?: string;
  /** JSON pointer into the flow definition. */
  pointer: string;
  operators?: string[];
  missing_features?: string[];
  missing_operators?: string[];
}

/** The available operators, by wire name. */
export type OperatorsByName = ReadonlyMap<string, OperatorDefinition>;

/** The location of a finding: an operator of the flow and a JSON pointer. */
export function locate(
  operator: FlowOperator,
  index: number,
  rest = '',
): Pick<FlowAlert, 'node_name' | 'operator' | 'pointer'> {
  return { node_name: operator.name, operator: operator.type, pointer: `/flow/${index}${rest}` };
}

/** Escapes a name for use in a JSON pointer. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
