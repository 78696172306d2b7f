import { isAdmin } from '../../model/access';
import { toUserPrincipal } from '../../model/access-list';
import { AppError } from '../../model/errors';
import { type AccessReason, ExplainReply, ExplainRequest } from '../../model/search/wire-access';
import type { Judgement } from '../../services/search/ports';
import { createDocumentNotFoundError } from '../http/policies';
import { route } from '../http/route';
import { getRule } from './explain';

export const explainAccess = route({
  method: 'POST',
  path: '/api/v1/access/explain',
  scope: 'read',
  operationId: 'explainAccess',
  summary: 'Explains which rule allows a user to read a document or prevents it.',
  description:
    'Administrators may ask about any user and any document whose id they know; all others may ask about themselves and documents that they may read. The reply contains nothing of the text. The audit log records each use.',
  body: ExplainRequest,
  replies: { 200: ExplainReply },
  errors: ['FORBIDDEN', 'DOCUMENT_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ body: { user: username, document_id: documentId }, user, services, options }) => {
    const isForAdmin = isAdmin(user, options.adminGroups);
    if (!isForAdmin && username !== user.username)
      throw new AppError('FORBIDDEN', 'Only administrators may ask about the access of another user.');
    const reader = username === user.username ? user : await services.readers.find(username);
    const judgement = await services.indexHoldings.judge(documentId, reader);
    const { records, readable } = judgement;
    // A document that the user may not read looks like one that does not exist.
    if (records === 0 || (!isForAdmin && readable === 0)) throw createDocumentNotFoundError();
    const hasPrincipals = reader.principals !== undefined;
    const reason = determineReason(judgement, hasPrincipals);
    return {
      user: username,
      document_id: documentId,
      may_read: readable > 0,
      reason,
      principals: listDecidingPrincipals(reason, judgement, username),
      rule: getRule(judgement.accessRule),
      // The other records may come from documents or runs that the user must not know of.
      records: isForAdmin ? records : readable,
      readable,
      groups_known: hasPrincipals,
    };
  },
});

function determineReason(
  { readable, named, allowedBy, deniedBy, denying, forGroups }: Judgement,
  hasPrincipals: boolean,
): AccessReason {
  if (readable > 0) return named > 0 ? 'named' : 'allowed_principal';
  if (deniedBy.length > 0) return 'denied_principal';
  if (!hasPrincipals && (denying > 0 || forGroups > 0)) return 'groups_unknown';
  return named > 0 || allowedBy.length > 0 ? 'required_list' : 'not_listed';
}

function listDecidingPrincipals(reason: AccessReason, { allowedBy, deniedBy }: Judgement, username: string): string[] {
  if (reason === 'named') return [toUserPrincipal(username)];
  if (reason === 'allowed_principal') return allowedBy;
  return reason === 'denied_principal' ? deniedBy : [];
}
