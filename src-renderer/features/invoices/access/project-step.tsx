import { useState } from 'react'
import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { StepProblem } from './step-problem.tsx'
import { TickStep } from './tick-step.tsx'
import { useStep } from './use-step.ts'
import styles from './access.module.css'

/** The number that is sent to the operator, kept here because some requests want it too. */
export function ProjectStep(props: {
  network: Network
  access: InvoiceAccess
  step: InvoiceAccessStep
}) {
  const { network, access } = props
  const kept = access.projectId ?? ''
  const [typed, setTyped] = useState<string | null>(null)
  const step = useStep()
  if (network.kind === 'sandbox') return <TickStep {...props} />
  const projectId = typed ?? kept
  const isNew = projectId.trim() !== kept

  const save = async () => {
    const saved = await step.run(
      () =>
        request('invoiceAccess.setIds', {
          network: network.id,
          appId: access.appId,
          projectId: projectId.trim() === '' ? null : projectId.trim(),
        }),
      { said: 'The project id is kept' },
    )
    if (saved) setTyped(null)
  }

  return (
    <>
      <form
        className={styles['form']}
        aria-label="Project id"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isNew && !step.busy) void save()
        }}
      >
        <TextField
          label="Project id"
          mono
          inputMode="numeric"
          maxLength={30}
          placeholder="as the project’s settings show it"
          value={projectId}
          onChange={setTyped}
          error={step.errors['projectId']}
          suffix={
            isNew ? (
              <Button type="submit" busy={step.busy}>
                Keep
              </Button>
            ) : (
              kept !== '' && <CopyButton text={kept} what="Project id" />
            )
          }
        />
      </form>
      <StepProblem why={step.problem} />
      <TickStep {...props} />
    </>
  )
}
