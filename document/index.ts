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
export { documentFromJson, documentToJson, type JsonOptions } from './json/json';
export { documentToJsonPieces } from './json/pieces';
export {
  type MarkdownBlock,
  markdownBlocks,
  type MarkdownOptions,
  toMarkdown,
  toMarkdownPages,
} from './write/markdown';
export {
  type BoundingBox,
  type ContentLayer,
  type DoclingDocument,
  type DocumentOrigin,
  documentVersion,
  type Formatting,
  type FormItem,
  type GroupItem,
  type ImageRef,
  type KeyValueItem,
  type NodeItem,
  type PageItem,
  type PictureItem,
  type Provenance,
  type Ref,
  type TableCell,
  type TableData,
  type TableItem,
  type TextItem,
  type TextLabel,
} from './model';
export { type MarkdownSpan, toMarkdownWithSpans } from './pages';
export { DoclingDocumentSchema } from './schema';
export { childrenOf, isGraph, isGroup, isPicture, isTable, isText, nodeAt } from './tree';
export { toText } from './write/text';
export { toVtt } from './write/vtt';
export { documentToYamlPieces } from './write/yaml';
export { checkTree, maxTreeDepth, treeProblems } from './validate';
