import type { FlowDefinition } from '../model/flow/flow';
import type { FlowStores } from '../services/removal/steps';
import { findOperator } from './index';

/** Reads the declarations of a flow's operators, for removals. */
export const flowStores: FlowStores = {
  writesElsewhere: ({ flow }: FlowDefinition) =>
    flow.some(({ type, config = {} }) => findOperator(type)?.index?.(config).target !== undefined),
  embeddedPieces: ({ flow }: FlowDefinition) =>
    flow.flatMap(({ type, config = {} }) => {
      const embeds = findOperator(type)?.embeds;
      return embeds ? [embeds(config)] : [];
    }),
};
