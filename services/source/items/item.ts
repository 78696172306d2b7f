/** A file, a folder or a page as its server knows it. The id stays when it is renamed or moved. */
export interface Item {
  id: string;
  name: string;
  /** The name as a part of the paths of what is in it; default: `name`. */
  folderName?: string;
  /** False for a folder. */
  isDocument: boolean;
  /** True if it may contain further items. */
  isFolder: boolean;
  size?: number;
  modifiedTime?: string;
  version?: string;
  mimetype?: string;
  /** The address at which people open it. */
  webUrl?: string;
  /** The reason, if it is skipped on purpose. */
  skip?: string;
}

/** An item with its parent folders. */
export interface PlacedItem extends Item {
  parents: readonly string[];
}

/** One page of changes. */
export interface ChangePage {
  items: readonly PlacedItem[];
  /** Ids of items that the server reports as deleted. */
  gone: readonly string[];
  /** The cursor of the next page or of the next request. */
  cursor: string;
  /** True if there are no further changes for now. */
  isLast: boolean;
}
