import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { findInstallation, install } from '../../embedded/install';
import { readCacheFolder } from '../../embedded/paths';
import { type ServerProcess, startProcess } from '../../embedded/server-process';
import { opensearch } from '../../embedded/servers/opensearch';
import { freePort } from '../support/servers/free-port';
import { until } from '../support/system/system';

/** A node of a cluster. */
export interface SearchNode {
  name: string;
  port: number;
  process: ServerProcess;
}

/** Starts OpenSearch as a cluster of nodes on this machine, and waits until each has joined. */
export async function startSearchCluster(dataDir: string, count: number): Promise<SearchNode[]> {
  const context = { dataDir, cacheDir: readCacheFolder(process.env), env: process.env, log: () => undefined };
  const installation = findInstallation(opensearch, context) ?? (await install(opensearch, context));
  const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`);
  const places = await Promise.all(
    names.map(async (name) => ({ name, main: await freePort(), transport: await freePort() })),
  );
  const nodes: SearchNode[] = [];
  for (const { name, main, transport } of places) {
    const folder = path.join(dataDir, name);
    const launch = await opensearch.launch(installation, { main, transport }, { ...context, dataDir: folder });
    const file = path.join(folder, 'opensearch', 'config', 'opensearch.yml');
    const single = readFileSync(file, 'utf8').replace(/^(?:discovery\.type|node\.name): .*\n/gm, '');
    const members = {
      'node.name': name,
      'discovery.seed_hosts': places.map((place) => `127.0.0.1:${place.transport}`),
      'cluster.initial_cluster_manager_nodes': names,
    };
    writeFileSync(file, single + stringify(members));
    nodes.push({ name, port: main, process: await startProcess(name, launch, folder) });
  }
  const joined = async () => {
    const health = await askNode<{ number_of_nodes: number }>(nodes[0]?.port ?? 0, '/_cluster/health');
    return health?.number_of_nodes === count;
  };
  await until('all nodes have joined the cluster', joined, 120_000);
  return nodes;
}

/** The JSON answer of a node; undefined while it cannot answer. */
export async function askNode<T>(port: number, address: string): Promise<T | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${address}`, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}
