import type { ConnectionsStore } from '../../services/connection/store';
import type { DocumentSetsStore } from '../../services/document-set/document-sets-store';
import type { GraphBuilder } from '../../services/graph/builder';
import type { CorpusStore } from '../../services/graph/corpus-store';
import type { Graphs } from '../../services/graph/graphs';
import type { GraphStore } from '../../services/graph/store';
import type { Llm } from '../../services/llm/ports';
import type { Vision } from '../../services/llm/vision';
import type { FilesStore } from '../../services/storage/files';

/** Dependencies of the activities of graphs. */
export interface GraphDeps {
  store: GraphStore;
  files: FilesStore;
  llm: Pick<Llm, 'chat'>;
  vision: Pick<Vision, 'ask'>;
  /** Host of the vision models when a request names no address. */
  localModelHost: string;
  builder: GraphBuilder;
  /** The environment of the worker. Secret references are resolved only here. */
  env: Record<string, string | undefined>;
  /** Opens the secrets that requests name as `${connection:NAME}`. */
  connections?: Pick<ConnectionsStore, 'open'>;
  /** Creates the graphs that flows name, and starts updates of graphs that follow their sets. */
  updates: Pick<Graphs, 'updateAfterRun' | 'followFlow'>;
  /** The facts of corpus graphs, and the document sets that they are built from. */
  corpora: CorpusStore;
  documentSets: Pick<DocumentSetsStore, 'get' | 'listColumns' | 'readAll' | 'findReadableDocuments'>;
}
