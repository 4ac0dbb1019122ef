import { useState } from 'react'
import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { readAmount } from '../../components/amount.ts'
import type { Currency } from '../../../src-preload/domain/amount.ts'
import { request } from '../../app/bridge.ts'
import { useAct } from './act-state.ts'
import { ActionForm } from './action-form.tsx'
import { AddressField, amountProblem, AmountField } from './fields.tsx'
import { useAction } from './use-action.ts'

export function FaucetForm({ chain: { network, wallets } }: { chain: SandboxChain }) {
  const action = useAction()
  const to = useAct((state) => state.to)
  const [amount, setAmount] = useState('100')
  const [currency, setCurrency] = useState<Currency>('TON')

  const submit = async () => {
    const units = readAmount(amount, currency)
    if (units === null) {
      action.refuse({ amount: amountProblem })
      return
    }
    await action.run(async () => {
      const address = wallets.find(({ name }) => name === to)?.address ?? to
      const outcome = await request('sandbox.faucet', { network, address, amount: units, currency })
      return { text: `${amount} ${currency} from the faucet`, outcome }
    })
  }

  return (
    <ActionForm
      title="Faucet"
      detail="Coins out of nothing, for any address."
      action={action}
      label="Give"
      busyLabel="Giving…"
      onSubmit={() => void submit()}
    >
      <AddressField
        label="To"
        placeholder="A wallet’s name, or an address"
        value={to}
        onChange={(next) => useAct.setState({ to: next })}
        wallets={wallets}
        error={action.errors['address']}
      />
      <AmountField
        amount={amount}
        currency={currency}
        onAmount={setAmount}
        onCurrency={setCurrency}
        error={action.errors['amount']}
      />
    </ActionForm>
  )
}
