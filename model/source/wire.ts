import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { sourceRights } from './kind';

/** Request body for checking whether a source can be used. */
export const SourceCheckRequest = closedObject('SourceCheckRequest', {
  config: Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: 200,
    description:
      'The configuration of `ingest_source`: `provider`, `connection_params`, `credentials`. Secrets may be references to your connections.',
  }),
});
export type SourceCheckRequest = Static<typeof SourceCheckRequest>;

/** The result for one right. */
export const SourceRightReply = closedObject('SourceRight', {
  right: literals(sourceRights),
  needs: Type.String({ description: 'What grants the right.' }),
  outcome: Type.Union([Type.Literal('granted'), Type.Literal('denied'), Type.Literal('unknown')], {
    description: '`unknown`: it could not be tried.',
  }),
  code: Type.Optional(Type.String({ description: 'The error code with which a run would fail.' })),
  message: Type.String({ description: 'Never names a document.' }),
});
export type SourceRightReply = Static<typeof SourceRightReply>;

/** The results for all rights that a source needs. */
export const SourceCheckReply = closedObject('SourceCheck', {
  provider: Type.String(),
  usable: Type.Boolean({ description: 'False if a right is denied.' }),
  rights: Type.Array(SourceRightReply),
});
export type SourceCheckReply = Static<typeof SourceCheckReply>;
