import { useState } from 'react'
import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { TextField } from '../../ui/text-field.tsx'
import { useAct } from './act-state.ts'
import { ActionForm } from './action-form.tsx'
import { WalletField } from './fields.tsx'
import { useAction } from './use-action.ts'

export function DeployForm({ chain: { network, wallets } }: { chain: SandboxChain }) {
  const action = useAction()
  const from = useAct((state) => state.from)
  const [name, setName] = useState('')

  const submit = () =>
    action.run(async () => {
      const { address, ...outcome } = await request('sandbox.deploy', {
        network,
        from,
        ...(name !== '' && { name }),
      })
      return { text: `Deployed at ${address}`, outcome }
    })

  return (
    <ActionForm
      title="Deploy a contract"
      detail="The small contract that answers opcodes. Webhooks subscribed to new contracts are told."
      action={action}
      label="Deploy"
      busyLabel="Deploying…"
      onSubmit={() => void submit()}
    >
      <WalletField
        label="Paid by"
        value={from}
        onChange={(next) => useAct.setState({ from: next })}
        wallets={wallets}
      />
      <TextField
        label="Name"
        hint="Another name is another address. Without one, an address that was not used yet."
        value={name}
        onChange={setName}
        error={action.errors['name']}
      />
    </ActionForm>
  )
}
