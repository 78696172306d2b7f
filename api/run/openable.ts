import { mayRead } from '../../model/access-list';
import type { RequestContext } from '../http/policies';

/** The ids for the routes of failed documents of those that the user may open, by `document_id`. */
export async function findOpenable(
  jobId: string,
  documentIds: readonly string[],
  { user, services }: RequestContext,
): Promise<Map<string, string>> {
  const ids = await services.failures.findIds(user, jobId, documentIds);
  const entries = await services.keptDocuments.lookup(jobId, [...ids.keys()]);
  for (const [id, entry] of entries) if (!mayRead(user, entry)) ids.delete(id);
  return ids;
}
