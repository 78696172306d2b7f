import { Type } from '@sinclair/typebox';
import { isoTime } from '../wire-parts';

/** What the operators of a run wait for. */
export const waiting = Type.Optional(
  Type.Array(
    Type.Object({
      operator: Type.String(),
      code: Type.String(),
      message: Type.String(),
      since: isoTime,
      until: Type.Optional(isoTime),
    }),
    {
      description:
        'Only while operators wait for unavailable servers; the run ends at `until` if they stay unavailable.',
    },
  ),
);
