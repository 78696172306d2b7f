import type { FoldedNode } from '../../graph/corpus/fold';
import type { GraphNode } from '../../model/graph/wire-facts';

/** Converts a node for a reply. */
export function toNodeReply({ others, properties, ...node }: FoldedNode): GraphNode {
  return {
    ...node,
    properties: toPlainValues(properties),
    others: others.map((other) => ({ ...other, value: toPlainValues({ value: other.value })['value'] })),
  };
}

/** Converts values to JSON, with integers beyond 2^53 as text. */
export function toPlainValues(values: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(values, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  ) as Record<string, unknown>;
}
