import type { PayHow, SandboxChain, SandboxInvoice } from '../../../src-preload/contract/sandbox.ts'
import type { Currency } from '../../../src-preload/domain/amount.ts'
import { request, reload, useData } from '../../app/bridge.ts'
import { useSandboxAction } from '../../app/sandbox-action.ts'
import { formatAmount, readAmount } from '../../components/amount.ts'
import { readSpan } from '../../components/time-span.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select, TextField } from '../../ui/form.tsx'
import { Columns, Note } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import {
  ActionForm,
  AmountField,
  PayerField,
  amountProblem,
  useActionForm,
} from './action-form.tsx'

/** Invoices exist on Mainnet only. */
export function PayForm({ chain }: { chain: SandboxChain }) {
  const invoices = useData('sandbox.invoices')
  if (chain.network === 'testnet') return <Note>Invoices can be paid on Mainnet only.</Note>
  if (!chain.access.canCreate) {
    return <Note>Access to invoices is not granted. Grant it on the Invoices tab.</Note>
  }
  return (
    <Loaded query={invoices} of="the invoices" rows={4}>
      {(list) => (
        <>
          {list.length === 0 ? (
            <Note>No invoice yet. Create one to pay it.</Note>
          ) : (
            <Pay chain={chain} list={sortInvoices(list)} />
          )}
          <CreateForm />
        </>
      )}
    </Loaded>
  )
}

/** Pending invoices first. */
function sortInvoices(list: readonly SandboxInvoice[]): SandboxInvoice[] {
  const rank = ({ status }: SandboxInvoice) => (status === 'pending' ? 0 : 1)
  return list.toSorted((a, b) => rank(a) - rank(b) || b.createdAt - a.createdAt)
}

const hows: readonly { value: PayHow; label: string }[] = [
  { value: 'exact', label: 'Exact amount' },
  { value: 'under', label: 'Too little' },
  { value: 'rest', label: 'The rest' },
  { value: 'over', label: 'Too much' },
  { value: 'late', label: 'Late, after the invoice expired' },
  { value: 'twice', label: 'Twice' },
  { value: 'wrong-asset', label: 'In the wrong currency' },
  { value: 'no-comment', label: 'Without its comment' },
]

function Pay({ chain, list }: { chain: SandboxChain; list: readonly SandboxInvoice[] }) {
  const from = useSandboxAction((state) => state.from)
  const initial = { from, id: list[0]?.id ?? '', how: 'exact' as PayHow, amount: '' }
  const find = (id: string) => list.find((each) => each.id === id)
  const form = useActionForm(initial, async ({ id, how, amount }, report) => {
    const hasAmount = takesAmount(how) && amount !== ''
    const units = hasAmount ? readAmount(amount, find(id)?.currency ?? 'TON') : undefined
    if (units === null) return { amount: 'Enter an amount, or leave the field empty.' }
    const { invoice: after, ...outcome } = await request('sandbox.pay', {
      id,
      how,
      from,
      ...(units !== undefined && { amount: units }),
    })
    report(`Invoice ${after.id} is ${after.status}${describeOver(after)}`, outcome)
    return undefined
  })
  const { id, how } = form.values
  const invoice = find(id)
  return (
    <ActionForm
      title="Pay an invoice"
      form={form}
      action="Pay"
      beside={
        <Button icon="refresh" onClick={() => reload('sandbox.invoices')}>
          Refresh
        </Button>
      }
    >
      <Field label="Invoice">
        <Select
          label="Invoice"
          {...form.field('id')}
          options={list.map((each) => ({ value: each.id, label: labelOf(each) }))}
        />
      </Field>
      <Field label="How">
        <Select label="How" {...form.field('how')} options={hows} />
      </Field>
      {takesAmount(how) && invoice !== undefined && (
        <AmountField
          form={form}
          currency={invoice.currency}
          hint="If you leave it empty, the sandbox chooses an amount."
        />
      )}
      <PayerField label="Paid by" wallets={chain.wallets} />
      {how === 'late' && chain.clock.mode === 'real' && invoice?.status === 'pending' && (
        <Note tone="warn">
          With the real clock, an invoice can be paid late only once it has expired. A virtual clock
          is advanced past the expiry.
        </Note>
      )}
    </ActionForm>
  )
}

const takesAmount = (how: PayHow) => how === 'under' || how === 'over'

function describeOver({ overpayment, currency }: SandboxInvoice): string {
  return overpayment === null || /^0*$/.test(overpayment)
    ? ''
    : `, overpaid by ${formatAmount(overpayment, currency)} ${currency}`
}

function labelOf({ id, amount, currency, status, description }: SandboxInvoice): string {
  const what = description === '' ? '' : ` · ${description.slice(0, 40)}`
  return `${id} · ${formatAmount(amount, currency)} ${currency} · ${status}${what}`
}

const newInvoice = {
  amount: '1',
  currency: 'TON' as Currency,
  lifeTimeSeconds: '15 min',
  description: '',
}

/** Creates an invoice through the invoices API, as a backend does. */
function CreateForm() {
  const form = useActionForm(newInvoice, async (values, report) => {
    const { amount, currency, description } = values
    const units = readAmount(amount, currency)
    const lifeMs = readSpan(values.lifeTimeSeconds)
    if (units === null || lifeMs === null) {
      return {
        ...(units === null && { amount: amountProblem }),
        ...(lifeMs === null && { lifeTimeSeconds: 'Enter a time, such as 15 min.' }),
      }
    }
    const made = await request('sandbox.createInvoice', {
      amount: units,
      currency,
      lifeTimeSeconds: Math.max(1, Math.round(lifeMs / 1000)),
      description,
    })
    report(`Invoice ${made.id} is ${made.status}`)
    return undefined
  })
  return (
    <ActionForm title="Create an invoice" form={form} action="Create">
      <AmountField form={form} />
      <Columns least={180} gap="l">
        <TextField label="Expires in" {...form.field('lifeTimeSeconds')} />
        <TextField label="Description" placeholder="order-4711" {...form.field('description')} />
      </Columns>
    </ActionForm>
  )
}
