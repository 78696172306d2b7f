import type { Tool } from './tool';
import { convertDocument, getConversion } from './tools/conversions';
import { explainAccess, getDocument, getPage, listDocumentSets, readFacts, searchDocuments } from './tools/documents';
import { graphNeighbours, graphNodes, graphPassages, graphPaths, listGraphs } from './tools/graphs';
import { cancelRun, getRun, listFailedDocuments, listFlows, listRuns, startFlow } from './tools/runs';

/** Every tool, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  searchDocuments,
  getDocument,
  getPage,
  explainAccess,
  convertDocument,
  getConversion,
  listDocumentSets,
  readFacts,
  listFlows,
  startFlow,
  listRuns,
  getRun,
  cancelRun,
  listFailedDocuments,
  listGraphs,
  graphNodes,
  graphNeighbours,
  graphPaths,
  graphPassages,
];
