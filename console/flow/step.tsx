import { Button, Checkbox, TextInput } from '@mantine/core';
import type { FlowDefinition, ValidationReply } from '../../client';
import { Prose } from '../parts/prose';
import type { Tone } from '../parts/state';
import { texts } from '../texts';
import { Branches } from './branches';
import type { OperatorCatalogue, OperatorMetadata } from './catalogue';
import { listOutputs, type Operator, changeOperator, omitOperator } from './draft';
import { ConfigFields } from './fields';

/** The operators of a flow, and the settings of the open one. */
export function Step({
  flow,
  catalogue,
  openStep,
  setOpenStep,
  setFlow,
  alerts,
}: {
  flow: FlowDefinition;
  catalogue: OperatorCatalogue;
  openStep: string | undefined;
  setOpenStep: (name: string | undefined) => void;
  setFlow: (flow: FlowDefinition) => void;
  alerts: ValidationReply | undefined;
}) {
  const step = flow.flow.find(({ name }) => name === openStep);
  const problems = (['failed', 'warn'] as const).flatMap((tone) =>
    ((tone === 'failed' ? alerts?.errors : alerts?.warnings) ?? [])
      .filter(({ node_name: node }) => node === openStep)
      .map(({ message }) => ({ message, tone })),
  );
  return (
    <>
      <ul className="groups" aria-label={texts.flow.steps}>
        {flow.flow.map(({ name }) => (
          <li key={name}>
            <button type="button" className="chip" aria-pressed={name === openStep} onClick={() => setOpenStep(name)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {step ? <Settings {...{ flow, step, operator: catalogue[step.type], problems, setOpenStep, setFlow }} /> : null}
    </>
  );
}

function Settings({
  flow,
  step,
  operator,
  problems,
  setOpenStep,
  setFlow,
}: {
  flow: FlowDefinition;
  step: Operator;
  operator: OperatorMetadata | undefined;
  problems: readonly { message: string; tone: Tone }[];
  setOpenStep: (name: string | undefined) => void;
  setFlow: (flow: FlowDefinition) => void;
}) {
  const position = flow.flow.indexOf(step);
  return (
    <section aria-label={texts.flow.settings(step.name)} className="step">
      <p className="state-note">{operator?.description ?? texts.flow.unknown(step.type)}</p>
      {problems.map(({ message, tone }) => (
        <p key={message} className="problem">
          <span className="state" data-tone={tone}>
            {tone === 'failed' ? texts.flow.error : texts.flow.warning}
          </span>{' '}
          <Prose text={message} />
        </p>
      ))}
      <StepName key={`${position} ${step.type}`} {...{ flow, name: step.name, setFlow, setOpenStep }} />
      <Inputs {...{ flow, name: step.name, setFlow }} />
      {operator && dividesRows(operator) ? <Branches flow={flow} step={step} setFlow={setFlow} /> : null}
      {operator ? (
        <ConfigFields
          key={step.name}
          schema={operator.config_schema}
          hidden={dividesRows(operator) ? ['branches'] : []}
          config={step.config ?? {}}
          onChange={(config) => setFlow(changeOperator(flow, step.name, { config }))}
        />
      ) : null}
      <Button
        variant="default"
        size="xs"
        mt={12}
        onClick={() => {
          setFlow(omitOperator(flow, step.name));
          setOpenStep(undefined);
        }}
      >
        {texts.flow.remove(step.name)}
      </Button>
    </section>
  );
}

function StepName({
  flow,
  name,
  setFlow,
  setOpenStep,
}: {
  flow: FlowDefinition;
  name: string;
  setFlow: (flow: FlowDefinition) => void;
  setOpenStep: (name: string) => void;
}) {
  return (
    <TextInput
      label={texts.flow.stepName}
      value={name}
      mb={8}
      onChange={({ currentTarget: { value } }) => {
        if (flow.flow.some((item) => item.name === value)) return;
        setFlow(changeOperator(flow, name, { name: value }));
        setOpenStep(value);
      }}
    />
  );
}

/** True if other operators read the rows of this one by branch. */
function dividesRows({ config_schema: schema }: OperatorMetadata): boolean {
  return Object.hasOwn((schema as { properties?: object }).properties ?? {}, 'branches');
}

/** The operators and branches whose rows this one reads. Removed ones are listed until they are deselected. */
function Inputs({
  flow,
  name,
  setFlow,
}: {
  flow: FlowDefinition;
  name: string;
  setFlow: (flow: FlowDefinition) => void;
}) {
  const step = flow.flow.find((item) => item.name === name);
  const inputs = step?.depends_on ?? [];
  const outputs = flow.flow.filter((item) => item.name !== name).flatMap(listOutputs);
  const unknown = inputs.filter((input) => !outputs.includes(input));
  if (step?.type === 'ingest_source' || outputs.length === 0) return null;
  return (
    <fieldset className="inputs">
      <legend>{texts.flow.inputs}</legend>
      {[...outputs, ...unknown].map((value) => (
        <Checkbox
          key={value}
          label={value}
          checked={inputs.includes(value)}
          onChange={({ currentTarget: { checked } }) =>
            setFlow(
              changeOperator(flow, name, {
                depends_on: checked ? [...inputs, value] : inputs.filter((input) => input !== value),
              }),
            )
          }
        />
      ))}
    </fieldset>
  );
}
