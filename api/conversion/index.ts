import { chunkRoutes } from './chunk';
import { convertBatch, convertFile, convertFileAsync, convertSource, convertSourceAsync } from './convert';
import { docs, openApi30, openApi31, redoc, swagger, ui } from './http/docs';
import type { ConversionRoute } from './http/route';
import { apiProbe, livez, memoryCounts, memoryStats, readyz, version } from './http/server';
import {
  clearConverters,
  clearResults,
  deleteTask,
  getResult,
  getStatus,
  listTasks,
  pollStatus,
  taskProgress,
} from './tasks';

/** All routes of the conversion service. Its middleware, its OpenAPI document and the table in `docs/` are generated from it. */
export const conversionRoutes: readonly ConversionRoute[] = [
  convertSource,
  convertFile,
  convertSourceAsync,
  convertFileAsync,
  convertBatch,
  ...chunkRoutes,
  pollStatus,
  getStatus,
  getResult,
  listTasks,
  deleteTask,
  clearResults,
  clearConverters,
  taskProgress,
  memoryStats,
  memoryCounts,
  readyz,
  livez,
  apiProbe,
  version,
  openApi31,
  openApi30,
  docs,
  swagger,
  redoc,
  ui,
];
