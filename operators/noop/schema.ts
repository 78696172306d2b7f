import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';

export const config = Type.Object(
  {
    sleep_sec: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 3_600,
        default: 0,
        description: 'Seconds to wait per part of the run.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type NoopConfig = Static<typeof config>;

export const noop = {
  name: 'noop',
  label: 'No operation',
  category: 'Functional',
  scope: 'row',
  queue: 'io',
  needs: [],
  reads: ['id'],
  writes: [],
  config,
  summary: 'Passes the rows on unchanged.',
} as const satisfies OperatorDefinition;
