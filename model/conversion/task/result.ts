import { type Static, Type } from '@sinclair/typebox';
import { artifactTypes } from '../request/formats';
import { oneOf, openObject, nullable } from '../request/schema-parts';
import { errorCategories } from './task';

/** Final state of a document. */
const documentStatuses = ['success', 'partial_success', 'skipped', 'failure'] as const;
export type ResultStatus = (typeof documentStatuses)[number];

/** One problem of a document. */
export const ErrorItem = Type.Object(
  {
    component_type: oneOf(['document_backend', 'model', 'doc_assembler', 'user_input', 'pipeline']),
    module_name: Type.String(),
    error_message: Type.String(),
    category: oneOf(errorCategories),
    page_no: nullable(Type.Integer()),
  },
  { $id: 'ErrorItem' },
);
export type ErrorItem = Static<typeof ErrorItem>;

/** Time spent in a stage, one entry per run. Durations in seconds; starts as ISO 8601 in UTC with microseconds. */
const Timing = Type.Object(
  {
    scope: oneOf(['page', 'document']),
    count: Type.Integer(),
    times: Type.Array(Type.Number()),
    start_timestamps: Type.Array(Type.String()),
  },
  { $id: 'ProfilingItem' },
);
type Timing = Static<typeof Timing>;

/** Timings by name of the stage. */
export const Timings = Type.Record(Type.String(), Timing);
export type Timings = Static<typeof Timings>;

const grades = ['poor', 'fair', 'good', 'excellent', 'unspecified'] as const;

const scores = {
  parse_score: nullable(Type.Number()),
  layout_score: nullable(Type.Number()),
  table_score: nullable(Type.Number()),
  ocr_score: nullable(Type.Number()),
  mean_score: nullable(Type.Number()),
  low_score: nullable(Type.Number()),
  mean_grade: oneOf(grades),
  low_grade: oneOf(grades),
};

/** Confidence of readers and models in one page. */
const PageConfidence = Type.Object(scores, { $id: 'PageConfidenceScores' });
export type PageConfidence = Static<typeof PageConfidence>;

/**
 * Confidence of readers and models in the pages of a document; null and `unspecified` for documents without pages, such as Word
 * files.
 */
export const Confidence = Type.Object(
  {
    ...scores,
    pages: Type.Record(Type.String(), PageConfidence, { description: 'By page number; of the first 1,000.' }),
  },
  { $id: 'ConfidenceScores' },
);
export type Confidence = Static<typeof Confidence>;

/** Content of one kind that the file contains but Markdown, HTML and text do not. */
const CoverageItem = Type.Object(
  {
    kind: Type.String({ description: 'In the singular: `hidden sheet`, `note`, `embedded object`, `attachment`, …' }),
    count: Type.Integer({ minimum: 0 }),
    words: Type.Integer({ minimum: 0 }),
    in_json: Type.Boolean({ description: 'False: in no output.' }),
  },
  { $id: 'CoverageItem' },
);
export type CoverageItem = Static<typeof CoverageItem>;

/** Not every client knows it, so it is the last member. */
const coverage = {
  coverage: nullable(
    Type.Array(CoverageItem, {
      description:
        'What the file contains but Markdown, HTML and text do not, by kind; empty if nothing is left out. Null for documents that were not read.',
    }),
  ),
};

/**
 * A converted document in all of its formats. All members are present, null when not requested. Their order is part of the
 * contract.
 */
export const ExportedDocument = Type.Object(
  {
    filename: Type.String(),
    md_content: nullable(Type.String()),
    json_content: nullable(openObject({ description: 'A DoclingDocument; members that are null are included.' })),
    html_content: nullable(Type.String()),
    text_content: nullable(Type.String()),
    doctags_content: nullable(Type.String()),
    doclang_content: nullable(Type.String()),
  },
  { $id: 'ExportDocumentResponse' },
);
export type ExportedDocument = Static<typeof ExportedDocument>;

const outcome = {
  /** A finished document has one of the last four values only; all are listed for generated clients. */
  status: Type.Unsafe<ResultStatus>(oneOf(['pending', 'started', ...documentStatuses], { $id: 'ConversionStatus' })),
  errors: Type.Array(ErrorItem),
};

/** The result of converting one document. The order of members is part of the contract. */
export const ConvertResult = Type.Object(
  {
    document: ExportedDocument,
    ...outcome,
    processing_time: Type.Number({ description: 'Seconds.' }),
    timings: Timings,
    confidence: nullable(Confidence),
    ...coverage,
  },
  { $id: 'ConvertDocumentResponse' },
);
export type ConvertResult = Static<typeof ConvertResult>;

/** One chunk of a document. */
export const Chunk = Type.Object(
  {
    filename: Type.String(),
    chunk_index: Type.Integer({ description: 'Counted from 0 within its document.' }),
    text: Type.String({ description: 'Its headings, then its text.' }),
    raw_text: nullable(Type.String()),
    num_tokens: nullable(Type.Integer()),
    headings: nullable(Type.Array(Type.String())),
    captions: nullable(Type.Array(Type.String())),
    doc_items: Type.Array(Type.String({ description: 'A reference such as #/texts/1.' })),
    page_numbers: Type.Array(Type.Integer()),
    prov: Type.Array(
      openObject({ description: 'page_no, bbox and charspan of each place, as in the DoclingDocument.' }),
    ),
    metadata: nullable(
      openObject({ description: 'origin, has_image, and tokenizer if it differs from the requested one.' }),
    ),
  },
  { $id: 'ChunkedDocumentResultItem' },
);
export type Chunk = Static<typeof Chunk>;

/** A document of a chunk result. The member is named `content`, not `document`. */
const ChunkedDocument = Type.Object(
  {
    kind: Type.Literal('ExportResult'),
    content: ExportedDocument,
    ...outcome,
    timings: Timings,
    confidence: nullable(Confidence),
    ...coverage,
  },
  { $id: 'ExportResult' },
);
type ChunkedDocument = Static<typeof ChunkedDocument>;

/** The result of chunking. */
export const ChunkResult = Type.Object(
  {
    chunks: Type.Array(Chunk),
    documents: Type.Array(ChunkedDocument),
    processing_time: Type.Number({ description: 'Seconds.' }),
  },
  { $id: 'ChunkDocumentResponse' },
);
export type ChunkResult = Static<typeof ChunkResult>;

const counts = {
  processing_time: Type.Number({ description: 'Seconds.' }),
  num_converted: Type.Integer(),
  num_succeeded: Type.Integer(),
  num_partially_succeeded: Type.Integer(),
  num_failed: Type.Integer(),
};

/** The result when the files were sent to another target. */
export const RemoteResult = Type.Object(counts, { $id: 'PresignedUrlConvertDocumentResponse' });
export type RemoteResult = Static<typeof RemoteResult>;

/** A file of a document, stored in the server's bucket. */
export const Artifact = Type.Object(
  {
    artifact_type: oneOf([...artifactTypes, 'resource_bundle']),
    mime_type: Type.String(),
    uri: Type.String({ format: 'uri' }),
    url_expires_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'ArtifactRef' },
);
export type Artifact = Static<typeof Artifact>;

/** A document whose files are stored in the server's bucket. */
const DocumentArtifacts = Type.Object(
  {
    source_index: Type.Integer(),
    source_uri: Type.String(),
    filename: Type.String(),
    ...outcome,
    timings: Timings,
    artifacts: Type.Array(Artifact),
    confidence: nullable(Confidence),
    ...coverage,
  },
  { $id: 'DocumentArtifactItem' },
);
type DocumentArtifacts = Static<typeof DocumentArtifacts>;

/** The result when the files are stored in the server's bucket. */
export const PresignedResult = Type.Object(
  { ...counts, documents: Type.Array(DocumentArtifacts) },
  { $id: 'PresignedUrlConvertResponse' },
);
export type PresignedResult = Static<typeof PresignedResult>;
