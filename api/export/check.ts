import { isAdmin } from '../../model/access';
import { DestinationCheckReply, DestinationCheckRequest } from '../../model/export/wire-check';
import { listProblems } from '../../model/validate';
import { storage } from '../../operators/storage/schema';
import { limitCheck, requireCheckable } from '../flow/checkable';
import { route } from '../http/route';

/** The formats of files do not matter to the check, so a request may leave them out. */
const checkedDefaults = { formats: ['md'] };

export const checkDestinationRoute = route({
  method: 'POST',
  path: '/api/v1/destinations/check',
  operationId: 'checkDestination',
  scope: 'run',
  summary: 'Tries what an export does at its destination: to reach it, to sign in, to write, read and remove a file.',
  description:
    'For destinations of `storage` and their connections, before a flow is saved. Writes a small file under a new name that starts with `.docloom-check-`, reads it and removes it, as seen from the api. Nothing that exists is read or changed. Only those who may export to folders learn anything about a folder. Nothing is written to Elasticsearch: the check asks whether it accepts the credentials, which privileges they have, and whether the index and the alias are free or were made by an export.',
  body: DestinationCheckRequest,
  replies: { 200: DestinationCheckReply },
  errors: [
    'OPERATOR_CONFIGURATION_INVALID',
    'CONNECTION_NOT_FOUND',
    'SECRET_NOT_FOUND',
    'SECRET_NOT_ALLOWED',
    'SERVICE_UNAVAILABLE',
  ],
  handler: async ({ body: { config: given }, services, options, signal, user }) => {
    const config: Record<string, unknown> =
      given['destination'] === 'elasticsearch' ? given : { ...checkedDefaults, ...given };
    requireCheckable('The destination', [
      ...listProblems(storage.config, config),
      ...storage.validate(config, new Set()),
    ]);
    const reader = { ...user, seesHidden: isAdmin(user, options.adminGroups) };
    const rights = await limitCheck(signal, (limited) => services.destinationInspector.check(config, reader, limited));
    const usable = rights.every(({ outcome }) => outcome !== 'denied');
    return { destination: String(config['destination']), usable, rights };
  },
});
