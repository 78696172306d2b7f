import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { describeCheckedRight } from '../source/checked-right';
import { destinationRights } from './destination';

/** Request body for checking whether flows can export to a destination. */
export const DestinationCheckRequest = closedObject('DestinationCheckRequest', {
  config: Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: 200,
    description:
      'The configuration of `storage`: `destination`, and `path` or `connection_params`. Secrets may be references to your connections.',
  }),
});
export type DestinationCheckRequest = Static<typeof DestinationCheckRequest>;

/** The result for one right. */
export const DestinationRightReply = describeCheckedRight(
  'DestinationRight',
  destinationRights,
  'Contains neither secrets nor what the server holds.',
);
export type DestinationRightReply = Static<typeof DestinationRightReply>;

/** The results for all rights that an export needs. */
export const DestinationCheckReply = closedObject('DestinationCheck', {
  destination: Type.String(),
  usable: Type.Boolean({ description: 'False if a right is denied.' }),
  rights: Type.Array(DestinationRightReply),
});
export type DestinationCheckReply = Static<typeof DestinationCheckReply>;
