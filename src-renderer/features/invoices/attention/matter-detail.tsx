import { useEffect, useState } from 'react'
import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { matterCodes } from '../../../../src-preload/domain/error-codes.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { on } from '../../../app/bridge.ts'
import type { Resource } from '../../../app/resource.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { matterTexts, matterTones } from '../invoice-words.ts'
import { Candidates } from '../payments/candidates.tsx'
import { type Act, actWords, runActOn } from '../detail/advice-acts.ts'
import detail from '../detail/detail.module.css'
import { handleMatters, openMatter, reopenMatters, saveNote } from './matter-commands.ts'
import { MatterFacts } from './matter-facts.tsx'
import { matterLabelOf, subjectOf } from './matter-words.ts'
import { RefundDialog } from './refund-dialog.tsx'
import styles from './attention.module.css'

const unknownCode: (typeof matterCodes)['unknown'] = 'MATTER_UNKNOWN'

/** One matter: what it is, what to do, and the means to do it; kept current while it is open. */
export function MatterDetail({ network, id }: { network: Network; id: number }) {
  const { state, resource } = useAnswer('matter.get', { network: network.id, key: id })
  useEffect(() => {
    const look = (changed: { readonly network: string }) => {
      if (changed.network === network.id) void resource.reload()
    }
    const stops = [
      on('matter.changed', look),
      on('invoice.changed', look),
      on('payment.changed', look),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [network.id, resource])
  switch (state.status) {
    case 'ready':
      return <Sections network={network} matter={state.value} resource={resource} />
    case 'failed':
      if (state.error.code === unknownCode) {
        return (
          <EmptyState
            title="This is no matter any more"
            detail="What it was about has been settled, or is not known here."
          >
            <Button onClick={() => openMatter(network.id, null)}>Close</Button>
          </EmptyState>
        )
      }
      return (
        <FailedState
          what="It could not be read"
          why={state.error.message}
          onRetry={() => void resource.reload()}
        />
      )
    case 'idle':
    case 'loading':
      return <Skeleton rows={6} label="Loading the matter" />
  }
}

function Sections({
  network,
  matter,
  resource,
}: {
  network: Network
  matter: Matter
  resource: Resource<Matter>
}) {
  const { kind, handledAt, payment } = matter
  return (
    <div className={detail['detail']}>
      <div className={pane['head']}>
        <h2 className={pane['title']}>
          <UntrustedText text={subjectOf(matter)} />
        </h2>
        <Tag tone={matterTones[kind]} title={matterTexts[kind]}>
          {matterLabelOf(matter)}
        </Tag>
        {handledAt !== null && <Tag tone="ok">handled</Tag>}
        <span className={detail['end']}>
          <IconButton icon="close" label="Close" onClick={() => openMatter(network.id, null)} />
        </span>
      </div>
      <div className={detail['sections']} tabIndex={0} role="region" aria-label="The matter">
        <Advice network={network} matter={matter} />
        <MatterFacts network={network} matter={matter} />
        {kind === 'unmatched' && payment !== null && (
          <div className={pane['section']}>
            <h3>Is it of one of these?</h3>
            <Candidates network={network} payment={payment} />
          </div>
        )}
        <Note key={matter.note} matter={matter} resource={resource} />
      </div>
    </div>
  )
}

/** What to do, and the buttons to do it; of one that is handled what can still be of use. */
function Advice({ network, matter }: { network: Network; matter: Matter }) {
  const { advice, handledAt, invoice, key, kind } = matter
  const [busy, setBusy] = useState<Act | null>(null)
  const [refunding, setRefunding] = useState(false)
  const isOpen = handledAt === null
  // Candidates for a payment stand right below.
  const acts = advice.acts.filter((act) =>
    isOpen ? act !== 'find-payment' || kind !== 'unmatched' : act === 'prepare-refund',
  )
  const run = async (act: Act) => {
    setBusy(act)
    if (act === 'prepare-refund') setRefunding(true)
    else if (act === 'mark-handled') await handleMatters(network.id, [key])
    else if (invoice !== null) await runActOn(act, network, invoice.id)
    setBusy(null)
  }
  return (
    <div
      className={classes(detail['advice'], detail[isOpen ? advice.tone : 'neutral'])}
      role="region"
      aria-label="What to do next"
    >
      <h3 className={detail['adviceTitle']}>
        <UntrustedText text={advice.title} />
      </h3>
      {advice.text !== '' && (
        <p className={detail['adviceText']}>
          <UntrustedText text={advice.text} />
        </p>
      )}
      <div className={detail['acts']}>
        {acts.map((act) => (
          <Button key={act} busy={busy === act} onClick={() => void run(act)}>
            {actWords[act]}
          </Button>
        ))}
        {!isOpen && <Button onClick={() => void reopenMatters(network.id, [key])}>Reopen</Button>}
      </div>
      <RefundDialog
        network={network}
        matter={matter}
        open={refunding}
        onClose={() => setRefunding(false)}
      />
    </div>
  )
}

function Note({ matter, resource }: { matter: Matter; resource: Resource<Matter> }) {
  const [note, setNote] = useState(matter.note)
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    const saved = await saveNote(matter, note)
    if (saved !== undefined) resource.set(saved)
    setBusy(false)
  }
  return (
    <form
      className={classes(pane['section'], styles['note'])}
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void save()
      }}
    >
      <TextArea
        label="Note"
        rows={2}
        maxLength={2000}
        placeholder="What was agreed with the payer"
        value={note}
        onChange={setNote}
      />
      {note.trim() !== matter.note && (
        <div className={detail['acts']}>
          <Button type="submit" busy={busy}>
            Keep the note
          </Button>
          <Button kind="quiet" onClick={() => setNote(matter.note)}>
            Discard
          </Button>
        </div>
      )}
    </form>
  )
}
