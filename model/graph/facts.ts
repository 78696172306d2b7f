/** A passage of a document that supports a fact. */
export interface FactPassage {
  /** Index among the chunks that were read. */
  chunk: number;
  page?: number;
  text: string;
}

/** The description of a node in one document. */
export interface NodeFact {
  node: string;
  label: string;
  documentId: string;
  /** JSON text, which keeps all digits of numbers. */
  attributes: string;
  passages: FactPassage[];
  /** Keys by which the node is found: `property=` and `property=value` in lower case. */
  keys: string[];
  /** The values in lower case, for searching. */
  text: string;
  /** The words of the values, by which questions find the node. */
  words?: string[];
  /** Keys under which nodes of a class are compared with each other. */
  blocks?: string[];
  /** Its own id, where nodes that mean the same thing are shown as one. */
  member?: string;
}

/** A relation between two nodes that one document states. */
export interface EdgeFact {
  source: string;
  target: string;
  label: string;
  documentId: string;
  attributes: string;
  passages: FactPassage[];
}

/** The facts of one document. They depend only on it and the template, so documents can be added and removed independently. */
export interface Contribution {
  nodes: NodeFact[];
  edges: EdgeFact[];
}

/** Conditions for nodes; all of them must hold within one document. */
export interface NodeCondition {
  label?: string;
  /** One of the node's `keys`. */
  key?: string;
  /** Occurs in the node's `text`. */
  text?: string;
  /** One of the node's `blocks`. */
  block?: string;
  /** One of the node's `words`. */
  word?: string;
}

/** Selects relations of nodes. `limit` is the maximum number of facts to read. */
export interface EdgeQuery {
  direction: 'in' | 'out';
  label?: string;
  limit: number;
}

/** The facts of a graph that one reader may see: those supported by a document that the reader may read. */
export interface GraphView {
  /** All facts about these nodes. */
  nodes(ids: readonly string[]): Promise<NodeFact[]>;
  /** Relations that begin (`out`) or end (`in`) at these nodes. `isCut` is true if there are more than `limit`. */
  edges(ids: readonly string[], query: EdgeQuery): Promise<{ facts: EdgeFact[]; isCut: boolean }>;
  /** Ids of up to `limit` matching nodes that follow `after`, in order of id. */
  find(condition: NodeCondition, page: { after: string; limit: number }): Promise<string[]>;
}
