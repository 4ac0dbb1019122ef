import { useState } from 'react'
import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { readAmount } from '../../components/amount.ts'
import { request } from '../../app/bridge.ts'
import { TextField } from '../../ui/text-field.tsx'
import { useAct } from './act-state.ts'
import { ActionForm } from './action-form.tsx'
import { AddressField, amountProblem, AmountField, WalletField } from './fields.tsx'
import { useAction } from './use-action.ts'

export function OpcodeForm({ chain: { network, wallets } }: { chain: SandboxChain }) {
  const action = useAction()
  const from = useAct((state) => state.from)
  const [opcode, setOpcode] = useState('0x5fcc3d14')
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('0.05')

  const submit = async () => {
    const units = readAmount(amount, 'TON')
    if (units === null) {
      action.refuse({ amount: amountProblem })
      return
    }
    await action.run(async () => {
      const outcome = await request('sandbox.opcode', {
        network,
        from,
        opcode,
        amount: units,
        ...(to.trim() !== '' && { to }),
      })
      return { text: `Message with ${opcode} sent`, outcome }
    })
  }

  return (
    <ActionForm
      title="Send an opcode"
      detail="A message whose body begins with these 32 bits. Webhooks subscribed to the opcode are told."
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
      <TextField
        label="Opcode"
        mono
        value={opcode}
        onChange={setOpcode}
        error={action.errors['opcode']}
      />
      <AddressField
        label="To"
        placeholder="The contract that answers opcodes"
        value={to}
        onChange={setTo}
        wallets={wallets}
        error={action.errors['to']}
      />
      <AmountField
        amount={amount}
        currency="TON"
        onAmount={setAmount}
        error={action.errors['amount']}
      />
    </ActionForm>
  )
}
