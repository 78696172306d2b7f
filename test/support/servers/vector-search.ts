import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../model/config';
import type { Search } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';

/** A search over a new data folder and a new default index. Names of other indexes must match `t_*_${mark}`. */
export interface VectorSearch {
  search: Search;
  mark: string;
  /** The data folder. */
  folder: string;
  defaultIndex: string;
  /** Deletes all indexes and the folder. */
  close: () => Promise<void>;
}

export function startVectorSearch(): VectorSearch {
  const mark = randomUUID().slice(0, 8);
  const defaultIndex = `stores-${mark}`;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-stores-'));
  const config = readConfig({
    ...process.env,
    SEARCH_DEFAULT_INDEX: defaultIndex,
    DOCLOOM_DATA: folder,
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
  });
  const search = createSearch(config);
  return {
    search,
    mark,
    folder,
    defaultIndex,
    async close() {
      const server = `http://${config.SEARCH_HOST}:${config.SEARCH_PORT}`;
      const response = await fetch(`${server}/t_*_${mark}`);
      const { [defaultIndex]: _, ...indexes } = (await response.json()) as Record<string, unknown>;
      for (const name of Object.keys(indexes)) await fetch(`${server}/${name}`, { method: 'DELETE' });
      await search.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
