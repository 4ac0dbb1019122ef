import { type RefObject, useRef, useState } from 'react'
import { create } from 'zustand'
import { request, reload } from '../../app/bridge.ts'
import { type FieldErrors, useForm } from '../../app/use-form.ts'
import { navigate } from '../../app/route.ts'
import { ruleRoute } from '../../components/delivery/forward-deliveries.tsx'
import { FilterField } from '../../components/list/choice-chips.tsx'
import { Button } from '../../ui/button.tsx'
import { type FormState, FormDialog, RadioList, Switch, TextField } from '../../ui/form.tsx'
import { Fold, Stack } from '../../ui/layout.tsx'
import { announce } from '../../ui/toast.tsx'
import {
  type RuleValues,
  modeDetails,
  modeLabels,
  newRule,
  parseRule,
  ruleTitle,
} from './forward-rules.ts'
import {
  PathSwitches,
  TargetField,
  checkTarget,
  confirmTarget,
  refusedDetail,
  rememberTarget,
  useRecentTargets,
} from './targets.tsx'

const useEdited = create<{ readonly rule: RuleValues | null }>(() => ({ rule: null }))

/** Opens the form with a rule, or with a new one. */
export function openForwardRule(known: Partial<RuleValues> = {}): void {
  useEdited.setState({ rule: { ...newRule, ...known } })
}

const close = () => useEdited.setState({ rule: null })

export function ForwardRuleDialog() {
  const { rule } = useEdited()
  return rule !== null && <RuleForm initial={rule} />
}

const modes = (['after', 'through'] as const).map((value) => ({
  value,
  label: modeLabels[value],
  why: modeDetails[value],
}))

function RuleForm({ initial }: { initial: RuleValues }) {
  const first = useRef<HTMLInputElement>(null)
  const form = useForm(initial, async (values) => {
    const { input, errors } = parseRule(values)
    const refused = input === null ? errors : await confirmTargets(input.targets)
    if (input === null || refused !== null) return refused ?? undefined
    const rule = await request('forwardRule.save', input)
    for (const url of input.targets) rememberTarget(url)
    reload('forwardRule.list')
    announce(`“${ruleTitle(rule)}” saved`)
    close()
    navigate(ruleRoute(rule.id))
    return undefined
  })
  const { id, mode } = form.values
  return (
    <FormDialog
      wide
      title={id === null ? 'New forwarding rule' : 'Edit forwarding rule'}
      detail="Deliveries are sent byte for byte as received, with their headers and an X-Tondesk-Delivery header that stays the same in every attempt."
      label="Forwarding rule"
      action={id === null ? 'Create rule' : 'Save'}
      form={form}
      initialFocus={first}
      onClose={close}
    >
      <Targets form={form} first={first} />
      <FilterField {...form.field('filter')} stage={mode === 'through' ? 'arrival' : 'indexed'} />
      <RadioList
        label="Mode"
        options={modes}
        value={mode}
        onChange={(next) => form.change({ mode: next })}
      />
      <TextField label="Name" maxLength={80} placeholder="Optional" {...form.field('name')} />
      <Fold summary="Path, host, time limits" open={hasOptions(initial)}>
        <Options form={form} />
      </Fold>
    </FormDialog>
  )
}

/** Asks for each host other than this computer. @returns what is wrong by field, or null */
async function confirmTargets(targets: readonly string[]): Promise<FieldErrors | null> {
  for (const [index, url] of targets.entries()) {
    const field = `targets.${index}`
    const check = await checkTarget(url)
    if (check.status === 'unknown' && check.isInvalid) return { [field]: check.why }
    // A host that cannot be resolved now may be resolved later; the rule then shows the problem.
    if (check.status !== 'known') continue
    const { verdict } = check
    if (verdict.kind === 'refused') return { [field]: verdict.problem ?? refusedDetail }
    if (verdict.kind !== 'public' || verdict.isConfirmed) continue
    const yes = await confirmTarget(verdict, 'All deliveries of this rule')
    if (!yes) return { [field]: `You did not confirm ${verdict.host}.` }
  }
  return null
}

/** Options that differ from the defaults are shown at once. */
function hasOptions(values: RuleValues): boolean {
  const { keepHost, appendPath, fullAnswer, giveUpHours, timeoutSeconds } = values
  return keepHost || appendPath || fullAnswer || giveUpHours !== null || timeoutSeconds !== '15'
}

const maxTargets = 10

function Targets({
  form: { values, errors, change },
  first,
}: {
  form: FormState<RuleValues>
  first: RefObject<HTMLInputElement | null>
}) {
  const { targets } = values
  /** An identity for each field, since one can be removed from among them. */
  const [keys, setKeys] = useState(() => targets.map((_, index) => index))
  const recent = useRecentTargets((state) => state.urls)
  const add = () => {
    setKeys([...keys, Math.max(...keys) + 1])
    change({ targets: [...targets, ''] })
  }
  const remove = (index: number) => {
    setKeys(keys.toSpliced(index, 1))
    change({ targets: targets.toSpliced(index, 1) })
  }
  return (
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
  )
}

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
          label="Return headers and body"
          hint="Otherwise the gateway receives the target’s status only."
          checked={fullAnswer}
          onChange={(next) => form.change({ fullAnswer: next })}
        />
      ) : (
        <>
          <Switch
            label="Limit retries"
            hint="Otherwise Tondesk retries for as long as the target is unavailable."
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
