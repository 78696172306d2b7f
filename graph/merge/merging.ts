import type { Profile } from '../core/identity';
import type { KnowledgeGraph } from '../core/knowledge-graph';
import type { Attributes } from '../core/value';
import type { IdFields } from './identity';
import type { MergePolicy } from './policy';
import type { MergeReport } from './report';

/** An input graph whose nodes may be renamed. */
export interface Part {
  index: number;
  graph: KnowledgeGraph;
  source: string;
  documentId: string;
  ledger?: Attributes;
}

/** State shared by the steps of a merge. */
export interface Merging {
  parts: Part[];
  idFields: IdFields;
  policy: MergePolicy;
  profile: Profile;
  report: MergeReport;
}
