/** Of the name of an index (OpenSearch). */
const maxBytes = 255;
/** Names of collections are shorter (Milvus). */
const collectionNameLimit = 255;
/** Characters of a name that a message quotes. */
const shownLength = 80;

/**
 * Why a search index cannot have this name; undefined when it can. The rules are those of OpenSearch: lower case, no
 * white space, none of `\ / * ? " < > | , # :`, not `.` or `..`, no leading `_`, `-` or `+`, at most 255 bytes.
 * Names with a leading `.` are rejected too, because they are reserved for the server.
 */
export function findIndexNameProblem(name: string): string | undefined {
  const subject = `The index name '${shorten(name)}'`;
  if (name === '') return 'The index name is empty.';
  if (name !== name.toLowerCase()) return `${subject} has capital letters; index names are lower case.`;
  if (/\s/u.test(name)) return `${subject} has blanks; index names have none.`;
  // oxlint-disable-next-line no-control-regex
  const forbidden = /[\\/*?"<>|,#:\u0000-\u001f\u007f]/u.exec(name)?.[0];
  if (forbidden !== undefined)
    return `${subject} has the character ${JSON.stringify(forbidden)}, which index names may not have.`;
  if (/^[_\-+.]/u.test(name)) return `${subject} begins with '${name[0]}'; index names begin with a letter or a digit.`;
  const bytes = new TextEncoder().encode(name).length;
  if (bytes > maxBytes) return `${subject} is ${bytes} bytes long; index names have at most ${maxBytes}.`;
  return undefined;
}

/** Why a collection cannot have this name; undefined when it can: letters, digits and underscores, fewer than 255 characters. */
export function findCollectionNameProblem(name: string): string | undefined {
  const subject = `The collection name '${shorten(name)}'`;
  if (name === '') return 'The collection name is empty.';
  if (name.length >= collectionNameLimit)
    return `${subject} has ${name.length} characters; collection names have fewer than ${collectionNameLimit}.`;
  if (!/^[A-Za-z0-9_]+$/.test(name)) return `${subject} has other characters than letters, digits and underscore.`;
  if (/^[0-9]/.test(name))
    return `${subject} begins with a digit; collection names begin with a letter or an underscore.`;
  return undefined;
}

function shorten(name: string): string {
  return name.length > shownLength ? `${name.slice(0, shownLength)}…` : name;
}
