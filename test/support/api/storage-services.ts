import type { ApiServices } from '../../../api/services';

/** Nothing is stored. */
export function memoryStorageUsage(clock: () => Date): Pick<ApiServices, 'storageUsage'> {
  const nothing = { database_bytes: 1, files: [], indexes: [], flows: [], projects: [] };
  return {
    storageUsage: { measure: async () => ({ measured_at: clock().toISOString(), is_complete: true, ...nothing }) },
  };
}
