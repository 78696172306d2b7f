import type { FlowOperator } from './flow';
import type { OperatorDefinition } from './operator';

/** One finding about a flow. `node_name` is absent where it is about no single operator. */
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

/** The operators that there are, by wire name. */
export type Known = ReadonlyMap<string, OperatorDefinition>;

/** The members of a finding that say where: an operator of the flow, and a place in it. */
export function at(
  operator: FlowOperator,
  index: number,
  rest = '',
): Pick<FlowAlert, 'node_name' | 'operator' | 'pointer'> {
  return { node_name: operator.name, operator: operator.type, pointer: `/flow/${index}${rest}` };
}

/** A name as a part of a JSON pointer. */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
