import { checkConnection } from './connection/check';
import {
  createConnection,
  deleteConnection,
  getConnection,
  listConnections,
  patchConnection,
} from './connection/connections';
import {
  addLibrarySets,
  createDocumentLibrary,
  deleteDocumentLibrary,
  getDocumentLibrary,
  listDocumentLibraries,
  listLibrarySets,
  patchDocumentLibrary,
  removeLibrarySets,
} from './document-set/document-libraries';
import {
  changeDocumentSets,
  createDocumentSet,
  deleteDocumentSet,
  exportDocumentSet,
  getDocumentSet,
  listDocumentSets,
  patchDocumentSet,
  previewDocumentSet,
} from './document-set/document-sets';
import {
  deleteLibraryFile,
  getLibraryFile,
  getLibraryFileContent,
  listLibraryFiles,
} from './document-set/library-files';
import { cancelUpload, completeUpload, createUpload, getUpload, putUploadPart } from './document-set/library-uploads';
import { getSetGraph } from './document-set/set-graphs';
import { explainDocumentAccess, getDocumentLife } from './document/explain';
import { explainAccess } from './document/explain-access';
import { getDocumentFacts } from './document/facts';
import { getDocumentJson, getDocumentMarkdown, getDocumentOriginal, listDocumentChunks } from './document/forms';
import { getDocumentHtml } from './document/html';
import { getDocumentPage, getDocumentPageImage, listDocumentPages } from './document/pages';
import { getRemoval, listRemovals, removeDocument, restoreRemoval } from './document/removals';
import { checkDestinationRoute } from './export/check';
import { getAccessSync, startAccessSync } from './flow/access-sync';
import { patchFlow, replaceFlow } from './flow/changes';
import { createFlow, getFlow, listFlows } from './flow/flows';
import { operatorsMetadata } from './flow/operators';
import { listProjectFlows } from './flow/project-flows';
import { createProject, deleteProject, getProject, listProjects, patchProject, replaceProject } from './flow/projects';
import { deleteFlow, deleteFlows } from './flow/removal';
import {
  changeSchedules,
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  patchSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
} from './flow/schedules';
import { validateFlowRoute } from './flow/validation';
import { compareFlowVersions, getFlowVersion, listFlowVersions, restoreFlowVersion } from './flow/versions';
import { getGraphNeighbours, getGraphNodes, getGraphPassages, getGraphPaths, getGraphStatistics } from './graph/ask';
import { listGraphDocuments } from './graph/documents';
import {
  changeGraph,
  createGraph,
  deleteGraph,
  getGraph,
  getGraphFile,
  getGraphResult,
  listGraphs,
  updateGraph,
} from './graph/graphs';
import { decideGraphPairs, listGraphPairs } from './graph/pairs';
import { draftGraphTemplate, listGraphTemplates } from './graph/templates';
import type { Route } from './http/route';
import {
  deleteIdentityMap,
  getIdentityMap,
  listIdentities,
  listIdentityMaps,
  putIdentityMap,
  syncIdentityMap,
} from './identity/maps';
import { createApiKey, deleteApiKey, getApiKey, listApiKeys } from './login/api-keys';
import { login, logout, me, protectedExample } from './login/auth';
import { searchKnownNames } from './login/names';
import { oauth2Authorize, oauth2Callback, oauth2Discovery, oauth2Providers, oauth2Token } from './login/oauth2';
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
} from './login/service-accounts';
import { deleteSession, listSessions } from './login/sessions';
import {
  acceptReviews,
  correctReview,
  discardCorrection,
  getReview,
  getReviewMarkdown,
  listReviews,
} from './review/reviews';
import { changeJobRuns } from './run/bulk';
import { compareJobRuns } from './run/compare';
import { getRunControls, pauseJobRun, resumeJobRun, setRunConcurrency } from './run/controls';
import {
  getFailedDocument,
  getFailedDocumentMarkdown,
  getFailedDocumentOriginal,
  getFailedDocumentPageImage,
} from './run/failed-document';
import {
  countFailedDocuments,
  ignoreFailedDocuments,
  leaveOutFailedDocuments,
  listFailedDocuments,
  reportFailedDocuments,
  retryFailedDocuments,
} from './run/failures';
import {
  cancelJobRun,
  createJobRun,
  deleteJobRun,
  getFlowDefinition,
  getJobRun,
  listJobRuns,
  listRunDocuments,
} from './run/job-runs';
import { rerunJobRun } from './run/reruns';
import { exportStepRows, listStepRows } from './run/rows';
import { getRunEvents, getRunLog, getRunReport } from './run/streams';
import { searchAs } from './search/as-user';
import { askDocuments } from './search/ask';
import { getDocument, searchDocuments, suggestDocuments } from './search/documents';
import { dropIndex, getIndex, listIndexes, patchIndex } from './search/indexes';
import {
  deleteJudgedQuery,
  listJudgedQueries,
  listMeasurements,
  markJudgement,
  measureSearch,
} from './search/judged-queries';
import { getSearchOptions } from './search/options';
import {
  createSavedSearch,
  deleteSavedSearch,
  getSavedSearch,
  listSavedSearches,
  putSavedSearch,
} from './search/saved-searches';
import { listAudit } from './server/audit';
import { decodePayloads, encodePayloads, openCodec } from './server/codec';
import { docsAsset, docsPage, openApi, redocPage } from './server/docs';
import { listDocumentClasses } from './server/document-classes';
import { getOverview } from './server/overview';
import { listProviderModels } from './server/providers';
import { health, metrics, ready, welcome } from './server/root';
import { getStorage } from './server/storage';
import { checkSourceRoute } from './source/check';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  patchWebhook,
  testWebhook,
} from './webhook/webhooks';

/** Every route of the api. Router, OpenAPI document, tables of `docs/` and contract tests are read from it. */
export const routes: readonly Route[] = [
  welcome,
  health,
  ready,
  metrics,
  login,
  logout,
  oauth2Authorize,
  oauth2Callback,
  oauth2Token,
  oauth2Providers,
  oauth2Discovery,
  me,
  createApiKey,
  listApiKeys,
  getApiKey,
  deleteApiKey,
  listSessions,
  deleteSession,
  createServiceAccount,
  searchKnownNames,
  listServiceAccounts,
  getServiceAccount,
  deleteServiceAccount,
  createWebhook,
  listWebhooks,
  getWebhook,
  patchWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  testWebhook,
  protectedExample,
  createProject,
  listProjects,
  getProject,
  replaceProject,
  patchProject,
  deleteProject,
  listProjectFlows,
  createFlow,
  listFlows,
  getFlow,
  replaceFlow,
  patchFlow,
  deleteFlow,
  deleteFlows,
  listFlowVersions,
  getFlowVersion,
  compareFlowVersions,
  restoreFlowVersion,
  createJobRun,
  listJobRuns,
  getJobRun,
  cancelJobRun,
  getRunControls,
  pauseJobRun,
  resumeJobRun,
  setRunConcurrency,
  deleteJobRun,
  getFlowDefinition,
  listRunDocuments,
  listStepRows,
  exportStepRows,
  getRunReport,
  getRunEvents,
  getRunLog,
  compareJobRuns,
  rerunJobRun,
  changeJobRuns,
  listFailedDocuments,
  countFailedDocuments,
  reportFailedDocuments,
  retryFailedDocuments,
  ignoreFailedDocuments,
  leaveOutFailedDocuments,
  getFailedDocument,
  getFailedDocumentOriginal,
  getFailedDocumentMarkdown,
  getFailedDocumentPageImage,
  listReviews,
  getReview,
  getReviewMarkdown,
  acceptReviews,
  correctReview,
  discardCorrection,
  getAccessSync,
  startAccessSync,
  createSchedule,
  listSchedules,
  getSchedule,
  patchSchedule,
  triggerSchedule,
  pauseSchedule,
  resumeSchedule,
  deleteSchedule,
  changeSchedules,
  operatorsMetadata,
  listAudit,
  getStorage,
  getOverview,
  openCodec,
  decodePayloads,
  encodePayloads,
  listProviderModels,
  listDocumentClasses,
  checkSourceRoute,
  checkDestinationRoute,
  validateFlowRoute,
  createConnection,
  listConnections,
  getConnection,
  patchConnection,
  deleteConnection,
  checkConnection,
  listIdentityMaps,
  getIdentityMap,
  putIdentityMap,
  deleteIdentityMap,
  listIdentities,
  syncIdentityMap,
  createDocumentLibrary,
  listDocumentLibraries,
  getDocumentLibrary,
  patchDocumentLibrary,
  deleteDocumentLibrary,
  addLibrarySets,
  removeLibrarySets,
  listLibrarySets,
  createUpload,
  getUpload,
  putUploadPart,
  completeUpload,
  cancelUpload,
  listLibraryFiles,
  getLibraryFile,
  getLibraryFileContent,
  deleteLibraryFile,
  createDocumentSet,
  listDocumentSets,
  getDocumentSet,
  patchDocumentSet,
  deleteDocumentSet,
  previewDocumentSet,
  exportDocumentSet,
  changeDocumentSets,
  getSetGraph,
  suggestDocuments,
  getDocument,
  getDocumentOriginal,
  getDocumentMarkdown,
  getDocumentJson,
  getDocumentHtml,
  getDocumentFacts,
  listDocumentChunks,
  removeDocument,
  searchDocuments,
  searchAs,
  getSearchOptions,
  explainAccess,
  listDocumentPages,
  getDocumentPage,
  getDocumentPageImage,
  explainDocumentAccess,
  getDocumentLife,
  listRemovals,
  getRemoval,
  restoreRemoval,
  listIndexes,
  getIndex,
  patchIndex,
  dropIndex,
  askDocuments,
  createSavedSearch,
  listSavedSearches,
  getSavedSearch,
  putSavedSearch,
  deleteSavedSearch,
  markJudgement,
  listJudgedQueries,
  measureSearch,
  listMeasurements,
  deleteJudgedQuery,
  createGraph,
  listGraphs,
  // Before the graphs, whose ids are part of the same path.
  listGraphTemplates,
  draftGraphTemplate,
  getGraph,
  deleteGraph,
  getGraphResult,
  getGraphFile,
  updateGraph,
  changeGraph,
  getGraphNodes,
  getGraphNeighbours,
  getGraphPaths,
  getGraphPassages,
  getGraphStatistics,
  listGraphDocuments,
  listGraphPairs,
  decideGraphPairs,
  openApi,
  docsPage,
  redocPage,
  docsAsset,
];
