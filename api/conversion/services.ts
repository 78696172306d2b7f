import type { AddressGuard } from '../../services/net/address-guard';
import type { ConversionTasks, ResultFiles } from '../../services/conversion/ports';
import type { FilesStore } from '../../services/storage/files';

/** What the routes of the conversion service work with. */
export interface ConversionServices {
  tasks: ConversionTasks;
  results: ResultFiles;
  files: Pick<FilesStore, 'put' | 'removePrefix'>;
  /** Judges the addresses in requests before they become tasks. */
  guard: Pick<AddressGuard, 'judge'>;
}
