/** Public API of `docloom/document`. */
export { createDocument, type DocumentBuilder, type Placement } from './builder';
export {
  boxesOf,
  type ChunkDocumentOptions,
  chunkHierarchically,
  chunkRecord,
  type ChunkRecord,
  type ChunkRecordFacts,
  contextualize,
  type DocumentChunk,
  itemsOf,
  pagesOf,
} from './chunk/hierarchical';
export { chunkHybrid, type HybridChunk, type HybridOptions } from './chunk/hybrid';
export { type ChunkTextOptions, chunkText, defaultSeparators, type TextChunk } from './chunk/simple';
export { toDoclang } from './write/doclang';
export { toDoctags } from './write/doctags';
export { gridOf, tableCell } from './grid';
export { type HtmlOptions, toHtml } from './write/html';
export { toHtmlPages } from './write/html-pages';
export { type LatexOptions, toLatex } from './write/latex';
export { documentFromJson } from './json/json';
export { documentToJson, type JsonOptions } from './json/write';
export { documentToJsonPieces } from './json/pieces';
export {
  type MarkdownBlock,
  markdownBlocks,
  type MarkdownOptions,
  toMarkdown,
  toMarkdownPages,
} from './write/markdown';
export type {
  BoundingBox,
  ContentLayer,
  DoclingDocument,
  DocumentOrigin,
  Formatting,
  FormItem,
  GroupItem,
  ImageRef,
  KeyValueItem,
  NodeItem,
  PageItem,
  PictureItem,
  Provenance,
  Ref,
  TableCell,
  TableData,
  TableItem,
  TextItem,
  TextLabel,
} from './model';
export { type MarkdownSpan, toMarkdownWithSpans } from './pages';
export { DoclingDocumentSchema } from './schema';
export { childrenOf, isGraph, isGroup, isPicture, isTable, isText, nodeAt } from './tree';
export { toText } from './write/text';
export { toVtt } from './write/vtt';
export { documentToYamlPieces } from './write/yaml';
export { checkTree, maxTreeDepth, treeProblems } from './validate';
export { documentVersion } from './version';
