/** A form or a button that changes the sandbox, with the result beside it. */
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { currencyName, type Currency } from '../../../src-preload/domain/amount.ts'
import type { SandboxOutcome, SandboxWallet } from '../../../src-preload/contract/sandbox.ts'
import { toAppError } from '../../app/bridge.ts'
import { type FieldErrors, useForm } from '../../app/use-form.ts'
import { sandboxNetwork, useSandboxAction } from '../../app/sandbox-action.ts'
import { reloadChains } from '../../app/sandbox-state.ts'
import { currencyChoices } from '../../components/amount.ts'
import { transactionHref } from '../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../components/chain/chain-text.tsx'
import { type FormState, Form, Select, TextField, SelectField } from '../../ui/form.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { Note, Problem, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { announce } from '../../ui/toast.tsx'

type Result = { readonly text: string; readonly outcome?: SandboxOutcome | undefined }

/** Reports the end of an action; if there is an outcome, its transactions are listed. */
type Report = (text: string, outcome?: SandboxOutcome) => void

/** Returns the result of the last run, and loads the chain again after each run. */
function useRuns() {
  const [result, setResult] = useState<Result | null>(null)
  const run = async <T,>(work: (report: Report) => Promise<T>): Promise<T> => {
    setResult(null)
    try {
      return await work((text, outcome) => {
        setResult({ text, outcome })
        announce(text)
      })
    } finally {
      await reloadChains()
    }
  }
  return { result, run }
}

/** The state of an `ActionForm`; `send` and `options` are the same as in `useForm`. */
export function useActionForm<V extends object>(
  initial: V,
  send: (values: V, report: Report) => Promise<void> | Promise<FieldErrors | undefined>,
  options?: { clears: boolean },
): FormState<V> & { readonly result: Result | null } {
  const { result, run } = useRuns()
  const form = useForm(
    initial,
    (values) => run(async (report) => (await send(values, report)) as FieldErrors | undefined),
    options,
  )
  return { ...form, result }
}

/** The fields of one action, its button, and the result below. */
export function ActionForm({
  title,
  detail,
  form,
  ...rest
}: {
  title: string
  detail?: ReactNode
  form: ComponentProps<typeof Form>['form'] & { readonly result: Result | null }
} & Pick<ComponentProps<typeof Form>, 'action' | 'beside' | 'disabled' | 'children'>) {
  return (
    <Section title={title} detail={detail}>
      <Form
        label={title}
        inline
        form={form}
        after={<RunResult result={form.result} problem={null} />}
        {...rest}
      />
    </Section>
  )
}

export type ButtonAction = ReturnType<typeof useButtonAction>

/** An action without fields. `RunResult` shows its result. */
export function useButtonAction() {
  const { result, run } = useRuns()
  const [{ busy, problem }, setState] = useState<{ busy: boolean; problem: string | null }>({
    busy: false,
    problem: null,
  })
  return {
    result,
    busy,
    problem,
    /** @param work does the action and returns a sentence that describes the result */
    start: (work: () => Promise<string>): void => {
      if (busy) return
      setState({ busy: true, problem: null })
      run(async (report) => report(await work())).then(
        () => setState({ busy: false, problem: null }),
        (error: unknown) => setState({ busy: false, problem: toAppError(error).message }),
      )
    },
  }
}

const maxShown = 8

export function RunResult({ result, problem }: Pick<ButtonAction, 'result' | 'problem'>) {
  if (problem !== null) return <Problem>{problem}</Problem>
  if (result === null) return null
  return (
    <Note tone="ok">
      <Row gap="s">
        <Icon name="check" size={14} />
        <Text strong tone="ok" over="break">
          {result.text}
        </Text>
      </Row>
      {result.outcome !== undefined && <Outcome outcome={result.outcome} />}
    </Note>
  )
}

function Outcome({ outcome: { block, transactions } }: { outcome: SandboxOutcome }) {
  const isMainnet = sandboxNetwork() === 'mainnet'
  return (
    <>
      <Text as="p" tone="dim">
        Block {formatNumber(block)}, {formatCount(transactions.length, 'transaction')}
        {transactions.length > maxShown && `; the first ${maxShown}:`}
      </Text>
      <Stack as="ul" gap="none">
        {transactions.slice(0, maxShown).map(({ hash, lt }) => (
          <Row as="li" key={hash} justify="between">
            <HashText
              hash={hash}
              href={isMainnet ? transactionHref(hash, 'sandbox') : undefined}
              what={`Hash of the transaction at ${lt}`}
            />
            <Text tone="dim" title="Logical time">
              <LtText lt={lt} />
            </Text>
          </Row>
        ))}
      </Stack>
    </>
  )
}

export function AmountField({
  form: { values, errors, change },
  currency,
  hint,
}: {
  form: Pick<FormState<{ amount: string; currency?: Currency }>, 'values' | 'errors' | 'change'>
  /** The currency of the field; if it is missing, the user chooses one. */
  currency?: Currency
  hint?: string
}) {
  return (
    <TextField
      label="Amount"
      mono
      inputMode="decimal"
      value={values.amount}
      onChange={(amount) => change({ amount })}
      hint={hint}
      error={errors['amount']}
      suffix={
        currency === undefined ? (
          <Select
            label="Currency"
            value={values.currency ?? 'TON'}
            onChange={(next) => change({ currency: next })}
            options={currencyChoices()}
          />
        ) : (
          currencyName(currency)
        )
      }
    />
  )
}

/** The choice of the wallet that sends or pays, which is the same in all forms. */
export function PayerField({
  label,
  wallets,
}: {
  label: string
  wallets: readonly SandboxWallet[]
}) {
  const from = useSandboxAction((state) => state.from)
  return (
    <SelectField
      label={label}
      value={from}
      onChange={(next) => useSandboxAction.setState({ from: next })}
      options={wallets.map(({ name }) => ({ value: name, label: name }))}
    />
  )
}

/** The field of an address in any form, or of a wallet's name; names are suggested while the user types. */
export function AddressField({
  label,
  value,
  onChange,
  wallets,
  error,
  placeholder = 'Name of a wallet, or an address',
}: {
  label: string
  value: string
  onChange: (value: string) => void
  wallets: readonly SandboxWallet[]
  error?: string | undefined
  placeholder?: string
}) {
  const id = useId()
  return (
    <>
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        error={error}
        list={id}
        placeholder={placeholder}
      />
      <datalist id={id}>
        {wallets.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
