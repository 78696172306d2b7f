/** The public surface of `docloom/graph`. */
export { asGraphAppError } from './app-error';
export { buildGraph, type BuildOptions } from './build/build';
export {
  ConfigurationError,
  errorText,
  ExtractionError,
  GraphLibraryError,
  PipelineError,
  ValueError,
} from './core/errors';
export { type ChunkExtract, extractChunk, type ModelExtraction } from './extract/model';
export { type ExportFacts, exportTexts, statisticsText, type TextFormat, textFormats } from './write/export-texts';
export { type PagePicture, pagePictures } from './extract/pictures';
export { extractWithRules } from './extract/rules';
export { type Checkpoints as FinishedWork, checkpointKey as workKey } from './ask/checkpoints';
export { fitAnswer, type Fitted } from './extract/fit-answer';
export { consolidate } from './extract/consolidate';
export { canonicalText, nodeId, type Profile, schemaHash } from './core/identity';
export {
  databaseRows,
  databaseRowsOfStream,
  type DatabaseEdge,
  type DatabaseNode,
  type DatabaseValue,
} from './write/database-rows';
export { describeStream, type StreamReport } from './stream/describe-stream';
export { type GraphStream, streamOfFile, streamOfGraph } from './stream/graph-stream';
export { type GraphSample, sampleGraph, sampleStream } from './stream/sample';
export { streamCypher, streamEdgesCsv, streamedFormats, streamJson, streamNodesCsv } from './stream/write';
export { diffGraphs, type EdgeName, type GraphDiff } from './merge/diff';
export { type AnyGraph, fromGraphology, toGraphology } from './core/graphology';
export { graphHtml, mostShown, sampleHtml } from './write/html';
export { jsonText, parseJsonText } from './core/json-text';
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
} from './core/knowledge-graph';
export { ledgerDocumentId, ledgerFrom } from './provenance/ledger';
export { chatModel, type ChatQuestion } from './ask/chat-model';
export type { LanguageModel, ModelAnswer, ModelRequest } from './ask/language-model';
export { mergeGraphs, type MergeOptions } from './merge/merge';
export type { AliasStub, MergeInput, MergeReport, MergeSource } from './merge/report';
export { MergePolicy } from './merge/policy';
export { type PipelineContext, type PipelineInput, runPipeline } from './pipeline';
export { PipelineOptions } from './pipeline-options';
export { bindProvenance, contentHash, type Evidence } from './provenance/provenance';
export { exportFiles, graphFromJson, graphFromObject, type ReadOptions, refuseLossyExport } from './write/read-json';
export { type ExtractionFacts, graphReport, type ReportOptions } from './write/report';
export { type ChunkOptions, chunksOf, pageChunks, type SourceChunk, wholeChunk } from './ask/source-chunks';
export { atPeerStage } from './stage';
export { type GraphStatistics, graphStatistics } from './core/statistics';
export { reachableClasses, TemplateFile, templateProblems } from './template/template';
export { templateFromAny as templateFrom } from './template/template-or-zod';
export type { GraphTemplate, TemplateClass, TemplateField } from './template/model';
export { describeTemplate } from './template/describe';
export { templateOfClass } from './template/from-class';
export { templateFromText, templateToFile, templateToYaml } from './template/file';
export { templateFromInstance } from './extract/template-instance';
export { improveTemplate } from './extract/template-model';
export { kindOf } from './extract/template-names';
export { templateFromSample, templateFromSamples, type TemplateSample } from './extract/template-sample';
export { component, decimal, entity, type EntityOptions, relation, type RelationOptions } from './template/zod';
export { graphProblems } from './core/validate';
export { type PictureQuestion, visionModel } from './ask/vision-model';
export { asPython, type Attributes, floatValue, type GraphValue, isRecord, TypedValue } from './core/value';
export { writeEdgesCsv, writeNodesCsv } from './write/csv';
export { type CypherOptions, writeCypher } from './write/cypher';
export { type SerializedGraph, serializeGraph, writeJson, type WriteOptions } from './write/json';
export { type RdfOptions, writeJsonLd, writeTurtle } from './write/rdf';
export { writeGexf, writeGraphml } from './write/xml';
