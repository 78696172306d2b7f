import { type Static, Type } from '@sinclair/typebox';
import { literals } from '../../model/literals';

/** How graphs are merged. */
export const MergePolicy = Type.Object(
  {
    /** Which values take precedence: those of the first input, or of the most complete node. */
    precedence: literals<string>(['input-order', 'richest'], { default: 'input-order' }),
    /** How to handle contradicting values: drop them, keep them in `__conflicts__`, or keep them as separate nodes. */
    conflicts: literals<string>(['keep-first', 'keep-all', 'variants'], { default: 'keep-first' }),
    /** Text fields that are joined instead. */
    combine_fields: Type.Array(Type.String(), { default: ['description', 'summary'] }),
    description_max_length: Type.Integer({ minimum: 1, default: 4096 }),
    /** Whether to recompute ids; null means yes if the identity contract is known. */
    rekey: Type.Union([Type.Boolean(), Type.Null()], { default: null }),
    strict_template_check: Type.Boolean({ default: true }),
    dry_run: Type.Boolean({ default: false }),
  },
  { additionalProperties: false },
);
export type MergePolicy = Static<typeof MergePolicy>;
