import type { ConversionTasks, ResultFiles } from '../../services/conversion/ports';
import type { AddressGuard } from '../../services/net/address-guard';
import type { FilesStore } from '../../services/storage/files';

/** Services for the routes of the conversion service. */
export interface ConversionServices {
  tasks: ConversionTasks;
  results: ResultFiles;
  files: Pick<FilesStore, 'put' | 'removePrefix'>;
  /** Checks the addresses in requests before tasks are created. */
  guard: Pick<AddressGuard, 'judge'>;
}
