import type { Route } from '../route';
import { login, logout, me, protectedExample } from './auth';
import {
  addLibrarySets,
  createDocumentLibrary,
  deleteDocumentLibrary,
  getDocumentLibrary,
  listDocumentLibraries,
  listLibrarySets,
  patchDocumentLibrary,
  removeLibrarySets,
} from './document-libraries';
import {
  createDocumentSet,
  deleteDocumentSet,
  exportDocumentSet,
  getDocumentSet,
  listDocumentSets,
  patchDocumentSet,
  previewDocumentSet,
} from './document-sets';
import { listDocumentClasses } from './document-classes';
import { docsAsset, docsPage, openApi, redocPage } from './docs';
import { getDocument, searchDocuments } from './documents';
import { createGraph, deleteGraph, getGraph, getGraphFile, getGraphResult, listGraphs } from './graphs';
import { patchFlow, replaceFlow } from './flow-changes';
import { deleteFlow, deleteFlows } from './flow-removal';
import { createFlow, getFlow, listFlows } from './flows';
import {
  cancelJobRun,
  createJobRun,
  deleteJobRun,
  getFlowDefinition,
  getJobRun,
  listJobRuns,
  listRunDocuments,
} from './job-runs';
import { oauth2Authorize, oauth2Callback, oauth2Discovery, oauth2Providers, oauth2Token } from './oauth2';
import { rerunJobRun } from './run-reruns';
import { getRunEvents, getRunReport } from './run-streams';
import { createSchedule, deleteSchedule, getSchedule, listSchedules, pauseSchedule, resumeSchedule } from './schedules';
import { operatorsMetadata } from './operators';
import { listProviderModels } from './providers';
import { listProjectFlows } from './project-flows';
import { createProject, deleteProject, getProject, listProjects, patchProject, replaceProject } from './projects';
import { health, metrics, ready, welcome } from './root';
import { validateFlowRoute } from './validation';

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
  createJobRun,
  listJobRuns,
  getJobRun,
  cancelJobRun,
  deleteJobRun,
  getFlowDefinition,
  listRunDocuments,
  getRunReport,
  getRunEvents,
  rerunJobRun,
  createSchedule,
  listSchedules,
  getSchedule,
  pauseSchedule,
  resumeSchedule,
  deleteSchedule,
  operatorsMetadata,
  listProviderModels,
  listDocumentClasses,
  validateFlowRoute,
  createDocumentLibrary,
  listDocumentLibraries,
  getDocumentLibrary,
  patchDocumentLibrary,
  deleteDocumentLibrary,
  addLibrarySets,
  removeLibrarySets,
  listLibrarySets,
  createDocumentSet,
  listDocumentSets,
  getDocumentSet,
  patchDocumentSet,
  deleteDocumentSet,
  previewDocumentSet,
  exportDocumentSet,
  getDocument,
  searchDocuments,
  createGraph,
  listGraphs,
  getGraph,
  deleteGraph,
  getGraphResult,
  getGraphFile,
  openApi,
  docsPage,
  redocPage,
  docsAsset,
];
