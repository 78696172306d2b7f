export { ApiError, type ClientOptions, etagOf } from './http';
export type { ColumnChoice, DocumentSetMethods } from './document-sets';
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
export type { ConvertOptions } from '../model/conversion/options';
export type { ChunkResult, ConvertResult, PresignedResult, RemoteResult } from '../model/conversion/result';
export type { TaskDescriptor, TaskPage, TaskState } from '../model/conversion/task';
export type { FlowDefinition } from '../model/flow';
export type { ProviderList, TokenReply, UserInfo } from '../model/wire/auth';
export type {
  DocumentLibraryCreate,
  DocumentLibraryPage,
  DocumentLibraryPatch,
  DocumentLibraryReply,
  LibrarySetPage,
  LibrarySetReply,
} from '../model/wire/document-libraries';
export type {
  DocumentSetCreate,
  DocumentSetPage,
  DocumentSetPatch,
  DocumentSetPreview,
  DocumentSetReply,
} from '../model/wire/document-sets';
export type { DocumentReply, SearchReply, SearchRequestBody } from '../model/wire/documents';
export type { ErrorEntry } from '../model/wire/errors';
export type {
  FlowAlertReply,
  FlowCreate,
  FlowPage,
  FlowPatch,
  FlowReplace,
  FlowReply,
  FlowsDeleted,
  ValidationReply,
} from '../model/wire/flows';
export type { GraphFormat, GraphState } from '../model/graph-build';
export type { GraphCreate, GraphOptions, GraphPage, GraphReply } from '../model/wire/graphs';
export type {
  FlowSnapshot,
  JobRunAccepted,
  JobRunCreate,
  JobRunItem,
  JobRunList,
  JobRunReply,
  JobRunRerun,
  OperatorReport,
  RunDocumentPage,
  RunDocumentReply,
  RunEvent,
  RunProgressReply,
} from '../model/wire/job-runs';
export type { ElyraFlowCreate, ElyraFlowReply } from '../model/wire/elyra';
export type {
  JobRunSummary,
  ProjectCreate,
  ProjectFlow,
  ProjectFlowPage,
  ProjectPage,
  ProjectPatch,
  ProjectReplace,
  ProjectReply,
} from '../model/wire/projects';
export type { OperatorCatalogue, OperatorMetadata } from '../model/wire/operators';
export type { ScheduleCreate, ScheduleList, ScheduleReply } from '../model/wire/schedules';
