import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { describeCheckedRight } from './checked-right';
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
export const SourceRightReply = describeCheckedRight('SourceRight', sourceRights, 'Never names a document.');
export type SourceRightReply = Static<typeof SourceRightReply>;

/** The results for all rights that a source needs. */
export const SourceCheckReply = closedObject('SourceCheck', {
  provider: Type.String(),
  usable: Type.Boolean({ description: 'False if a right is denied.' }),
  rights: Type.Array(SourceRightReply),
});
export type SourceCheckReply = Static<typeof SourceCheckReply>;
