import type {
  JudgedQuery,
  JudgedQueryPage,
  Judgement,
  SearchMeasurement,
  SearchMeasurements,
} from '../model/search/wire-judged';
import type { Call } from './http';

/** Judgements of documents as relevant or not for a query, and how well the rankings answer these queries. */
export interface JudgedQueryMethods {
  judgedQueries: {
    /** Sets a mark, or removes it with `is_relevant: null`. */
    mark(judgement: Judgement): Promise<JudgedQuery>;
    list(query?: { limit?: number; offset?: number }): Promise<JudgedQueryPage>;
    remove(queryId: string): Promise<void>;
    /** Runs the judged queries in each mode, and stores the figures. */
    measure(): Promise<SearchMeasurement>;
    /** Oldest first. */
    measurements(): Promise<SearchMeasurements>;
  };
}

/** Implements these methods over `send`. */
export function createJudgedQueryMethods(send: <T>(call: Call) => Promise<T>): JudgedQueryMethods {
  const all = '/api/v1/judged-queries';
  return {
    judgedQueries: {
      mark: (body) => send({ method: 'POST', path: all, body }),
      list: (query) => send({ method: 'GET', path: all, query: { ...query } }),
      remove: (id) => send({ method: 'DELETE', path: `${all}/${encodeURIComponent(id)}` }),
      measure: () => send({ method: 'POST', path: `${all}/measurements` }),
      measurements: () => send({ method: 'GET', path: `${all}/measurements` }),
    },
  };
}
