import { type Static, Type } from '@sinclair/typebox';

/** One problem of a rejected request. */
export const ErrorEntry = Type.Object(
  {
    code: Type.String({ description: 'A code from the catalogue. Programs decide by code.' }),
    message: Type.String({ description: 'For people: what was given, what was expected, and where.' }),
    target: Type.Optional(
      Type.Object({
        type: Type.Union([Type.Literal('parameter'), Type.Literal('field'), Type.Literal('header')]),
        name: Type.String(),
      }),
    ),
    more_info: Type.Optional(Type.String()),
  },
  { $id: 'ErrorEntry' },
);
export type ErrorEntry = Static<typeof ErrorEntry>;

/** The body of all error replies of `/api/v1` and `/auth`; `detail` appears with status 413 only. */
export const ErrorReply = Type.Object(
  {
    errors: Type.Array(ErrorEntry, { minItems: 1 }),
    trace: Type.String({
      description: 'The transaction id, as in the X-Transaction-ID header and the logs.',
    }),
    status_code: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(Type.String({ description: 'The message again, with status 413 only.' })),
  },
  { $id: 'ErrorReply' },
);
export type ErrorReply = Static<typeof ErrorReply>;
