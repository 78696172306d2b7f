import { Button, Checkbox, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { WebhookCreate, WebhookReply } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { RemoveButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { ShownOnce } from '../parts/once';
import { Failure, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { Deliveries } from './deliveries';

const events = ['run.ended', 'document.failed', 'rights.changed'] as const;
type WebhookEvent = (typeof events)[number];

/** Adds, tests, pauses and removes webhooks, and shows their deliveries. */
export function Webhooks() {
  const { query } = usePlace();
  const offset = useOffset();
  const open = query.get('messages');
  const webhooks = useQuery({
    queryKey: ['webhooks', offset],
    queryFn: () => api.webhooks.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  const openWebhook = webhooks.data?.items.find(({ webhook_id: id }) => id === open);
  return (
    <>
      <p className="muted">{texts.webhooks.help}</p>
      <NewWebhook />
      <Paged title={texts.webhooks.list} found={webhooks} empty={texts.webhooks.empty}>
        {({ items }) => <WebhookTable webhooks={items} />}
      </Paged>
      {openWebhook ? <Deliveries webhook={openWebhook} /> : null}
    </>
  );
}

function NewWebhook() {
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<readonly WebhookEvent[]>(['run.ended']);
  const create = useMutation({
    mutationFn: (webhook: WebhookCreate) => api.webhooks.create(webhook),
    onSuccess: () => {
      setUrl('');
      setDescription('');
      return queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ url: url.trim(), events: [...chosen], description: description.trim() });
  };
  return (
    <Panel title={texts.webhooks.create}>
      {create.data ? (
        <ShownOnce title={texts.webhooks.made} secret={create.data.secret} onDone={() => create.reset()} />
      ) : null}
      <form onSubmit={submit}>
        <div className="filters level">
          <TextInput
            className="grow"
            label={texts.webhooks.url}
            description={texts.webhooks.urlHelp}
            type="url"
            placeholder="https://example.org/docloom"
            value={url}
            required
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <TextInput
            className="grow"
            label={texts.webhooks.description}
            value={description}
            maxLength={1_000}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
        </div>
        <Events chosen={chosen} onChange={setChosen} />
        <Button type="submit" loading={create.isPending} disabled={url.trim() === '' || chosen.length === 0}>
          {texts.webhooks.submit}
        </Button>
      </form>
      {create.isError ? <Failure error={create.error} title={texts.webhooks.failed} isAction /> : null}
    </Panel>
  );
}

function Events({ chosen, onChange }: { chosen: readonly WebhookEvent[]; onChange: (chosen: WebhookEvent[]) => void }) {
  const toggle = (event: WebhookEvent) =>
    onChange(chosen.includes(event) ? chosen.filter((item) => item !== event) : [...chosen, event]);
  return (
    <fieldset className="inputs">
      <legend>{texts.webhooks.events}</legend>
      {events.map((event) => (
        <Checkbox
          key={event}
          label={texts.webhooks.event[event]}
          checked={chosen.includes(event)}
          onChange={() => toggle(event)}
        />
      ))}
    </fieldset>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly WebhookReply[] }) {
  const owners = new Set(webhooks.map(({ owner }) => owner));
  const columns: Column<WebhookReply>[] = [
    {
      title: texts.webhooks.url,
      kind: 'name',
      cell: ({ url, description }) => (
        <>
          {url}
          {description ? <span className="state-note below">{description}</span> : null}
        </>
      ),
    },
    {
      title: texts.webhooks.events,
      cell: (item) => item.events.map((event) => texts.webhooks.event[event]).join('; '),
    },
    ...(owners.size > 1 ? [{ title: texts.settings.owner, cell: ({ owner }: WebhookReply) => owner }] : []),
    {
      title: texts.webhooks.state,
      cell: ({ active }) => (
        <span className="state" data-tone={active ? 'done' : 'idle'}>
          {active ? texts.webhooks.active : texts.webhooks.paused}
        </span>
      ),
    },
    { title: texts.settings.created, kind: 'when', cell: ({ created_at: at }) => formatTime(at) },
    { title: texts.settings.actions, kind: 'acts', cell: (webhook) => <Actions webhook={webhook} /> },
  ];
  return <ListTable label={texts.webhooks.list} columns={columns} rows={webhooks} keyOf={({ webhook_id: id }) => id} />;
}

/** The actions on a webhook, and the error of the latest one. */
function useWebhook({ webhook_id: id, active }: WebhookReply) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => api.webhooks.test(id),
    onSuccess: () => {
      setQuery({ messages: id });
      return queries.invalidateQueries({ queryKey: ['deliveries', id] });
    },
  });
  const change = useMutation({
    mutationFn: () => api.webhooks.patch(id, { active: !active }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  return { test, change, error: test.error ?? change.error };
}

function Actions({ webhook }: { webhook: WebhookReply }) {
  const { webhook_id: id, url, active } = webhook;
  const isOpen = usePlace().query.get('messages') === id;
  const { test, change, error } = useWebhook(webhook);
  const nameAction = (value: string) => texts.webhooks.one(value, url);
  const messagesLabel = isOpen ? texts.webhooks.hide : texts.webhooks.deliveries;
  const toggleLabel = active ? texts.webhooks.pause : texts.webhooks.resume;
  const look = { size: 'xs', variant: 'default' } as const;
  return (
    <>
      <span className="actions">
        <Button
          {...look}
          aria-label={nameAction(texts.webhooks.test)}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {texts.webhooks.test}
        </Button>
        <Button
          {...look}
          aria-label={nameAction(messagesLabel)}
          aria-expanded={isOpen}
          onClick={() => setQuery({ messages: isOpen ? undefined : id })}
        >
          {messagesLabel}
        </Button>
        <Button
          {...look}
          aria-label={nameAction(toggleLabel)}
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          {toggleLabel}
        </Button>
        <RemoveButton
          label={texts.webhooks.remove}
          about={nameAction(texts.webhooks.remove)}
          question={texts.webhooks.sure}
          queryKey={['webhooks']}
          remove={() => api.webhooks.remove(id)}
        />
      </span>
      {error ? <Failure error={error} isAction /> : null}
    </>
  );
}
