import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { DestinationRightReply } from '../export/wire-check';
import { SourceRightReply } from '../source/wire';

const answer = {
  outcome: Type.Union([Type.Literal('granted'), Type.Literal('denied'), Type.Literal('unknown')], {
    description: '`unknown`: it could not be tried.',
  }),
  code: Type.Optional(Type.String({ description: 'The error code with which a run would fail.' })),
  message: Type.String({ description: 'Contains neither the secret nor addresses of servers.' }),
};

/** Whether a part of a connection can be used. */
export const ConnectionAnswer = closedObject('ConnectionAnswer', answer);
export type ConnectionAnswer = Static<typeof ConnectionAnswer>;

/** Whether one of its hosts can be reached. */
export const ConnectionHostCheck = closedObject('ConnectionHostCheck', { host: Type.String(), ...answer });

const use = { flow_id: Type.String(), flow_name: Type.String(), operator: Type.String() };
const outcome = {
  usable: Type.Boolean({ description: 'False if a right is denied, or if nothing can be checked.' }),
  code: Type.Optional(Type.String({ description: 'Why nothing can be checked.' })),
  message: Type.Optional(Type.String()),
};

/** A source of a flow that uses the connection. */
export const ConnectionSourceCheck = closedObject('ConnectionSourceCheck', {
  ...use,
  provider: Type.String(),
  ...outcome,
  rights: Type.Array(SourceRightReply),
});
export type ConnectionSourceCheck = Static<typeof ConnectionSourceCheck>;

/** A destination of a flow that uses the connection. */
export const ConnectionDestinationCheck = closedObject('ConnectionDestinationCheck', {
  ...use,
  destination: Type.String(),
  ...outcome,
  rights: Type.Array(DestinationRightReply),
});
export type ConnectionDestinationCheck = Static<typeof ConnectionDestinationCheck>;

/** The result of the check of a connection. */
export const ConnectionCheckReply = closedObject('ConnectionCheck', {
  usable: Type.Boolean({ description: 'False if anything is denied.' }),
  secret: ConnectionAnswer,
  hosts: Type.Array(ConnectionHostCheck),
  sources: Type.Array(ConnectionSourceCheck, {
    description: 'The sources of your own flows that use the connection, up to five: each right that they need.',
  }),
  unchecked_sources: Type.Integer({ minimum: 0, description: 'Further sources that use it.' }),
  destinations: Type.Array(ConnectionDestinationCheck, {
    description: 'The destinations of your own flows that use the connection, up to five: each right that they need.',
  }),
  unchecked_destinations: Type.Integer({ minimum: 0, description: 'Further destinations that use it.' }),
});
export type ConnectionCheckReply = Static<typeof ConnectionCheckReply>;
