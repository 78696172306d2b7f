import { isWord, type SqlToken, tokenizeSql } from './sql-tokens';

/** Words after which a row's result may depend on other rows, or rows may come from other tables. */
const gatheringWords = [
  ...['distinct', 'order', 'limit', 'offset', 'group', 'having', 'window', 'qualify', 'over', 'sample', 'tablesample'],
  ...['using', 'fetch', 'union', 'intersect', 'except', 'pivot', 'unpivot', 'join', 'values', 'with', 'unnest'],
];

/** DuckDB's aggregate functions, and macros built on them. A test compares this list with the engine's. */
export const aggregates: ReadonlySet<string> = new Set(
  `any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min
  arg_min_null arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and bool_or corr
  count count_if count_star countif covar_pop covar_samp cume_dist dense_rank entropy favg fill first first_value fsum
  geomean geometric_mean group_concat histogram histogram_exact json_group_array json_group_object json_group_structure
  kahan_sum kurtosis kurtosis_pop lag last last_value lead list listagg mad max max_by mean median min min_by mode
  nth_value ntile percent_rank product quantile quantile_cont quantile_disc rank rank_dense regr_avgx regr_avgy regr_count
  regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile row_number sem skewness stddev
  stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance wavg weighted_avg`.split(
    /\s+/,
  ),
);

/**
 * False only for a query that processes each row independently: SELECT … FROM input WHERE …. Everything else, such as sorting, a
 * limit, an aggregate, a window or a second SELECT, needs all rows of the run.
 */
export function needsAllRows(sql: string): boolean {
  const tokens = (tokenizeSql(sql) ?? []).filter(({ kind, text }) => !(kind === 'sign' && text === ';'));
  if (!isWord(tokens[0], 'select', 'from')) return true;
  if (tokens.filter((token) => isWord(token, 'select')).length > 1) return true;
  if (tokens.some((token, index) => isAggregate(token, index, tokens))) return true;
  return !readsInputOnly(tokens);
}

function isAggregate(token: SqlToken, index: number, tokens: readonly SqlToken[]): boolean {
  const isCall = tokens[index + 1]?.text === '(' && tokens[index + 1]?.kind === 'sign';
  if (isCall && (token.kind === 'word' || token.kind === 'name') && aggregates.has(token.text.toLowerCase()))
    return true;
  if (isWord(token, 'from') && tokens[index - 1]?.text === '(') return true;
  // IS DISTINCT FROM only compares two values.
  if (isWord(token, 'distinct') && isWord(tokens[index - 1], 'is', 'not')) return false;
  return isWord(token, ...gatheringWords);
}

/** True when the only top-level FROM names `input`, with or without an alias. */
function readsInputOnly(tokens: readonly SqlToken[]): boolean {
  const isFrom = (token: SqlToken, index: number) =>
    token.depth === 0 && isWord(token, 'from') && !isWord(tokens[index - 1], 'distinct');
  const start = tokens.findIndex(isFrom);
  if (start < 0 || tokens.filter(isFrom).length > 1) return false;
  const afterFrom = tokens.slice(start + 1);
  const end = afterFrom.findIndex((token) => token.depth === 0 && isWord(token, 'where', 'select'));
  const [table, ...alias] = afterFrom.slice(0, end === -1 ? undefined : end);
  if (table?.text.toLowerCase() !== 'input' || table.kind === 'text') return false;
  if (alias.length === 0) return true;
  const [name, ...more] = isWord(alias[0], 'as') ? alias.slice(1) : alias;
  return more.length === 0 && (name?.kind === 'word' || name?.kind === 'name');
}
