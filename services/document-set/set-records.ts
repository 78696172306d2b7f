import type { StoredAccess } from '../../model/access-list';
import type { SetColumns } from './set-columns';

/** The index entry of a row: the file that contains it, and the data that is needed without opening that file. */
export interface StoredRow extends StoredAccess {
  /** `<set id>/<row id>`, which makes rows unique. */
  _id: string;
  set_id: string;
  row_id: string;
  document_id: string;
  job_id: string;
  run_id: string;
  /** Key of the Parquet file. */
  segment: string;
  /** Sort key: the order in which the rows were stored. */
  place: string;
  size: number;
  pages: number;
  /** Key of the row's shape. Absent in entries of earlier versions until their columns are requested. */
  shape?: string;
}

/** Columns shared by rows of a set. */
export interface StoredShape extends SetColumns {
  /** `<set id>/<key>`. */
  _id: string;
  set_id: string;
}

/** The files that may contain text of a document, including files from which its rows were removed. */
export interface StoredDocument {
  /** `<set id>/<document id>`. */
  _id: string;
  set_id: string;
  segments: string[];
}
