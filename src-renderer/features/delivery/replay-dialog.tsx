import { useRef, useState } from 'react'
import type { ReplaySubject } from '../../../src-preload/contract/replay.ts'
import type { DialogProps } from '../../app/features.tsx'
import { useData, useDataOf } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { Choices } from '../../ui/button.tsx'
import { type FormState, Field, FormDialog, Switch, TextField } from '../../ui/form.tsx'
import { formatCount, formatLocal, fromMs } from '../../ui/format.ts'
import { Columns, Fold, Note, Stack, Text } from '../../ui/layout.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import {
  type ReplayOrder,
  type ReplayValues,
  type Since,
  defaultValues,
  describeReplaySubject,
  parseOrder,
  replaySequences,
  replaySpans,
  startReplay,
} from './replay-order.ts'
import { type Editing, parseEdit } from './request-edit.ts'
import { RequestEditor } from './request-editor.tsx'
import { PathSwitches, TargetField, recentTargets } from '../../components/delivery/targets.tsx'

/**
 * The dialog of a replay: the target, the request as received or edited, the speed, and the number
 * of repetitions.
 */
export function ReplayDialog({ input, onClose }: DialogProps<'replay'>) {
  const { subject } = input
  const targets = useKnownTargets()
  const first = useRef<HTMLInputElement>(null)
  const [opened] = useState(() => Date.now())
  const only = onlyCapture(subject)
  const [isEdited, setEdited] = useState(input.edited === true && only !== null)
  const [editing, setEditing] = useState<Editing | null>(null)
  const edited = isEdited && editing !== null ? parseEdit(editing.edit) : null
  const isLoading = isEdited && editing === null

  const initial = {
    ...defaultValues,
    target: input.target ?? targets[0] ?? '',
    since: sinceOf(subject),
  }
  const form = useForm<ReplayValues>(initial, async (values) => {
    const { input: order, errors } = parseOrder(subject, values, edited?.input ?? null, opened)
    if (order === null || edited?.input === null) return { ...errors, ...edited?.errors }
    if (isLoading) return undefined
    const outcome = await startReplay(order)
    if (outcome === 'started') onClose()
    return typeof outcome === 'string' ? undefined : outcome
  })
  const { values, field } = form
  const { input: order } = parseOrder(subject, values, edited?.input ?? null, opened)
  const isComplete = order !== null && !isLoading && edited?.input !== null
  const preview = usePreview(isComplete ? order : null)
  const total = isComplete ? (preview.data?.total ?? 0) : 0

  return (
    <FormDialog
      wide={isEdited ? 'widest' : true}
      title={`Replay ${describeReplaySubject(subject)}`}
      detail="Each request has an X-Tondesk-Replay header, so your server can recognize replays. Tondesk stores the responses."
      label="Replay"
      action={total > 1 ? `Replay ${formatCount(total, 'request')}` : 'Replay'}
      form={{ ...form, isChanged: form.isChanged || editing !== null }}
      initialFocus={first}
      onClose={onClose}
    >
      {subject.kind === 'since' && <SinceField {...field('since')} />}
      <TargetField ref={first} label="Send to" suggestions={targets} {...field('target')} />
      {only !== null && (
        <Choices<'received' | 'edited'>
          label="Request"
          value={isEdited ? 'edited' : 'received'}
          options={[
            { value: 'received', label: 'As received' },
            { value: 'edited', label: 'Edited' },
          ]}
          onChange={(value) => setEdited(value === 'edited')}
        />
      )}
      {only !== null && isEdited && (
        <RequestEditor
          id={only}
          editing={editing}
          errors={{ ...form.errors, ...edited?.errors }}
          onChange={setEditing}
        />
      )}
      <Options form={form} isSingle={only !== null} />
      {isComplete && <Preview preview={preview} />}
    </FormDialog>
  )
}

/** Returns the start of the selection: the time that the subject contains, or the default span. */
function sinceOf(subject: ReplaySubject): Since {
  if (subject.kind !== 'since' || subject.at === 0) return defaultValues.since
  return { span: 'typed', text: formatLocal(subject.at, 'second') }
}

const onlyCapture = (subject: ReplaySubject): number | null =>
  subject.kind === 'captures' && subject.ids.length === 1 ? (subject.ids[0] ?? null) : null

/** Returns recent targets, followed by the targets of forwarding rules. */
function useKnownTargets(): readonly string[] {
  const recent = recentTargets.use((state) => state.recent)
  const rules = useData('forwardRule.list').data ?? []
  return [...new Set([...recent, ...rules.flatMap(({ targets }) => targets)])].slice(0, 6)
}

/**
 * The maximum number of Base64 characters that a preview includes. A larger body is not sent over
 * the bridge only to count requests.
 */
const maxPreviewed = 1_000_000

/** Loads how many requests the typed order consists of. */
function usePreview(order: ReplayOrder | null) {
  const settled = useSettled(JSON.stringify(order))
  const requested = JSON.parse(settled) as ReplayOrder | null
  const isLarge = (requested?.edit?.body.length ?? 0) > maxPreviewed
  return useDataOf(
    'replay.preview',
    requested !== null && isLarge ? { ...requested, edit: null } : requested,
  )
}

function Preview({ preview: { data, error } }: { preview: ReturnType<typeof usePreview> }) {
  if (error !== null) return <Note>{error.message}</Note>
  if (data === undefined) return null
  const { total, warnings } = data
  return (
    <div aria-live="polite">
      <Note>
        {total === 0
          ? 'There are no requests to send.'
          : `${formatCount(total, 'request')} will be sent.`}
        {warnings.map((warning) => (
          <Text as="p" key={warning} tone="warn">
            {warning}
          </Text>
        ))}
      </Note>
    </div>
  )
}

const hour = 3_600_000

type SinceFieldProps = {
  value: Since
  onChange: (since: Since) => void
  error: string | undefined
}

function SinceField({ value: { span, text }, onChange, error }: SinceFieldProps) {
  const anHourAgo = () => formatLocal(fromMs(Date.now() - hour), 'second')
  return (
    <Field label="Captures to replay">
      <Choices
        label="Time range"
        value={span}
        options={replaySpans}
        onChange={(next) => onChange({ span: next, text: next === 'typed' ? anHourAgo() : '' })}
      />
      {span === 'typed' && (
        <TextField
          label="Received since"
          hideLabel
          type="datetime-local"
          step={1}
          value={text}
          onChange={(next) => onChange({ span, text: next })}
          error={error}
        />
      )}
    </Field>
  )
}

type OptionsProps = { form: FormState<ReplayValues>; isSingle: boolean }

/** The options of a replay. They are collapsed for a single capture, which seldom needs them. */
function Options({ form, isSingle }: OptionsProps) {
  const { values, errors, field, change } = form
  const isWrong = Object.keys(errors).some(
    (name) => Object.hasOwn(values, name) && name !== 'target',
  )
  return (
    <Fold
      summary={isSingle ? 'Count, path, host, timeout' : 'Timing, order, limits'}
      open={!isSingle || isWrong}
    >
      {!isSingle && <Pace form={form} />}
      <Columns least={120} gap="m">
        <TextField
          label="Requests per capture"
          inputMode="numeric"
          maxLength={4}
          {...field('times')}
        />
        <TextField label="Concurrency" inputMode="numeric" maxLength={4} {...field('parallel')} />
        <TextField
          label="Timeout"
          inputMode="numeric"
          maxLength={4}
          suffix="seconds"
          {...field('timeoutSeconds')}
        />
      </Columns>
      {!isSingle && <Sequence form={form} />}
      {!isSingle && (
        <Switch
          label="Stop at the first failure"
          hint="The replay stops at the first response other than 2xx. You can resume the replay from there."
          checked={values.stopAtFailure}
          onChange={(stopAtFailure) => change({ stopAtFailure })}
        />
      )}
      <PathSwitches values={values} onChange={change} />
    </Fold>
  )
}

const paces: readonly { readonly value: ReplayValues['pace']; readonly label: string }[] = [
  { value: 'fast', label: 'As fast as possible' },
  { value: 'original', label: 'Original timing' },
  { value: 'rate', label: 'Fixed rate' },
]

function Pace({ form: { values, field } }: Pick<OptionsProps, 'form'>) {
  const { value, onChange } = field('pace')
  return (
    <Stack>
      <Field label="Timing">
        <Choices label="Timing" value={value} options={paces} onChange={onChange} />
      </Field>
      {values.pace === 'original' && (
        <TextField
          label="Speed"
          inputMode="decimal"
          suffix="times the original"
          {...field('factor')}
        />
      )}
      {values.pace === 'rate' && (
        <TextField
          label="Rate"
          inputMode="decimal"
          suffix="requests per second"
          {...field('perSecond')}
        />
      )}
    </Stack>
  )
}

function Sequence({ form: { values, change } }: Pick<OptionsProps, 'form'>) {
  const why = replaySequences.find(({ value }) => value === values.order)?.why
  return (
    <Field label="Order" hint={why}>
      <Choices
        label="Order"
        value={values.order}
        options={replaySequences}
        onChange={(order) => change({ order })}
      />
    </Field>
  )
}
