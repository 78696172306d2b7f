export { ApiError } from './api-error';
export { type ClientOptions, etagOf } from './http';
export type { ConnectionMethods } from './connections';
export type { IdentityMethods } from './identities';
export type { AccessSyncReply, AccessSyncState } from '../model/identity/wire-sync';
export type { IdentityMapInput, IdentityMapReply, IdentityReply } from '../model/identity/map';
export type { DestinationCheckReply, DestinationRightReply } from '../model/export/wire-check';
export type { SourceMethods } from './sources';
export type { SourceCheckReply, SourceRightReply } from '../model/source/wire';
export type { ColumnChoice, DocumentSetMethods } from './document-sets';
export type { AuditFilters, Readiness, ServerMethods } from './server';
export type { SessionReply } from '../model/login/wire-sessions';
export type { Overview } from '../model/run/wire-overview';
export type { StorageReport } from '../model/storage/wire';
export type { AuditEntry } from '../model/audit/entry';
export type {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyReply,
  ServiceAccountCreate,
  ServiceAccountReply,
} from '../model/login/wire-keys';
export type { ConnectionCreate, ConnectionReply } from '../model/connection/wire';
export type { ConnectionCheckReply } from '../model/connection/wire-check';
export type { ProviderModels } from '../model/llm/wire';
export type { WebhookCreate, WebhookDelivery, WebhookReply } from '../model/webhook/wire';
export type { RunLogEntry, RunLogPage } from '../model/run/wire-log';
export type { WaitOptions } from './wait';
export type { UploadedFile, UploadOptions } from './upload';
export type { GraphMethods, GraphRequestOptions } from './graphs';
export {
  type Client,
  type Conditional,
  createClient,
  type FlowFilters,
  type Paging,
  type ResourceFilters,
  type RunDetails,
  type RunFilters,
} from './client';
export {
  type ChunkRequest,
  type ConversionClient,
  type ConversionFile,
  type ConversionOutcome,
  type ConversionRequest,
  createConversionClient,
} from './conversion';
export type { ConversionClientOptions } from './conversion-http';
export type { ConvertOptions } from '../model/conversion/request/options';
export type { ChunkResult, ConvertResult, PresignedResult, RemoteResult } from '../model/conversion/task/result';
export type { ListedTask, TaskDescriptor, TaskPage, TaskState } from '../model/conversion/task/task';
export type { FlowDefinition } from '../model/flow/flow';
export type { KnownName, KnownNames } from '../model/login/wire-names';
export type { ProviderList, TokenReply, UserInfo } from '../model/login/wire';
export type {
  DocumentLibraryCreate,
  DocumentLibraryPage,
  DocumentLibraryPatch,
  DocumentLibraryReply,
  LibrarySetPage,
  LibrarySetReply,
} from '../model/document-set/wire-libraries';
export type {
  DocumentSetCreate,
  DocumentSetPage,
  DocumentSetPatch,
  DocumentSetPreview,
  DocumentSetReply,
} from '../model/document-set/wire';
export type { LibraryFile, LibraryFilePage, Upload, UploadCreate } from '../model/document-set/wire-files';
export { type FailedDocumentMethods, type FailureFilters, failedPageImagePath, failedPath } from './failed-documents';
export { type AnswerEvent, documentHtmlPath, type DocumentMethods, pageImagePath } from './documents';
export type { DocumentReply, SearchReply, SearchRequestBody, SuggestReply } from '../model/search/wire';
export type {
  JudgedQuery,
  JudgedQueryPage,
  Judgement,
  SearchMeasurement,
  SearchMeasurements,
} from '../model/search/wire-judged';
export type { SearchOptions } from '../model/search/wire-options';
export type { SavedSearchBody, SavedSearchPage, SavedSearchReply } from '../model/search/wire-saved';
export type { AnswerEndEvent, AnswerSentence, AskBody } from '../model/search/wire-ask';
export type {
  AccessExplanation,
  DocumentLife,
  ExplainReply,
  ExplainRequest,
  SearchAsReply,
  SearchAsRequest,
} from '../model/search/wire-access';
export type { DocumentFacts } from '../model/search/wire-document-facts';
export type { DocumentPage, DocumentPages } from '../model/search/wire-pages';
export type { RemovalPage, RemovalReply } from '../model/removal/wire';
export type { IndexPage, IndexPatch, IndexReply } from '../model/search/wire-indexes';
export type { ErrorEntry } from '../model/wire-errors';
export type {
  FlowAlertReply,
  FlowCreate,
  FlowPage,
  FlowPatch,
  FlowReplace,
  FlowReply,
  FlowsDeleted,
  ValidationReply,
} from '../model/flow/wire-flows';
export type { FlowVersionDifference, FlowVersionPage, FlowVersionReply } from '../model/flow/version/wire';
export type { FlowVersionMethods } from './flow-versions';
export type { GraphFormat, GraphState } from '../model/graph/graph-build';
export type { PairDecider, PairReason, PairState, ResolutionMode } from '../model/graph/pairs';
export type { BulkReply } from '../model/wire-bulk';
export type { GraphTemplateDraft, GraphTemplateRequest, GraphTemplates } from '../model/graph/wire-templates';
export type { GraphDocument, GraphDocuments } from '../model/graph/wire-documents';
export type { GraphDecided, GraphDecisions, GraphPair, GraphPairs } from '../model/graph/wire-pairs';
export type {
  GraphChange,
  GraphCorpus,
  GraphCreate,
  GraphOptions,
  GraphPage,
  GraphReply,
  GraphUpdate,
} from '../model/graph/wire';
export type {
  GraphEdge,
  GraphNeighbours,
  GraphNode,
  GraphNodes,
  GraphPassages,
  GraphPaths,
  GraphStatistics,
} from '../model/graph/wire-facts';
export type {
  FlowSnapshot,
  JobRunAccepted,
  JobRunCreate,
  JobRunItem,
  JobRunList,
  JobRunReply,
  JobRunRerun,
  OperatorReport,
  RunEvent,
  RunProgressReply,
} from '../model/run/wire';
export type { RunComparison } from '../model/run/wire-compare';
export type { JobRunControls } from '../model/run/wire-controls';
export type { StepRowPage } from '../model/run/wire-rows';
export type { RunDocumentPage, RunDocumentReply } from '../model/run/wire-documents';
export type {
  FailedDocumentChoice,
  FailedDocumentGroups,
  FailedDocumentDetail,
  FailedDocumentPage,
  FailedDocumentReply,
  FailedDocumentsChanged,
  FailedDocumentsRetried,
} from '../model/run/wire-failures';
export type { ReviewCorrected, ReviewCorrection, ReviewPage, ReviewReply } from '../model/review/wire';
export type { ElyraFlowCreate, ElyraFlowReply } from '../model/elyra/wire';
export type {
  JobRunSummary,
  ProjectCreate,
  ProjectFlow,
  ProjectFlowPage,
  ProjectPage,
  ProjectPatch,
  ProjectReplace,
  ProjectReply,
} from '../model/flow/wire-projects';
export type { OperatorCatalogue, OperatorMetadata } from '../model/flow/wire-operators';
export type { ScheduleCreate, ScheduleList, ScheduleReply } from '../model/flow/wire-schedules';
