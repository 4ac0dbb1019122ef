import { useEffect, useRef } from 'react'
import { create } from 'zustand'
import { request, reload } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { FilterField } from '../../components/list/choice-chips.tsx'
import type { QueryFieldHandle } from '../../components/query/query-field.tsx'
import { Chip } from '../../ui/button.tsx'
import {
  type FormState,
  FormDialog,
  RadioList,
  Switch,
  TextArea,
  TextField,
} from '../../ui/form.tsx'
import { Columns, Fold, Row, Stack } from '../../ui/layout.tsx'
import { announce } from '../../ui/toast.tsx'
import { type RuleValues, newRule, parseRule } from './response-rules.ts'

const useEdited = create<{ readonly rule: RuleValues | null }>(() => ({ rule: null }))

/** Opens the form with a rule, or with a new one. */
export function openResponseRule(known: Partial<RuleValues> = {}): void {
  useEdited.setState({ rule: { ...newRule, ...known } })
}

const close = () => useEdited.setState({ rule: null })

export function ResponseRuleDialog() {
  const { rule } = useEdited()
  return rule !== null && <RuleForm initial={rule} />
}

const kinds = [
  {
    value: 'answer',
    label: 'Respond',
    why: 'With a status, headers and a body, at once or after a delay.',
  },
  {
    value: 'hang',
    label: 'Never respond',
    why: 'The connection stays open until the sender closes it, at most ten minutes.',
  },
  {
    value: 'cut',
    label: 'Close the connection',
    why: 'Before or during the response.',
  },
] as const

function RuleForm({ initial }: { initial: RuleValues }) {
  const first = useRef<QueryFieldHandle>(null)
  useEffect(() => first.current?.focus(), [first])
  const form = useForm(initial, async (values) => {
    const { input, errors } = parseRule(values)
    if (input === null) return errors
    await request('answerRule.save', input)
    reload('answerRule.list')
    announce('Response rule saved')
    close()
    return undefined
  })
  const { id, kind, enabled } = form.values
  return (
    <FormDialog
      wide
      title={id === null ? 'New response rule' : 'Edit response rule'}
      detail="Matching deliveries are stored as usual; only the response differs."
      label="Response rule"
      action={id === null ? 'Create rule' : 'Save'}
      form={form}
      onClose={close}
    >
      <FilterField ref={first} {...form.field('filter')} stage="arrival" />
      <RadioList
        label="Response"
        options={kinds}
        value={kind}
        onChange={(next) => form.change({ kind: next })}
      />
      {kind === 'answer' && <ResponseFields form={form} initial={initial} />}
      {kind === 'cut' && (
        <TextField
          label="Close after"
          inputMode="numeric"
          suffix="bytes of the response"
          hint="0 closes the connection before the first byte."
          {...form.field('after')}
        />
      )}
      <Columns least={200} gap="l">
        <TextField
          label="Limit to"
          inputMode="numeric"
          placeholder="no limit"
          suffix="deliveries"
          hint="The rule then turns itself off."
          {...form.field('next')}
        />
        <TextField
          label="Apply to"
          inputMode="numeric"
          placeholder="100"
          suffix="% of matching requests"
          hint="Spread evenly. The rest match the rules below."
          {...form.field('sharePercent')}
        />
      </Columns>
      <Switch label="On" checked={enabled} onChange={(on) => form.change({ enabled: on })} />
    </FormDialog>
  )
}

/** Statuses that senders handle in different ways. */
const statusPresets = [
  [200, 'OK'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [408, 'Request Timeout'],
  [410, 'Gone'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
] as const

function ResponseFields({ form, initial }: { form: FormState<RuleValues>; initial: RuleValues }) {
  const { values, errors, change } = form
  const typed = values.status.trim()
  const known = statusPresets.find(([status]) => String(status) === typed)
  const isFilled = initial.headers !== '' || initial.body !== ''
  return (
    <>
      <Columns least={200} gap="l">
        <Stack gap="s">
          <TextField
            label="Status"
            inputMode="numeric"
            maxLength={3}
            suffix={known?.[1]}
            {...form.field('status')}
          />
          <Row wrap gap="xs" role="group" aria-label="Common statuses">
            {statusPresets.map(([status, words]) => (
              <Chip
                key={status}
                pressed={String(status) === typed}
                title={words}
                onPress={() => change({ status: String(status) })}
              >
                {status}
              </Chip>
            ))}
          </Row>
        </Stack>
        <TextField label="Delay" inputMode="decimal" suffix="seconds" {...form.field('delay')} />
      </Columns>
      <Fold summary="Headers and body" open={isFilled || errors['headers'] !== undefined}>
        <TextArea
          label="Headers"
          rows={3}
          mono
          placeholder="Retry-After: 30"
          spellCheck={false}
          {...form.field('headers')}
        />
        <TextArea
          label="Body"
          rows={4}
          mono
          maxLength={100_000}
          placeholder="Empty"
          spellCheck={false}
          {...form.field('body')}
        />
      </Fold>
    </>
  )
}
