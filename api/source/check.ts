import { isAdmin } from '../../model/access';
import { findSourceKind } from '../../model/source/list';
import { SourceCheckReply, SourceCheckRequest } from '../../model/source/wire';
import { listProblems } from '../../model/validate';
import { ingestSource } from '../../operators/ingest_source/schema';
import { limitCheck, requireCheckable } from '../flow/checkable';
import { route } from '../http/route';

export const checkSourceRoute = route({
  method: 'POST',
  path: '/api/v1/sources/check',
  operationId: 'checkSource',
  scope: 'run',
  summary: 'Tries each right that a source needs: to reach it, to sign in, to list, to read, to use its access lists.',
  description:
    'For sources and their connections, before a flow is saved. Lists up to 200 documents and reads a small one that you may read, as seen from the api. Nothing is stored, and no document is named.',
  body: SourceCheckRequest,
  replies: { 200: SourceCheckReply },
  errors: [
    'OPERATOR_CONFIGURATION_INVALID',
    'CONNECTION_NOT_FOUND',
    'SECRET_NOT_FOUND',
    'SECRET_NOT_ALLOWED',
    'SERVICE_UNAVAILABLE',
  ],
  handler: async ({ body: { config }, services, options, signal, user }) => {
    // The same validation as before a run: by the schema and by the source itself.
    requireCheckable('The source', [...listProblems(ingestSource.config, config), ...ingestSource.validate(config)]);
    const reader = { ...user, seesHidden: isAdmin(user, options.adminGroups) };
    const rights = await limitCheck(signal, (limited) => services.sourceInspector.check(config, reader, limited));
    const usable = rights.every(({ outcome }) => outcome !== 'denied');
    return { provider: findSourceKind(config)?.name ?? '', usable, rights };
  },
});
