import { useEffect, useRef } from 'react'
import { currencyName, type Currency } from '../../../src-preload/domain/amount.ts'
import type { SandboxChain, PayHow, SandboxInvoice } from '../../../src-preload/contract/sandbox.ts'
import { attempt, request, reload, useData } from '../../app/bridge.ts'
import { parseInteger } from '../../app/use-form.ts'
import {
  type SandboxAction,
  openSandboxAction,
  useSandboxAction,
} from '../../app/sandbox-action.ts'
import { reloadChains } from '../../app/sandbox-state.ts'
import { readCoins, formatMoney } from '../../components/amount.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Row, Stack, Columns, Note } from '../../ui/layout.tsx'
import { Select, SelectField, TextField } from '../../ui/form.tsx'
import { ActionForm, AddressField, AmountField, PayerField, useActionForm } from './action-form.tsx'
import { parseSpan } from '../../../src-preload/domain/time-span.ts'
import { Loaded } from '../../ui/loaded.tsx'

/** The form that pays an invoice. Invoices exist on Mainnet only. */
function PayForm({ chain }: { chain: SandboxChain }) {
  const invoices = useData('sandbox.invoices')
  const chosen = useSandboxAction(({ invoice }) => invoice)
  if (chain.network === 'testnet') return <Note>The sandbox has invoices on Mainnet only.</Note>
  if (!chain.access.canCreate) {
    return <Note>Access to invoices is not granted. Grant access on the Invoices tab.</Note>
  }
  return (
    <Loaded query={invoices} of="the invoices" rows={4}>
      {(list) => (
        <>
          {list.length === 0 ? (
            <Note>No invoices yet. Create the first invoice below.</Note>
          ) : (
            // If the loaded list does not contain the chosen invoice yet, it is loaded again.
            <Pay
              key={String(list.some(({ id }) => id === chosen))}
              chain={chain}
              list={sortInvoices(list)}
            />
          )}
          <CreateForm />
        </>
      )}
    </Loaded>
  )
}

/** Sorts pending invoices before the others. */
function sortInvoices(list: readonly SandboxInvoice[]): SandboxInvoice[] {
  const rank = ({ status }: SandboxInvoice) => (status === 'pending' ? 0 : 1)
  return list.toSorted((a, b) => rank(a) - rank(b) || b.createdAt - a.createdAt)
}

const hows: readonly { value: PayHow; label: string }[] = [
  { value: 'exact', label: 'Exact amount' },
  { value: 'under', label: 'Underpayment' },
  { value: 'rest', label: 'Remaining amount' },
  { value: 'over', label: 'Overpayment' },
  { value: 'late', label: 'Payment after the expiry' },
  { value: 'twice', label: 'Exact amount, paid twice' },
  { value: 'wrong-asset', label: 'Payment in the wrong currency' },
  { value: 'no-comment', label: 'Payment without a comment' },
]

function Pay({ chain, list }: { chain: SandboxChain; list: readonly SandboxInvoice[] }) {
  const { from, invoice: chosen } = useSandboxAction()
  const find = (id: string) => list.find((each) => each.id === id)
  const first = find(chosen) ?? list[0]
  const initial = { from, id: first?.id ?? '', how: 'exact' as PayHow, amount: '' }
  const form = useActionForm(initial, async ({ id, how, amount }, report) => {
    const hasAmount = takesAmount(how) && amount !== ''
    const read = hasAmount ? readCoins(amount, find(id)?.currency ?? 'TON') : null
    if (read?.units === null) return { amount: read.problem }
    const { invoice: after, ...outcome } = await request('sandbox.pay', {
      id,
      how,
      from,
      ...(read !== null && { amount: read.units }),
    })
    report(`Invoice ${after.id} is ${after.status}${describeOver(after)}`, outcome)
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
          Refresh invoices
        </Button>
      }
    >
      <SelectField
        label="Invoice"
        {...form.field('id')}
        options={list.map((each) => ({ value: each.id, label: labelOf(each) }))}
      />
      <SelectField label="Payment" {...form.field('how')} options={hows} />
      {takesAmount(how) && invoice !== undefined && (
        <AmountField
          form={form}
          currency={invoice.currency}
          hint="Leave empty to let the sandbox choose an amount."
        />
      )}
      <PayerField label="Paying wallet" wallets={chain.wallets} />
      {how === 'late' && chain.clock.mode === 'real' && invoice?.status === 'pending' && (
        <Note tone="warn">
          This invoice has not expired yet. Wait until it has expired, or switch to the virtual
          clock: when you click Pay, the sandbox advances the virtual clock past the expiry.
        </Note>
      )}
    </ActionForm>
  )
}

const takesAmount = (how: PayHow) => how === 'under' || how === 'over'

const describeOver = ({ overpayment, currency }: SandboxInvoice): string =>
  overpayment === null || /^0*$/.test(overpayment)
    ? ''
    : `, overpaid by ${formatMoney(overpayment, currency)}`

function labelOf({ id, amount, currency, status, description }: SandboxInvoice): string {
  const what = description === '' ? '' : ` · ${description.slice(0, 40)}`
  return `${id} · ${formatMoney(amount, currency)} · ${status}${what}`
}

const newInvoice = {
  amount: '1',
  currency: 'TON' as Currency,
  lifeTimeSeconds: '15 min',
  description: '',
}

/** The form that creates an invoice through the invoices API, as a backend does. */
function CreateForm() {
  const form = useActionForm(newInvoice, async (values, report) => {
    const { amount, currency, description } = values
    const { units, problem } = readCoins(amount, currency)
    const lifeMs = parseSpan(values.lifeTimeSeconds)
    if (units === null || lifeMs === null) {
      return {
        ...(units === null && { amount: problem }),
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

const actions: readonly { value: SandboxAction; label: string; key: string }[] = [
  { value: 'send', label: 'Send', key: 's' },
  { value: 'faucet', label: 'Faucet', key: 'f' },
  { value: 'pay', label: 'Pay an invoice', key: 'p' },
  { value: 'deploy', label: 'Deploy', key: 'd' },
  { value: 'opcode', label: 'Opcode', key: 'o' },
  { value: 'activity', label: 'Activity', key: 'a' },
]

/** Handles the keys that open an action. The keys of the list of wallets choose the wallet that pays. */
export function useSandboxKeys(): void {
  const shortcut = shortcutsOf('Sandbox')
  useShortcuts(
    actions.map(({ value, label, key }) => shortcut([key], label, () => openSandboxAction(value))),
  )
}

type Props = { readonly chain: SandboxChain }

/** Shows the actions that the user can start on the chain. */
export function ActionsTab({ chain }: Props) {
  const { action, opened } = useSandboxAction()
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (opened === 0) return
    const fields = [...(box.current?.querySelectorAll<HTMLElement>('form input') ?? [])]
    // A select contains a hidden input, which must not get the focus.
    const first = fields.find((each) => each.ariaHidden !== 'true' && each.tabIndex >= 0)
    const other = box.current?.querySelector<HTMLElement>('form button')
    ;(first ?? other)?.focus()
  }, [opened])

  return (
    <Stack gap="none" ref={box}>
      <Row pad="l">
        <Select
          label="Action"
          value={action}
          onChange={(next) => useSandboxAction.setState({ action: next })}
          options={actions}
        />
      </Row>
      {action === 'send' && <SendForm chain={chain} />}
      {action === 'faucet' && <FaucetForm chain={chain} />}
      {action === 'pay' && <PayForm chain={chain} />}
      {action === 'deploy' && <DeployForm chain={chain} />}
      {action === 'opcode' && <OpcodeForm chain={chain} />}
      {action === 'activity' && <ActivityForm key={chain.network} chain={chain} />}
    </Stack>
  )
}

const noAmount = { amount: '1', currency: 'TON' as Currency }

function SendForm({ chain: { network, wallets } }: Props) {
  const { from, to } = useSandboxAction()
  const form = useActionForm({ from, to, ...noAmount, comment: '' }, async (values, report) => {
    const { amount, currency, comment } = values
    const { units, problem } = readCoins(amount, currency)
    if (units === null) return { amount: problem }
    const outcome = await request('sandbox.send', {
      network,
      from,
      to,
      amount: units,
      currency,
      ...(comment !== '' && { comment }),
    })
    report(`${amount} ${currencyName(currency)} sent`, outcome)
  })
  return (
    <ActionForm title="Send a payment" form={form} action="Send">
      <PayerField label="From" wallets={wallets} />
      <AddressField
        label="To"
        value={to}
        onChange={(next) => useSandboxAction.setState({ to: next })}
        wallets={wallets}
        error={form.errors['to']}
      />
      <AmountField form={form} />
      <TextField label="Comment" placeholder="None" {...form.field('comment')} />
    </ActionForm>
  )
}

function FaucetForm({ chain: { network, wallets } }: Props) {
  const to = useSandboxAction((state) => state.to)
  const initial = { ...noAmount, address: to, amount: '100' }
  const form = useActionForm(initial, async ({ amount, currency }, report) => {
    const { units, problem } = readCoins(amount, currency)
    if (units === null) return { amount: problem }
    const order = { network, address: to, amount: units, currency }
    const outcome = await request('sandbox.faucet', order)
    report(`${amount} ${currencyName(currency)} received from the faucet`, outcome)
  })
  return (
    <ActionForm
      title="Faucet"
      detail="The faucet sends free test coins."
      form={form}
      action="Request"
    >
      <AddressField
        label="To"
        value={to}
        onChange={(next) => useSandboxAction.setState({ to: next })}
        wallets={wallets}
        error={form.errors['address']}
      />
      <AmountField form={form} />
    </ActionForm>
  )
}

function DeployForm({ chain: { network, wallets } }: Props) {
  const from = useSandboxAction((state) => state.from)
  const form = useActionForm({ from, name: '' }, async ({ name }, report) => {
    const { address, ...outcome } = await request('sandbox.deploy', {
      network,
      from,
      ...(name !== '' && { name }),
    })
    report(`Contract deployed at ${address}`, outcome)
  })
  return (
    <ActionForm
      title="Deploy a contract"
      detail="Deploys a small contract. If a message contains an opcode, the contract replies to the sender. Webhooks that subscribe to new contracts receive an event."
      form={form}
      action="Deploy"
    >
      <PayerField label="Paying wallet" wallets={wallets} />
      <TextField
        label="Name"
        hint="The contract’s address depends on the name. Without a name, the sandbox chooses an unused address."
        {...form.field('name')}
      />
    </ActionForm>
  )
}

function OpcodeForm({ chain: { network, wallets } }: Props) {
  const from = useSandboxAction((state) => state.from)
  const initial = { from, opcode: '0x5fcc3d14', to: '', amount: '0.05' }
  const form = useActionForm(initial, async ({ opcode, to, amount }, report) => {
    const { units, problem } = readCoins(amount, 'TON')
    if (units === null) return { amount: problem }
    const outcome = await request('sandbox.opcode', {
      network,
      from,
      opcode,
      amount: units,
      ...(to.trim() !== '' && { to }),
    })
    report(`Message with opcode ${opcode} sent`, outcome)
  })
  return (
    <ActionForm
      title="Send a message with an opcode"
      detail="The message begins with the 32-bit opcode that you enter. Webhooks that subscribe to the opcode receive an event."
      form={form}
      action="Send"
    >
      <PayerField label="From" wallets={wallets} />
      <TextField label="Opcode" mono {...form.field('opcode')} />
      <AddressField
        label="To"
        placeholder="Default: the sandbox’s test contract"
        wallets={wallets}
        {...form.field('to')}
      />
      <AmountField form={form} currency="TON" />
    </ActionForm>
  )
}

function ActivityForm({ chain: { network, activity } }: Props) {
  const isOn = activity.perMinute > 0
  const initial = { perMinute: isOn ? String(activity.perMinute) : '12' }
  const form = useActionForm(initial, async (values, report) => {
    const perMinute = parseInteger(values.perMinute)
    if (perMinute === null) return { perMinute: 'Enter a whole number up to 600.' }
    const set = await request('sandbox.setActivity', { network, perMinute })
    report(`Background activity set to ${formatCount(set.perMinute, 'payment')} per minute`)
  })
  const stop = async () => {
    await attempt('Could not stop the background activity', () =>
      request('sandbox.setActivity', { network, perMinute: 0 }),
    )
    void reloadChains()
  }
  return (
    <ActionForm
      title="Background activity"
      detail="The sandbox’s wallets pay each other at a steady rate. The payments continue until you stop them, even after a restart."
      form={form}
      action={isOn ? 'Change rate' : 'Start'}
      beside={
        isOn && (
          <Button icon="stop" onClick={() => void stop()}>
            Stop background activity
          </Button>
        )
      }
    >
      <TextField
        label="Rate"
        inputMode="numeric"
        suffix="payments per minute"
        short
        {...form.field('perMinute')}
      />
    </ActionForm>
  )
}
