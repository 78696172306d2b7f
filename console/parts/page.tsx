import { Alert, Button, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, isMissing } from '../api';
import { describeError } from '../describe-error';
import { useTitle } from '../router';
import { texts } from '../texts';
import { slowAfterSeconds, useElapsed } from './elapsed';
import { Prose } from './prose';

/** A screen: its heading, its actions and its panels. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <>
      <div className="head">
        <h1>{title}</h1>
        {actions ? <div className="actions">{actions}</div> : null}
      </div>
      {children}
    </>
  );
}

/** Figures below their names, side by side. */
export function FactList({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Names with their values below each other; with `isInLine`, side by side. */
export function ValueList({
  values,
  isInLine = false,
}: {
  values: readonly (readonly [name: string, value: ReactNode])[];
  isInLine?: boolean;
}) {
  return (
    <dl className={isInLine ? 'values in-line' : 'values'}>
      {values.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A region of a screen with its own heading. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The loading indicator. After five seconds it says how long it has taken. */
export function Loading() {
  const seconds = useElapsed();
  return (
    <p className="muted">
      <Loader size={16} aria-hidden="true" /> <span role="status">{texts.common.loading}</span>
      {seconds < slowAfterSeconds ? null : ` ${texts.common.slow(seconds)}`}
    </p>
  );
}

/** The loading indicator until a query has a result or an error, and its error with a retry button. */
export function QueryState({ query }: { query: Pick<UseQueryResult, 'isPending' | 'isError' | 'error' | 'refetch'> }) {
  if (query.isPending) return <Loading />;
  return query.isError ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : null;
}

/**
 * An error in the words of the server, with a retry button. With `isAction`, a refusal shows its reason; otherwise forbidden
 * and missing resources look the same.
 */
export function Failure({
  error,
  onRetry,
  title,
  isAction = false,
}: {
  error: unknown;
  onRetry?: () => void;
  title?: string;
  isAction?: boolean;
}) {
  const isAbsent = !isAction && isMissing(error);
  const trace = error instanceof ApiError ? error.trace : undefined;
  return (
    <Alert color={isAbsent ? 'gray' : 'red'} title={title ?? texts.common.error} role="alert" variant="outline" mb={16}>
      <p>{isAbsent ? texts.common.noPermission : <Prose text={describeError(error)} />}</p>
      {trace && !isAbsent ? <p className="state-note">{texts.common.trace(trace)}</p> : null}
      {onRetry ? (
        <Button size="xs" variant="default" onClick={onRetry}>
          {texts.common.retry}
        </Button>
      ) : null}
    </Alert>
  );
}

/** Shown when there is nothing to list, with the reason. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className="muted">{children}</p>;
}
