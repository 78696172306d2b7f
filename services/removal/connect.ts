import type { Config } from '../../model/config';
import type { DocumentSetsStore } from '../document-set/document-sets-store';
import { createEmbeddingCache } from '../embedding/embedding-cache';
import { createExportClaims } from '../export/claims';
import { createCorpusStore } from '../graph/corpus-store';
import type { Graphs } from '../graph/graphs';
import { createGraphStore } from '../graph/store';
import type { Ledger } from '../run/ledger';
import type { RunsStore } from '../run/run-record';
import { createTombstones } from '../run/tombstones';
import type { IndexInspector } from '../search/index';
import type { Search } from '../search/ports';
import { createFiles } from '../storage/files';
import type { Mongo } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import type { TablesStore } from '../table/tables';
import { createRemovalRecords } from './records';
import { createRemovals, type Removals } from './removals';
import { createRemovalSteps, type StepDeps } from './steps';

/** Removals over the stores of this process. Nothing is contacted yet. */
export function connectRemovals(input: {
  config: Config;
  mongo: Mongo;
  store: ObjectStore;
  search: Search & IndexInspector;
  tables: TablesStore;
  ledger: Ledger;
  failures: StepDeps['failures'];
  reviews: StepDeps['reviews'];
  catalogue: StepDeps['catalogue'];
  documentSets: DocumentSetsStore;
  graphs: Pick<Graphs, 'remove'>;
  runsStore: RunsStore;
  removeElsewhere?: StepDeps['removeElsewhere'];
  removeExported?: StepDeps['removeExported'];
  flowStores: StepDeps['flowStores'];
}): Removals {
  const { config, mongo, store, search, tables, documentSets, runsStore, removeElsewhere, removeExported } = input;
  const graphStore = createGraphStore(mongo);
  return createRemovals({
    records: createRemovalRecords(mongo),
    tombstones: createTombstones(mongo),
    ledger: input.ledger,
    runs: runsStore,
    steps: createRemovalSteps({
      search,
      catalogue: input.catalogue,
      ...(removeElsewhere ? { removeElsewhere } : {}),
      ...(removeExported ? { removeExported } : {}),
      claims: createExportClaims(mongo),
      documentSets,
      tables,
      files: createFiles({ store }),
      graphs: {
        listIdsByDocuments: (ids) => graphStore.listIdsByDocuments(ids),
        remove: (id) => input.graphs.remove(id),
        forget: (ids) => createCorpusStore(mongo).forget(ids),
      },
      cache: createEmbeddingCache(mongo, config.DOCLOOM_EMBEDDING_CACHE_DAYS),
      failures: input.failures,
      reviews: input.reviews,
      runs: runsStore,
      flowStores: input.flowStores,
    }),
  });
}
