import { useState } from 'react'
import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { readAmount } from '../../components/amount.ts'
import type { Currency } from '../../../src-preload/domain/amount.ts'
import { request } from '../../app/bridge.ts'
import { TextField } from '../../ui/text-field.tsx'
import { useAct } from './act-state.ts'
import { ActionForm } from './action-form.tsx'
import { AddressField, amountProblem, AmountField, WalletField } from './fields.tsx'
import { useAction } from './use-action.ts'

export function SendForm({ chain: { network, wallets } }: { chain: SandboxChain }) {
  const action = useAction()
  const from = useAct((state) => state.from)
  const to = useAct((state) => state.to)
  const [amount, setAmount] = useState('1')
  const [currency, setCurrency] = useState<Currency>('TON')
  const [comment, setComment] = useState('')

  const submit = async () => {
    const units = readAmount(amount, currency)
    if (units === null) {
      action.refuse({ amount: amountProblem })
      return
    }
    await action.run(async () => {
      const outcome = await request('sandbox.send', {
        network,
        from,
        to,
        amount: units,
        currency,
        ...(comment !== '' && { comment }),
      })
      return { text: `${amount} ${currency} sent`, outcome }
    })
  }

  return (
    <ActionForm
      title="Send a payment"
      action={action}
      label="Send"
      busyLabel="Sending…"
      onSubmit={() => void submit()}
    >
      <WalletField
        label="From"
        value={from}
        onChange={(next) => useAct.setState({ from: next })}
        wallets={wallets}
      />
      <AddressField
        label="To"
        placeholder="A wallet’s name, or an address"
        value={to}
        onChange={(next) => useAct.setState({ to: next })}
        wallets={wallets}
        error={action.errors['to']}
      />
      <AmountField
        amount={amount}
        currency={currency}
        onAmount={setAmount}
        onCurrency={setCurrency}
        error={action.errors['amount']}
      />
      <TextField
        label="Comment"
        placeholder="None"
        value={comment}
        onChange={setComment}
        error={action.errors['comment']}
      />
    </ActionForm>
  )
}
