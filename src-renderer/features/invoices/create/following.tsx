import { useEffect } from 'react'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { actionsOf } from '../../../components/jobs/job-state.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { invoiceJobsOf, jobRoute, useInvoiceJob } from '../jobs/jobs.ts'
import { UnclearChoices } from '../jobs/unclear-choices.tsx'
import { backToForm, closeCreate, createAnother, readItem, takeItem } from './issuing.ts'
import { Where } from './where.tsx'
import styles from './create.module.css'

const standing: Record<InvoiceJob['state'], string> = {
  running: 'Asking the gateway for',
  paused: 'Not asked for yet:',
  failed: 'Not asked for yet:',
  done: 'Reading what became of',
  cancelled: 'Stopped before it was asked for:',
}

/** One that was asked for and is not there yet, or will not be. */
export function Following({
  network,
  job: begun,
  item,
}: {
  network: Network
  job: InvoiceJob
  item: InvoiceJobItem | null
}) {
  const job = useInvoiceJob(begun)
  const { done, failed, unclear, state } = job
  // Whatever the job tells, its one item has the whole of it.
  useEffect(() => {
    readItem(begun).catch(() => undefined)
  }, [begun, done, failed, unclear, state])

  if (item?.state === 'failed') return <Failed why={item.message} />
  if (item?.state === 'unclear') {
    return (
      <div className={styles['form']}>
        <UnclearChoices job={job} item={item} onChanged={(next) => takeItem(job.id, next)} />
        <div className={styles['foot']}>
          <Where network={network} />
          <Button className={styles['end']} onClick={createAnother}>
            Create another
          </Button>
          <Button onClick={closeCreate}>Decide later</Button>
        </div>
      </div>
    )
  }
  const isOver = state === 'cancelled'
  return (
    <div className={styles['form']}>
      <p className={styles['preview']} role="status">
        {standing[state]}{' '}
        {item !== null && <InvoiceAmount units={item.amount} currency={item.currency} />}
      </p>
      {job.problem !== null && (
        <p className={styles['problem']} role="status">
          {job.problem}
        </p>
      )}
      <p className={styles['note']}>
        {state === 'running'
          ? 'It goes on when this window is closed, and is listed under Jobs.'
          : 'It is kept under Jobs.'}
      </p>
      <div className={styles['foot']}>
        <Where network={network} />
        <Button
          className={styles['end']}
          onClick={() => {
            closeCreate()
            navigate(jobRoute(job))
          }}
        >
          Show the job
        </Button>
        {job.problem !== null && <Button onClick={createAnother}>Create another</Button>}
        <Act job={job} />
        {isOver && <Button onClick={backToForm}>Back to what was typed</Button>}
      </div>
    </div>
  )
}

/** What it waits for may have come, or nobody wants to wait. */
function Act({ job }: { job: InvoiceJob }) {
  const { canResume, canStop } = actionsOf(job)
  const ask = async (route: 'invoiceJob.resume' | 'invoiceJob.cancel', failure: string) => {
    const next = await attempt(failure, () => request(route, { id: job.id }))
    if (next !== undefined) await invoiceJobsOf(job.network).reload()
  }
  return (
    <>
      {canStop && job.problem !== null && (
        <Button onClick={() => void ask('invoiceJob.cancel', 'Could not stop it')}>Stop</Button>
      )}
      {canResume && (
        <Button
          kind="main"
          onClick={() => void ask('invoiceJob.resume', 'Could not go on with it')}
        >
          Try again now
        </Button>
      )}
    </>
  )
}

function Failed({ why }: { why: string | null }) {
  return (
    <div className={styles['form']}>
      <p className={styles['problem']} role="alert">
        {why ?? 'The gateway refused it.'}
      </p>
      <p className={styles['note']}>Nothing exists at the gateway: it can be asked for again.</p>
      <div className={styles['foot']}>
        <Button className={styles['end']} onClick={createAnother}>
          Begin anew
        </Button>
        <Button kind="main" onClick={backToForm}>
          Back to what was typed
        </Button>
      </div>
    </div>
  )
}
