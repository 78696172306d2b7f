import { listConnectionNames, findUsableConnection } from '../../model/connection/connection';
import type { ServiceDirectory } from '../../model/identity/directory';
import { listDirectorySecrets } from '../../model/source/list';
import { ingestSource } from '../../operators/ingest_source/schema';
import type { SourceDirectory, SyncDeps } from '../../services/identity/maps';
import { readSystemAccounts } from '../../services/identity/system-accounts';
import { resolveSecrets } from '../../services/run/secrets';
import type { ActivityDeps } from '../deps';

type Deps = Pick<ActivityDeps, 'connections' | 'directories' | 'env'>;

/** Where the accounts of identity maps come from, as a worker reads them. */
export function openDirectories(
  deps: Deps,
  signal: AbortSignal,
): Pick<SyncDeps, 'readSystem' | 'readSource' | 'readLdap'> {
  return {
    readSystem: readSystemAccounts,
    readSource: (source, by) => readService(deps, source, { by, signal }),
    readLdap: (settings) => deps.directories.readLdap(settings),
  };
}

/**
 * Opens the secrets for the administrator who wrote the map: own connections, and shared ones for their name or for
 * everybody. Groups do not count, because the groups of an earlier login may be outdated.
 */
async function readService(
  { connections, directories, env }: Deps,
  config: ServiceDirectory,
  { by, signal }: { by: string; signal: AbortSignal },
): Promise<SourceDirectory> {
  const people = [{ username: by, groups: [] }];
  const names = listConnectionNames(config);
  const opened = names.length > 0 && connections ? await connections.open(names, people) : [];
  const resolved = resolveSecrets(config, env, {
    schema: ingestSource.config,
    ...listDirectorySecrets(config),
    findConnection: (name) => findUsableConnection(opened, name, people),
  });
  return await directories.readDirectory(resolved, signal);
}
