import type { AddressGuard } from '../net/address-guard';
import { createIndexGate } from '../search/index-owners';
import type { Mongo } from '../storage/mongo';
import { createTurns } from '../storage/turns';
import { createExportClaims } from './claims';
import { createExportedFiles, type ExportedFiles } from './exported-files';
import { createExports, type ExportDeps, type Exports } from './exports';

/** The exports of an installation: claims, owners of indexes and turns are in its database. */
export function connectExports(
  mongo: Mongo,
  guard: AddressGuard,
  deps: Pick<ExportDeps, 'limits' | 'rows'>,
): { exports: Exports; exportedFiles: ExportedFiles } {
  const claims = createExportClaims(mongo);
  return {
    exports: createExports({ ...deps, claims, guard, admit: createIndexGate(mongo), takeTurn: createTurns(mongo) }),
    exportedFiles: createExportedFiles(claims),
  };
}
