/** The texts of forwarding rules, the values of their form, and the actions on a rule. */
import { useRef, useState } from 'react'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { attempt, request, reload } from '../../app/bridge.ts'
import { type FieldErrors, type Parsed, parseInteger, useForm } from '../../app/use-form.ts'
import { navigate, useRoute } from '../../app/route.ts'
import {
  forwardingHome,
  shortTarget,
  ruleRoute,
} from '../../components/delivery/forward-deliveries.tsx'
import { FilterField } from '../../components/list/search-field.tsx'
import { announce } from '../../ui/toast.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Button } from '../../ui/button.tsx'
import { type FormState, FormDialog, RadioList, Switch, TextField } from '../../ui/form.tsx'
import { Fold, Stack } from '../../ui/layout.tsx'
import { createRules } from './rule-kind.tsx'
import {
  PathSwitches,
  TargetField,
  confirmUrl,
  recentTargets,
} from '../../components/delivery/targets.tsx'

export type TargetHealth = ForwardRule['health'][number]

/** Returns the rule's name, or its targets if it has no name. */
export function ruleTitle({ name, targets }: Pick<ForwardRule, 'name' | 'targets'>): string {
  if (name !== '') return name
  const [first = '', ...others] = targets
  return others.length === 0
    ? `To ${shortTarget(first)}`
    : `To ${shortTarget(first)} and ${formatNumber(others.length)} more`
}

export const forwardModes = [
  {
    value: 'after',
    label: 'Store and forward',
    why: 'Tondesk responds 200 at once. It sends each delivery until the target responds 2xx, even after a restart, and keeps the logical-time order of each account.',
  },
  {
    value: 'through',
    label: 'Proxy (pass-through)',
    why: 'Tondesk passes the target’s status to the gateway, so the gateway retries failed deliveries. Tondesk sends each delivery once and stores the capture in any case.',
  },
] as const

/** Returns the state of the target that most needs the user's attention. */
export function worstHealth({ health }: Pick<ForwardRule, 'health'>): TargetHealth['state'] {
  if (health.some(({ state }) => state === 'down')) return 'down'
  return health.length > 0 && health.every(({ state }) => state === 'up') ? 'up' : 'unknown'
}

export function countWaiting({ health }: Pick<ForwardRule, 'health'>): number {
  return health.reduce((sum, { waiting }) => sum + waiting, 0)
}

type SameValues = 'name' | 'filter' | 'mode' | 'enabled' | 'keepHost' | 'appendPath' | 'fullAnswer'

/** The values of the form. Numbers are kept as the user typed them. */
export type RuleValues = Pick<ForwardRule, SameValues> & {
  readonly id: number | null
  readonly targets: readonly string[]
  readonly timeoutSeconds: string
  /** Null if there is no limit. */
  readonly giveUpHours: string | null
}

export const newRule: RuleValues = {
  id: null,
  name: '',
  filter: '',
  targets: [''],
  mode: 'after',
  enabled: true,
  keepHost: false,
  appendPath: false,
  timeoutSeconds: '15',
  fullAnswer: false,
  giveUpHours: null,
}

export const forwardRules = createRules<ForwardRule, RuleValues>({
  routes: 'forwardRule',
  newRule,
})

export function valuesOf(rule: ForwardRule): RuleValues {
  const { id, name, filter, targets, mode, enabled, keepHost, appendPath, fullAnswer } = rule
  return {
    id,
    name,
    filter,
    targets,
    mode,
    enabled,
    keepHost,
    appendPath,
    fullAnswer,
    timeoutSeconds: String(rule.timeoutSeconds),
    giveUpHours: rule.giveUpHours === null ? null : String(rule.giveUpHours),
  }
}

/** Returns the rule to save, or a problem for each field; `targets.1` is the field of the second target. */
export function parseRule(values: RuleValues): Parsed<Input<'forwardRule.save'>> {
  const errors: Record<string, string> = {}
  const targets = values.targets.map((url) => url.trim())
  targets.forEach((url, index) => {
    if (url === '') errors[`targets.${index}`] = 'Enter the URL of the target.'
    else if (targets.indexOf(url) < index) {
      errors[`targets.${index}`] = 'This target is already in the list.'
    }
  })
  const timeoutSeconds = parseInteger(values.timeoutSeconds)
  if (timeoutSeconds === null || timeoutSeconds < 1 || timeoutSeconds > 120) {
    errors['timeoutSeconds'] = 'Enter 1 to 120 seconds.'
  }
  // Each of these two values belongs to one mode only.
  const typedHours = values.mode === 'after' ? values.giveUpHours : null
  const giveUpHours = typedHours === null ? null : parseInteger(typedHours)
  if (typedHours !== null && (giveUpHours === null || giveUpHours < 1 || giveUpHours > 720)) {
    errors['giveUpHours'] = 'Enter 1 to 720 hours.'
  }
  if (Object.keys(errors).length > 0) return { input: null, errors }
  const { id, mode, enabled, keepHost, appendPath } = values
  return {
    input: {
      id,
      mode,
      enabled,
      keepHost,
      appendPath,
      targets,
      name: values.name.trim(),
      filter: values.filter.trim(),
      timeoutSeconds: timeoutSeconds ?? 15,
      fullAnswer: mode === 'through' && values.fullAnswer,
      giveUpHours,
    },
    errors: null,
  }
}

/** Sends the waiting deliveries of a rule at once. */
export async function retryRule(rule: ForwardRule): Promise<void> {
  const next = await attempt('Could not retry the deliveries', () =>
    request('forwardRule.retryNow', { id: rule.id }),
  )
  if (next === undefined) return
  reload('forwardRule.list')
  announce('Retrying the waiting deliveries')
}

export async function removeRule(rule: ForwardRule): Promise<void> {
  const waiting = countWaiting(rule)
  const dropped =
    waiting === 0
      ? 'No deliveries are waiting.'
      : `${formatCount(waiting, 'waiting delivery', 'waiting deliveries')} will be dropped.`
  const isRemoved = await forwardRules.remove(rule, {
    title: `Remove the rule “${ruleTitle(rule)}”?`,
    detail: `${dropped} Past delivery attempts remain stored with their captures.`,
  })
  const { route } = useRoute.getState()
  const isOpen = route.page === 'delivery' && route.view === 'forwarding' && route.rule === rule.id
  if (isRemoved && isOpen) navigate(forwardingHome)
}

export function RuleForm({ initial }: { initial: RuleValues }) {
  const first = useRef<HTMLInputElement>(null)
  const form = useForm(initial, async (values) => {
    const { input, errors } = parseRule(values)
    const refused = input === null ? errors : await confirmTargets(input.targets)
    if (input === null || refused !== null) return refused ?? undefined
    const rule = await request('forwardRule.save', input)
    for (const url of input.targets) recentTargets.remember(url)
    reload('forwardRule.list')
    announce(`“${ruleTitle(rule)}” saved`)
    forwardRules.close()
    navigate(ruleRoute(rule.id))
  })
  const { change, errors } = form
  const { id, mode, targets } = form.values
  /** Each field has a key of its own, because the user can remove a field between others. */
  const [keys, setKeys] = useState(() => targets.map((_, index) => index))
  const recent = recentTargets.use((state) => state.recent)
  const add = () => {
    setKeys([...keys, Math.max(...keys) + 1])
    change({ targets: [...targets, ''] })
  }
  const remove = (index: number) => {
    setKeys(keys.toSpliced(index, 1))
    change({ targets: targets.toSpliced(index, 1) })
  }
  return (
    <FormDialog
      wide
      title={id === null ? 'New forwarding rule' : 'Edit forwarding rule'}
      detail="Tondesk sends each delivery byte for byte with its original headers. An additional X-Tondesk-Delivery header is the same in every attempt."
      label="Forwarding rule"
      action={id === null ? 'Create rule' : 'Save'}
      form={form}
      initialFocus={first}
      onClose={forwardRules.close}
    >
      <Stack>
        {targets.map((url, index) => (
          <TargetField
            key={keys[index]}
            ref={index === 0 ? first : undefined}
            label={targets.length === 1 ? 'Send to' : `Target ${index + 1}`}
            value={url}
            onChange={(next) => change({ targets: targets.with(index, next) })}
            error={errors[`targets.${index}`] ?? (index === 0 ? errors['targets'] : undefined)}
            suggestions={url === '' ? recent.filter((each) => !targets.includes(each)) : []}
            onRemove={targets.length > 1 ? () => remove(index) : undefined}
          />
        ))}
        {targets.length < maxTargets && (
          <div>
            <Button icon="plus" kind="quiet" onClick={add}>
              Add target
            </Button>
          </div>
        )}
      </Stack>
      <FilterField {...form.field('filter')} stage={mode === 'through' ? 'arrival' : 'indexed'} />
      <RadioList
        label="Mode"
        options={forwardModes}
        value={mode}
        onChange={(next) => change({ mode: next })}
      />
      <TextField label="Name" maxLength={80} placeholder="Optional" {...form.field('name')} />
      <Fold summary="Path, host, time limits" open={hasOptions(initial)}>
        <Options form={form} />
      </Fold>
    </FormDialog>
  )
}

/** Asks the user to confirm each host other than this computer. @returns a problem for each field, or null */
async function confirmTargets(targets: readonly string[]): Promise<FieldErrors | null> {
  for (const [index, url] of targets.entries()) {
    const problem = await confirmUrl(url, 'All deliveries of this rule')
    if (problem !== null) return { [`targets.${index}`]: problem }
  }
  return null
}

/** True if an option differs from its default; the options are then visible at once. */
function hasOptions(values: RuleValues): boolean {
  const { keepHost, appendPath, fullAnswer, giveUpHours, timeoutSeconds } = values
  return keepHost || appendPath || fullAnswer || giveUpHours !== null || timeoutSeconds !== '15'
}

const maxTargets = 10

function Options({ form }: { form: FormState<RuleValues> }) {
  const { mode, fullAnswer, giveUpHours } = form.values
  return (
    <>
      <PathSwitches values={form.values} onChange={form.change} />
      <TextField
        label="Timeout"
        inputMode="numeric"
        suffix="seconds"
        {...form.field('timeoutSeconds')}
      />
      {mode === 'through' ? (
        <Switch
          label="Return the target’s headers and body"
          hint="If off, the gateway receives only the target’s status."
          checked={fullAnswer}
          onChange={(next) => form.change({ fullAnswer: next })}
        />
      ) : (
        <>
          <Switch
            label="Limit retries"
            hint="If off, Tondesk retries until the target accepts the delivery."
            checked={giveUpHours !== null}
            onChange={(on) => form.change({ giveUpHours: on ? '24' : null })}
          />
          {giveUpHours !== null && (
            <TextField
              label="Stop retrying after"
              inputMode="numeric"
              suffix="hours"
              value={giveUpHours}
              onChange={(next) => form.change({ giveUpHours: next })}
              error={form.errors['giveUpHours']}
            />
          )}
        </>
      )}
    </>
  )
}
