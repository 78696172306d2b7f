import type { Config } from '../../model/config';
import { connectSearch } from '../search/connection';
import { readConfiguredTarget } from '../search/search';
import type { ObjectStore } from '../storage/object-store-port';

/** A place outside the database where an installation stores its identity. */
export interface Mark {
  /** Description of the place, with its address. */
  readonly place: string;
  /** The stored identity; undefined when there is none. */
  read(): Promise<string | undefined>;
  write(identity: string): Promise<void>;
  /** True when the place contains no data of an installation. */
  isEmpty(): Promise<boolean>;
}

const key = 'installation.json';

/** The mark in the store: an object next to the tables. */
export function createStoreMark(config: Config, store: ObjectStore): Mark {
  return {
    place:
      config.DOCLOOM_STORAGE === 's3'
        ? `the store s3://${config.DOCLOOM_S3_BUCKET}/${config.DOCLOOM_S3_PREFIX}`
        : `the store in ${config.DOCLOOM_DATA}`,
    async read() {
      if (!(await store.exists(key))) return undefined;
      const { identity } = JSON.parse(Buffer.from(await store.get(key)).toString('utf8')) as { identity?: string };
      return identity;
    },
    write: (identity) => store.put(key, Buffer.from(`${JSON.stringify({ identity })}\n`)),
    async isEmpty() {
      for await (const storedKey of store.list('')) if (storedKey !== key) return false;
      return true;
    },
  };
}

/** All installations that share a search server use this index, with one document per read alias. Flows cannot name it. */
const index = '.docloom-installations';
const timeoutMs = 10_000;

/** The mark on the search server, one per read alias (SEARCH_DEFAULT_INDEX). `close` closes the connection. */
export function createIndexMark(config: Config): Mark & { close(): Promise<void> } {
  const target = readConfiguredTarget(config);
  const connection = connectSearch(target);
  const alias = config.SEARCH_DEFAULT_INDEX;
  const path = `/${index}/_doc/${encodeURIComponent(alias)}`;
  return {
    place: `the index '${alias}' at ${connection.address}`,
    async read() {
      const { status, body } = await connection.send({ method: 'GET', path }, { timeoutMs, accept: [404] });
      return status === 404 ? undefined : (body as { _source?: { identity?: string } })._source?.identity;
    },
    async write(identity) {
      await connection.send({ method: 'PUT', path: `/${index}`, body: indexSettings }, { timeoutMs, accept: [400] });
      await connection.send({ method: 'PUT', path, body: { identity, alias } }, { timeoutMs });
    },
    isEmpty: async () => true,
    close: () => connection.close(),
  };
}

const indexSettings = {
  settings: { index: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true } },
  mappings: { dynamic: false, properties: {} },
};
