import type { Attributes } from '../core/value';

/** Types of fields; `model` is another class of the template. */
export const fieldTypes = [
  'str',
  'int',
  'float',
  'bool',
  'decimal',
  'date',
  'datetime',
  'time',
  'uuid',
  'bytes',
  'path',
  'any',
  'model',
] as const;

export type FieldType = (typeof fieldTypes)[number];

/** One field of a class, in declaration order. */
export interface TemplateField {
  name: string;
  type: FieldType;
  isList: boolean;
  isRequired: boolean;
  /** A Python dict, tuple or set. Its content is kept unchanged and does not become nodes. */
  container?: AnnotatedContainer;
  /** The class of the value when `type` is `model`. */
  model?: string;
  /** The label of the edge to an entity; defaults to the name of the field. */
  edgeLabel?: string;
  /** The label of an edge from the entity back to its owner; no such edge when absent. */
  reverseLabel?: string;
  /** Entities referenced only by such fields are catalogue entries, not facts. */
  isClosedCatalog?: boolean;
  /** Refers to an entity by its id fields only. The contract `dense` does not look for such entities. */
  isReference?: boolean;
  description?: string;
  examples?: string[];
  /** Other words for it in documents. Only the backend `rules` uses them. */
  labels?: string[];
  /** The allowed values, with the name of the enumeration if the template has one. */
  choices?: { name?: string; values: string[] };
}

/** A class of a template: an entity becomes a node, a component stays inside its owner. */
export interface TemplateClass {
  name: string;
  isEntity: boolean;
  /** The fields that identify an instance; empty means all scalar fields. */
  idFields: string[];
  maxInstances?: number;
  /**
   * In a graph of several documents, each document has separate instances, because the identity means nothing outside of it.
   */
  isDocumentScoped?: boolean;
  description?: string;
  fields: TemplateField[];
}

/** A validated template: all referenced classes and id fields exist. */
export interface GraphTemplate {
  root: string;
  classes: Map<string, TemplateClass>;
  /** The JSON Schema of the root, from which the schema hash is computed. */
  schema: Attributes;
}

/** `items` holds the value types: one for all, or one per position of a tuple. */
export interface AnnotatedContainer {
  kind: 'dict' | 'tuple' | 'set';
  items: AnnotatedType[];
}

/** A parsed Python type annotation: `Optional[datetime.date]`, `List[str]`, `Dict[str, Decimal]`, `<enum 'Kind'>`. */
export interface AnnotatedType {
  type: FieldType;
  isList: boolean;
  /** A dict, tuple or set. Models inside do not become nodes. */
  container?: AnnotatedContainer;
  /** The name of an enumeration or class that is not a known type. */
  name?: string;
}
