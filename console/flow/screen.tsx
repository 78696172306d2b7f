import { Alert, Button, Textarea, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { etagOf, type FlowDefinition, type ValidationReply } from '../../client';
import { api, ApiError } from '../api';
import { FlowGraph, type ShownNode } from '../graph/flow-graph';
import { Failure, Loading, Page, Panel } from '../parts/page';
import { Prose } from '../parts/prose';
import { Link, navigate } from '../router';
import { texts } from '../texts';
import { groupByCategory, type OperatorCatalogue } from './catalogue';
import {
  addOperator,
  buildReplacement,
  emptyFlow,
  listBranches,
  type Operator,
  pickDefinition,
  readFlow,
} from './draft';
import { ProjectChoice } from './project';
import { Schedules } from './schedules';
import { Step } from './step';
import { TryOut } from './try-out';
import { Versions } from './versions';

/**
 * A flow: its operators as a drawing, as forms and as JSON, validated while it is edited. `new` is a flow that is not stored
 * yet.
 */
export function FlowScreen({ flowId }: { flowId: string }) {
  const catalogue = useQuery({
    queryKey: ['operators'],
    queryFn: () => api.operators(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const stored = useQuery({
    queryKey: ['flow', flowId],
    enabled: flowId !== 'new',
    queryFn: () => api.flows.get(flowId),
    // The client looks up the ETag by the exact object that it returned.
    structuralSharing: false,
  });
  // Counts restored versions: each one starts a new editing session.
  const [restored, setRestored] = useState(0);
  if (catalogue.isError || stored.isError)
    return (
      <Page title={texts.flow.title}>
        <Failure error={stored.error ?? catalogue.error} />
        <Link to="/flows">{texts.flow.back}</Link>
      </Page>
    );
  if (!catalogue.data || (flowId !== 'new' && !stored.data)) return <Loading />;
  const onRestored = async () => {
    await stored.refetch();
    setRestored((count) => count + 1);
  };
  return (
    <>
      <Editor key={restored} flowId={flowId} catalogue={catalogue.data} stored={stored.data ?? emptyFlow} />
      {stored.data ? (
        <Versions flowId={flowId} ifMatch={() => stored.data && etagOf(stored.data)} onRestored={onRestored} />
      ) : null}
    </>
  );
}

/** What was edited of a flow. */
interface Edited {
  flow: FlowDefinition;
  project: FlowDefinition['project_id'];
}

/** The flow as edited, the server's validation of it, and functions to store and start it. */
function useEditing(flowId: string, stored: FlowDefinition) {
  const queries = useQueryClient();
  const [flow, setFlow] = useState(() => pickDefinition(stored));
  const [project, setProject] = useState(stored.project_id);
  // The version that the changes are based on. A newer flow that was read since must not be overwritten.
  const base = useRef(stored);
  const checked = useQuery({
    queryKey: ['flow', 'check', JSON.stringify(flow)],
    queryFn: () => api.flows.validate({ ...flow, flow_name: flow.flow_name || texts.flow.unnamed }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  const save = useMutation({
    mutationFn: async (edited: Edited) => {
      if (flowId === 'new') return api.flows.create({ ...edited.flow, project_id: edited.project });
      // An absent project stays; null clears it.
      const replacement = { ...buildReplacement(base.current, edited.flow), project_id: edited.project ?? null };
      return api.flows.replace(flowId, replacement, { ifMatch: etagOf(base.current) });
    },
    onSuccess: (saved) => {
      base.current = saved;
      queries.setQueryData(['flow', saved.flow_id], saved);
      void queries.invalidateQueries({ queryKey: ['flow', saved.flow_id, 'versions'] });
      if (flowId === 'new') navigate(`/flows/${saved.flow_id}`, { replace: true });
    },
  });
  const run = useMutation({
    mutationFn: async (sample?: { documents: number }) =>
      api.jobRuns.create({
        flow_id: (await save.mutateAsync({ flow, project })).flow_id,
        ...(sample ? { sample } : {}),
      }),
    onSuccess: ({ job_run_id: runId }) => navigate(`/runs/${runId}`),
  });
  return {
    flow,
    setFlow,
    project,
    setProject,
    check: checked.data,
    // While a check is pending, `check` is that of the flow before.
    isChecked: checked.isSuccess && !checked.isPlaceholderData,
    save,
    store: () => save.mutate({ flow, project }),
    isStored: save.isSuccess && save.variables.flow === flow && save.variables.project === project,
    run,
  };
}

function Editor({
  flowId,
  catalogue,
  stored,
}: {
  flowId: string;
  catalogue: OperatorCatalogue;
  stored: FlowDefinition;
}) {
  const editing = useEditing(flowId, stored);
  const { flow, setFlow, project, setProject, check, save, store, run } = editing;
  const [openStep, setOpenStep] = useState<string | undefined>(flow.flow[0]?.name);
  const isValid = editing.isChecked && check?.errors.length === 0 && flow.flow_name.trim() !== '';
  return (
    <Page
      title={flow.flow_name || texts.flow.fresh}
      actions={<Actions isNamed={flow.flow_name.trim() !== ''} isValid={isValid} save={save} store={store} run={run} />}
    >
      <Links flowId={flowId} />
      <TextInput
        label={texts.flow.name}
        value={flow.flow_name}
        required
        mb={16}
        onChange={(event) => setFlow({ ...flow, flow_name: event.currentTarget.value })}
      />
      <ProjectChoice project={project ?? undefined} onProject={setProject} />
      {editing.isStored ? <p role="status">{texts.flow.saved}</p> : null}
      {save.isError || run.isError ? <Refused error={save.error ?? run.error} /> : null}
      <Panel title={texts.flow.drawing}>
        <FlowGraph nodes={flow.flow.map((item) => buildNode(item, { flow, check }))} label={texts.flow.drawing} />
        <Check check={check} onNode={setOpenStep} />
      </Panel>
      <div className="beside">
        <Panel title={texts.flow.steps}>
          <Step {...{ flow, catalogue, openStep, setOpenStep, setFlow }} alerts={check} />
          <Palette
            catalogue={catalogue}
            after={openStep}
            onAdd={(type) => {
              const [next, name] = addOperator(flow, type, openStep);
              setFlow(next);
              setOpenStep(name);
            }}
          />
        </Panel>
        <Json flow={flow} onFlow={(next) => setFlow(pickDefinition(next))} />
      </div>
      <TryOut
        flowId={flowId}
        isDisabled={!isValid}
        isPending={run.isPending}
        onTry={(documents) => run.mutate({ documents })}
      />
      {flowId === 'new' ? null : <Schedules flowId={flowId} />}
    </Page>
  );
}

/** A flow needs a name to be saved, and no errors to be run. */
function Actions({
  isNamed,
  isValid,
  save,
  store,
  run,
}: { isNamed: boolean; isValid: boolean } & Pick<ReturnType<typeof useEditing>, 'save' | 'store' | 'run'>) {
  return (
    <>
      <Button variant="default" disabled={!isNamed} loading={save.isPending} onClick={store}>
        {texts.flow.save}
      </Button>
      <Button disabled={!isValid} loading={run.isPending} onClick={() => run.mutate(undefined)}>
        {texts.flow.run}
      </Button>
    </>
  );
}

/** Links to the list of flows and to the runs of this one. */
function Links({ flowId }: { flowId: string }) {
  return (
    <p className="muted">
      <Link to="/flows">{texts.flow.back}</Link>
      {flowId === 'new' ? null : (
        <>
          {' · '}
          <Link to={`/runs?flow=${encodeURIComponent(flowId)}`}>{texts.flow.runs}</Link>
        </>
      )}
    </p>
  );
}

function buildNode(
  { name, type, depends_on: inputs = [] }: Operator,
  { flow, check }: { flow: FlowDefinition; check: ValidationReply | undefined },
): ShownNode {
  const count = (check?.errors ?? []).filter(({ node_name: node }) => node === name).length;
  const branches = listBranches(flow, inputs);
  const lines = [
    ...(count > 0 ? [{ text: texts.flow.problems(count), isBad: true }] : []),
    ...(branches.length > 0 ? [{ text: texts.flow.branches.of(branches) }] : []),
  ];
  return { name, type, inputs, lines, tone: count > 0 ? 'failed' : 'idle' };
}

/** The server's validation of the current flow. */
function Check({ check, onNode }: { check: ValidationReply | undefined; onNode: (name: string) => void }) {
  if (!check) return null;
  const alerts = [
    ...check.errors.map((alert) => ({ ...alert, tone: 'failed' })),
    ...check.warnings.map((alert) => ({ ...alert, tone: 'warn' })),
  ];
  if (alerts.length === 0)
    return (
      <p role="status" className="state" data-tone="done">
        {texts.flow.fine}
      </p>
    );
  return (
    <div role="status">
      <ul className="alerts">
        {alerts.map(({ message, node_name: node, tone }) => (
          <li key={`${node} ${message}`}>
            <span className="state" data-tone={tone}>
              {tone === 'failed' ? texts.flow.error : texts.flow.warning}
            </span>{' '}
            {node ? (
              <button type="button" className="chip" onClick={() => onNode(node)}>
                {node}
              </button>
            ) : null}{' '}
            <Prose text={message} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Palette({
  catalogue,
  after,
  onAdd,
}: {
  catalogue: OperatorCatalogue;
  after: string | undefined;
  onAdd: (type: string) => void;
}) {
  return (
    <section aria-label={texts.flow.add(after)} className="next-step">
      <h3>{texts.flow.add(after)}</h3>
      {groupByCategory(catalogue).map(([category, types]) => (
        <div key={category} className="palette">
          <span className="muted">{category}</span>
          <span className="chips">
            {types.map((type) => (
              <button
                key={type}
                type="button"
                className="chip"
                title={catalogue[type]?.description ?? undefined}
                onClick={() => onAdd(type)}
              >
                {catalogue[type]?.label ?? type}
              </button>
            ))}
          </span>
        </div>
      ))}
    </section>
  );
}

/** Edits the flow as JSON. Shows an error and changes nothing if the text is not a valid flow. */
function Json({ flow, onFlow }: { flow: FlowDefinition; onFlow: (flow: FlowDefinition) => void }) {
  const [draft, setDraft] = useState<{ text: string; problem: string }>();
  return (
    <Panel title={texts.flow.json}>
      <Textarea
        aria-label={texts.flow.json}
        className="code"
        spellCheck={false}
        rows={28}
        value={draft?.text ?? JSON.stringify(flow, null, 2)}
        error={draft?.problem}
        onChange={({ currentTarget: { value: text } }) => {
          const parsed = readFlow(text);
          if ('problem' in parsed) setDraft({ text, problem: parsed.problem });
          else {
            setDraft(undefined);
            onFlow(parsed.flow);
          }
        }}
      />
    </Panel>
  );
}

/** The reason why a flow was not stored or started, with all findings of the server. */
function Refused({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.code === 'PRECONDITION_FAILED')
    return <Failure error={texts.flow.changedElsewhere} title={texts.flow.refused} isAction />;
  if (!(error instanceof ApiError) || error.entries.length < 2)
    return <Failure error={error} title={texts.flow.refused} isAction />;
  return (
    <Alert color="red" variant="outline" role="alert" title={texts.flow.refused} mb={16}>
      <ul>
        {error.entries.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </Alert>
  );
}
