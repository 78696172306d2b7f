import type { Sort } from 'mongodb';
import type { PageQuery } from '../storage/read-page';
import type { ResourceQuery } from './ports';

/** A filter by part of a name, case-insensitive. */
export function createNameFilter(name: string): { $regex: string; $options: string } {
  return { $regex: name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' };
}

/** The page of a query. Equal values are ordered by id, so that pages do not overlap. */
export function buildPageQuery({ limit, offset, sort = '-created_on' }: ResourceQuery): PageQuery {
  const order: Sort = { [sort.replace(/^-/, '')]: sort.startsWith('-') ? -1 : 1, _id: 1 };
  return { sort: order, limit, offset };
}
