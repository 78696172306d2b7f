/** The public surface of `docloom/graph`. */
export { asGraphAppError } from './app-error';
export { buildGraph, type BuildOptions } from './build';
export { ConfigurationError, errorText, ExtractionError, GraphLibraryError, PipelineError, ValueError } from './errors';
export { type ChunkExtract, extractChunk, type ModelExtraction } from './extract-model';
export { type ExportFacts, exportTexts, statisticsText, type TextFormat, textFormats } from './export-texts';
export { type PagePicture, pagePictures } from './extract-pictures';
export { extractWithRules } from './extract-rules';
export { type FinishedWork, workKey } from './finished-work';
export { fitAnswer, type Fitted } from './fit-answer';
export { consolidate } from './consolidate';
export { canonicalText, nodeId, type Profile, schemaHash } from './identity';
export { databaseRows, type DatabaseEdge, type DatabaseNode, type DatabaseValue } from './database-rows';
export { diffGraphs, type EdgeName, type GraphDiff } from './diff';
export { type AnyGraph, fromGraphology, toGraphology } from './graphology';
export { graphHtml } from './html';
export { jsonText, parseJsonText } from './json-text';
export {
  addEdge,
  addNode,
  copyGraph,
  createGraph,
  edgesOf,
  type GraphEdge,
  type KnowledgeGraph,
  type NodeKey,
  removeNode,
  simpleGraph,
} from './knowledge-graph';
export { ledgerDocumentId, ledgerFrom } from './ledger';
export { chatModel, type ChatQuestion } from './chat-model';
export type { LanguageModel, ModelAnswer, ModelRequest } from './language-model';
export { mergeGraphs, type MergeOptions } from './merge';
export { type AliasStub, type MergeInput, MergePolicy, type MergeReport, type MergeSource } from './merge-report';
export { type PipelineContext, type PipelineInput, runPipeline } from './pipeline';
export { PipelineOptions } from './pipeline-options';
export { bindProvenance, contentHash, type Evidence } from './provenance';
export { exportFiles, graphFromJson, graphFromObject, type ReadOptions, refuseLossyExport } from './read-json';
export { type ExtractionFacts, graphReport, type ReportOptions } from './report';
export { type ChunkOptions, chunksOf, pageChunks, type SourceChunk, wholeChunk } from './source-chunks';
export { atPeerStage } from './stage';
export { type GraphStatistics, graphStatistics } from './statistics';
export {
  type GraphTemplate,
  reachableClasses,
  type TemplateClass,
  type TemplateField,
  TemplateFile,
  templateFrom,
  templateProblems,
} from './template';
export { describeTemplate } from './template-describe';
export { templateFromText, templateToFile, templateToYaml } from './template-file';
export { templateFromInstance, templateFromSample } from './template-sample';
export { component, decimal, entity, type EntityOptions, relation, type RelationOptions } from './template-zod';
export { graphProblems } from './validate';
export { type PictureQuestion, visionModel } from './vision-model';
export { asPython, type Attributes, floatValue, type GraphValue, isRecord, TypedValue } from './value';
export { writeEdgesCsv, writeNodesCsv } from './write-csv';
export { type CypherOptions, writeCypher } from './write-cypher';
export { type SerializedGraph, serializeGraph, writeJson, type WriteOptions } from './write-json';
export { type RdfOptions, writeJsonLd, writeTurtle } from './write-rdf';
export { writeGexf, writeGraphml } from './write-xml';
