import { StorageReport } from '../../model/storage/wire';
import { requireAdmin } from '../http/policies';
import { route } from '../http/route';

export const getStorage = route({
  method: 'GET',
  path: '/api/v1/storage',
  summary: 'Storage use of the database, files and indexes, and of each flow and project.',
  description:
    'For administrators. At most a minute old. Files of conversion tasks and vector stores other than the configured search server are not measured by flow.',
  replies: { 200: StorageReport },
  errors: ['FORBIDDEN', 'STORAGE_ERROR', 'DATABASE_UNAVAILABLE'],
  handler: (context) => {
    requireAdmin(context, 'see what is stored');
    return context.services.storageUsage.measure();
  },
});
