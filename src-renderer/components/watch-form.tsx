/** The dialog that watches an account, and the button on an account's page that opens it. */
import { formatOpcode } from '../../src-preload/domain/opcode.ts'
import { useState } from 'react'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { EnteredRule, Watch, WatchRule } from '../../src-preload/contract/watch.ts'
import { coinName, formatAmount } from '../../src-preload/domain/amount.ts'
import { reload, request, useData } from '../app/bridge.ts'
import { type ExplorerRoute, explorerHome } from '../app/chain-route.ts'
import { navigate } from '../app/route.ts'
import { useForm } from '../app/use-form.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Checkbox, Field, FormDialog, RadioList, Select, TextField } from '../ui/form.tsx'
import { Hint, Problem, Row, Stack } from '../ui/layout.tsx'
import { showToast } from '../ui/toast.tsx'
import { NetworkTag } from './network-tag.tsx'

const watchedHome: ExplorerRoute = { ...explorerHome, view: 'watched' }

const reports = [
  { value: 'none', label: 'Nothing', why: 'Only the list shows matches, and their captures.' },
  { value: 'notice', label: 'A notice', why: 'Stays in the list of notices until you dismiss it.' },
  {
    value: 'incident',
    label: 'An incident',
    why: 'Is also reported by system notifications and alerts, and ends 10 minutes after the last match.',
  },
] as const

const ruleNames = [
  { value: 'incoming', label: `Receives coins` },
  { value: 'jetton', label: 'Receives a jetton' },
  { value: 'failure', label: 'Any failure' },
  { value: 'opcode', label: 'Opcode' },
] as const

/** The fields of all kinds of rules, so that entered values survive a change of the kind. */
type RuleValues = {
  readonly kind: EnteredRule['kind']
  readonly amount: string
  readonly opcode: string
  readonly jetton: string
}

type Values = Pick<Watch, 'address' | 'report' | 'makesCaptures' | 'isForwarded'> & {
  readonly rules: readonly RuleValues[]
}

const newRule: RuleValues = { kind: 'incoming', amount: '0', opcode: '', jetton: '' }

function toValues(rule: WatchRule): RuleValues {
  switch (rule.kind) {
    case 'incoming':
      return { ...newRule, kind: rule.kind, amount: formatAmount(rule.units, 9) }
    case 'failure':
      return { ...newRule, kind: rule.kind }
    case 'opcode':
      return { ...newRule, kind: rule.kind, opcode: formatOpcode(rule.opcode) }
    case 'jetton': {
      const { kind, jetton, units, decimals } = rule
      return { ...newRule, kind, jetton, amount: formatAmount(units, decimals) }
    }
  }
}

function toRule({ kind, amount, opcode, jetton }: RuleValues): EnteredRule {
  switch (kind) {
    case 'incoming':
      return { kind, amount }
    case 'failure':
      return { kind }
    case 'opcode':
      return { kind, opcode }
    case 'jetton':
      return { kind, jetton, amount }
  }
}

/** @param watch null to watch another account; `address` is then the initial value of its field */
export function WatchDialog({
  network,
  address,
  watch,
  onClose,
}: {
  network: NetworkId
  address: string
  watch: Watch | null
  onClose: () => void
}) {
  const form = useForm<Values>(
    {
      address,
      rules: watch?.rules.map(toValues) ?? [],
      report: watch?.report ?? 'notice',
      makesCaptures: watch?.makesCaptures ?? true,
      isForwarded: watch?.isForwarded ?? true,
    },
    async ({ rules, makesCaptures, isForwarded, ...values }) => {
      await request('watch.save', {
        ...values,
        network,
        makesCaptures,
        isForwarded: makesCaptures && isForwarded,
        rules: rules.map(toRule),
      })
      reload('watch.list')
      onClose()
      showToast({
        title: watch === null ? 'Account watched' : 'Changes saved',
        action: { label: 'Show watched accounts', run: () => navigate(watchedHome) },
      })
    },
  )
  const { values, change, errors } = form
  const ruleProblem = Object.entries(errors).find(([path]) => path.startsWith('rules'))?.[1]
  return (
    <FormDialog
      wide
      title={watch === null ? 'Watch an account' : 'Edit the watch'}
      detail="Tondesk requests the new transactions of the account from the gateway, without a webhook or a public URL."
      label="Watch an account"
      action={watch === null ? 'Watch' : 'Save'}
      form={form}
      onClose={onClose}
    >
      <Row>
        <NetworkTag id={network} />
      </Row>
      <TextField
        label="Account"
        mono
        readOnly={watch !== null || address !== ''}
        {...form.field('address')}
      />
      <Rules rules={values.rules} problem={ruleProblem} onChange={(rules) => change({ rules })} />
      <RadioList
        label="Report a match by"
        value={values.report}
        options={reports}
        onChange={(report) => change({ report })}
      />
      <Stack gap="xs">
        <Checkbox
          label="Make a capture of each match"
          checked={values.makesCaptures}
          onChange={(makesCaptures) => change({ makesCaptures })}
        />
        {values.makesCaptures && (
          <Checkbox
            label="Forward these captures like deliveries"
            checked={values.isForwarded}
            onChange={(isForwarded) => change({ isForwarded })}
          />
        )}
        <Hint>
          A capture has the body of a webhook’s delivery, no bearer token, and is marked as watched.
        </Hint>
      </Stack>
    </FormDialog>
  )
}

function Rules({
  rules,
  problem,
  onChange,
}: {
  rules: readonly RuleValues[]
  problem: string | undefined
  onChange: (rules: readonly RuleValues[]) => void
}) {
  const changeRule = (at: number, part: Partial<RuleValues>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...part } : rule)))
  return (
    <Stack gap="s" role="group" aria-label="Rules">
      <Field
        label="Rules"
        hint="A transaction that fits any rule matches. Without a rule, every transaction matches."
      >
        {null}
      </Field>
      {rules.map((rule, at) => (
        <Row key={at} wrap align="baseline">
          <Select
            label={`Rule ${at + 1}`}
            value={rule.kind}
            options={ruleNames}
            onChange={(kind) => changeRule(at, { kind })}
          />
          {rule.kind === 'jetton' && (
            <TextField
              label="Jetton (address of its master)"
              mono
              value={rule.jetton}
              onChange={(jetton) => changeRule(at, { jetton })}
            />
          )}
          {(rule.kind === 'incoming' || rule.kind === 'jetton') && (
            <TextField
              label={rule.kind === 'incoming' ? `At least, in ${coinName()}` : 'At least'}
              inputMode="decimal"
              value={rule.amount}
              onChange={(amount) => changeRule(at, { amount })}
            />
          )}
          {rule.kind === 'opcode' && (
            <TextField
              label="Opcode"
              mono
              placeholder="0x0f8a7ea5"
              value={rule.opcode}
              onChange={(opcode) => changeRule(at, { opcode })}
            />
          )}
          <IconButton
            icon="trash"
            label={`Remove rule ${at + 1}`}
            onClick={() => onChange(rules.filter((_, index) => index !== at))}
          />
        </Row>
      ))}
      <Problem>{problem}</Problem>
      <Row>
        <Button
          icon="plus"
          disabled={rules.length >= 10}
          onClick={() => onChange([...rules, newRule])}
        >
          Add rule
        </Button>
      </Row>
    </Stack>
  )
}

/** The button on the page of an account. */
export function WatchButton({ network, address }: { network: NetworkId; address: string }) {
  const [isOpen, setOpen] = useState(false)
  const watches = useData('watch.list').data
  const watch =
    watches?.find((each) => each.network === network && each.address === address) ?? null
  return (
    <>
      <Button icon="eye" onClick={() => setOpen(true)}>
        {watch === null ? 'Watch…' : 'Watched…'}
      </Button>
      {isOpen && (
        <WatchDialog
          network={network}
          address={address}
          watch={watch}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
