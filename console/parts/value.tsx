import { formatCount } from '../format';

const maxMembers = 60;
const maxCharacters = 300;
/** Deeper objects are shown as JSON. */
const maxDepth = 3;

/** A value in readable form: objects as names with values, lists of plain values on one line, lists of plain objects as tables. */
export function Value({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (typeof value !== 'object' || value === null) return <>{shorten(String(value))}</>;
  if (depth > maxDepth) return <>{shorten(JSON.stringify(value))}</>;
  const isPlain = (value: unknown) => typeof value !== 'object' || value === null;
  if (Array.isArray(value) && value.every(isPlain)) return <>{shorten(value.map(String).join(', '))}</>;
  if (isTable(value)) return <Grid rows={value} />;
  const entries = Object.entries(value).filter(([, member]) => !isEmptyValue(member));
  return (
    <dl className="values nested">
      {entries.slice(0, maxMembers).map(([name, member]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? formatCount(Number(name) + 1) : name}</dt>
          <dd>
            <Value value={member} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** True for a list of objects with plain values. */
function isTable(value: unknown): value is Record<string, unknown>[] {
  const isFlat = (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((member) => typeof member !== 'object' || !member);
  return Array.isArray(value) && value.length > 0 && value.every(isFlat);
}

function Grid({ rows }: { rows: readonly Record<string, unknown>[] }) {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => rows.some((row) => !isEmptyValue(row[name])));
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={names.join(', ')}>
      <table className="grid">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxMembers).map((row, index) => (
            <tr key={`${index}`}>
              {names.map((name) => (
                <td key={name}>{isEmptyValue(row[name]) ? '' : shorten(String(row[name]))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** True if there is nothing to display. */
export function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function shorten(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)} …` : text;
}
