import { useState } from 'react'
import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { readWhole } from '../../app/form-values.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ActionForm } from './action-form.tsx'
import { useAction } from './use-action.ts'

export function ActivityForm({ chain: { network, activity } }: { chain: SandboxChain }) {
  const action = useAction()
  const [rate, setRate] = useState(String(activity.perMinute === 0 ? 12 : activity.perMinute))

  const set = (perMinute: number) =>
    action.run(async () => {
      const set = await request('sandbox.setActivity', { network, perMinute })
      return set.perMinute === 0 ? 'It is quiet now' : `${set.perMinute} steps a minute`
    })

  return (
    <ActionForm
      title="Steady activity"
      detail="Payments between the wallets, as steadily as a shop with customers has them. Goes on until it is stopped, over restarts too."
      action={action}
      label={activity.perMinute === 0 ? 'Begin' : 'Change'}
      busyLabel="Setting…"
      onSubmit={() => {
        const perMinute = readWhole(rate)
        if (perMinute === null) action.refuse({ perMinute: 'Type a whole number up to 600.' })
        else void set(perMinute)
      }}
      beside={
        activity.perMinute > 0 && (
          <Button icon="stop" onClick={() => void set(0)}>
            Stop
          </Button>
        )
      }
    >
      <TextField
        label="Rate"
        inputMode="numeric"
        suffix="a minute"
        value={rate}
        onChange={setRate}
        error={action.errors['perMinute']}
      />
    </ActionForm>
  )
}
