import { type Static, Type } from '@sinclair/typebox';

/** The body of every error reply: a sentence, or a list of problems in the request. */
export const RequestProblems = Type.Object(
  {
    detail: Type.Union([
      Type.String(),
      Type.Array(
        Type.Object({
          type: Type.String(),
          loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
          msg: Type.String(),
        }),
      ),
    ]),
  },
  { $id: 'HTTPValidationError' },
);
export type RequestProblems = Static<typeof RequestProblems>;
