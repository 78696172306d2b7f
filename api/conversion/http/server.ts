import { readFile } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { Ok } from './reply-schemas';
import { RequestError } from './request-error';
import { defineConversionRoute } from './route';

const tags = ['health'];
const ok = { json: { status: 'ok' } };
const alive = { method: 'GET' as const, tags, needsKey: false, isHidden: true, replies: { 'application/json': Ok } };

export const readyz = defineConversionRoute({
  ...alive,
  path: '/readyz',
  summary: 'Whether all required servers can be reached.',
  refusals: [503],
  handler: async ({ unready }) => {
    const reason = await unready();
    if (reason !== undefined) throw new RequestError(503, reason);
    return ok;
  },
});

export const livez = defineConversionRoute({
  ...alive,
  path: '/livez',
  summary: 'Whether the process is alive.',
  refusals: [],
  handler: () => ok,
});

export const apiProbe = defineConversionRoute({
  ...alive,
  path: '/api',
  summary: 'The same as /livez, at an address that some platforms probe.',
  refusals: [],
  handler: () => ok,
});

export const version = defineConversionRoute({
  method: 'GET',
  path: '/version',
  summary: 'Versions of the server, under the names that clients expect.',
  tags,
  needsKey: false,
  replies: { 'application/json': Type.Record(Type.String(), Type.String()) },
  refusals: [403],
  handler: ({ settings, options }) => {
    if (!settings.showVersions)
      throw new RequestError(403, 'Forbidden. The server is configured for not showing version details.');
    const serverName = `docloom ${options.version}`;
    return {
      json: {
        docloom: options.version,
        'docling-serve': serverName,
        'docling-jobkit': serverName,
        docling: serverName,
        'docling-core': serverName,
        'docling-ibm-models': 'none',
        'docling-parse': serverName,
        python: `none (node ${process.versions.node})`,
        // Misspelled as in the protocol, like the refusal below.
        plaform: `${process.platform}-${process.arch}`,
      },
    };
  },
});

const managed = { method: 'GET' as const, tags: ['management'], needsKey: false, refusals: [403] };
const numbers = Type.Record(Type.String(), Type.Unknown());

function refuseUnlessManaged(isAllowed: boolean): void {
  if (!isAllowed)
    throw new RequestError(403, 'Forbidden. The server is configured for not showing internal managament details.');
}

export const memoryStats = defineConversionRoute({
  ...managed,
  path: '/v1/memory/stats',
  summary: 'Memory of the process in MiB.',
  replies: { 'application/json': numbers },
  handler: async ({ settings }) => {
    refuseUnlessManaged(settings.managementEndpoints);
    const { rss } = process.memoryUsage();
    const group = await readCgroupBytes();
    const toMebibytes = (bytes: number) => bytes / (1024 * 1024);
    return {
      json: {
        rss: toMebibytes(rss),
        anon: toMebibytes(group['anon'] ?? rss),
        file: toMebibytes(group['file'] ?? 0),
        slab: toMebibytes(group['slab'] ?? 0),
        cgroup_total: toMebibytes(group['total'] ?? rss),
      },
    };
  },
});

export const memoryCounts = defineConversionRoute({
  ...managed,
  path: '/v1/memory/counts',
  summary: 'Object counts of the process, in terms of Node.js.',
  replies: { 'application/json': numbers },
  handler: ({ settings }) => {
    refuseUnlessManaged(settings.managementEndpoints);
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    const resources = process.getActiveResourcesInfo();
    const byType = new Map<string, number>();
    for (const type of resources) byType.set(type, (byType.get(type) ?? 0) + 1);
    const top = [...byType].sort(([, one], [, other]) => other - one).slice(0, 20);
    return {
      json: {
        gc: { counts: [heapUsed, external, arrayBuffers], threshold: [heapTotal, 0, 0] },
        objects: { total: resources.length },
        asyncio: { all_tasks: resources.length, pending_tasks: resources.length },
        top_types: top.map(([type, count]) => ({ type, count })),
      },
    };
  },
});

/** Memory figures of the container by name, in bytes; empty outside of a container. */
async function readCgroupBytes(): Promise<Record<string, number | undefined>> {
  try {
    const [stat, total] = await Promise.all([
      readFile('/sys/fs/cgroup/memory.stat', 'utf8'),
      readFile('/sys/fs/cgroup/memory.current', 'utf8'),
    ]);
    const lines = stat.split('\n').map((line) => line.split(' '));
    const figures = Object.fromEntries(lines.map(([name = '', bytes = '0']) => [name, Number(bytes)]));
    return { ...figures, total: Number(total) };
  } catch {
    return {};
  }
}
