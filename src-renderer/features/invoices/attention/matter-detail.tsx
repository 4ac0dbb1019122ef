import { useEffect, useState } from 'react'
import type { Matter, matterCodes, Network } from '../../../../src-preload/contract/index.ts'
import { on } from '../../../bridge.ts'
import { fromMs } from '../../../format.ts'
import { invoiceRoute } from '../../../invoices-route.ts'
import { Moment } from '../../../moment.tsx'
import type { Resource } from '../../../resource.ts'
import { printRoute } from '../../../route.ts'
import { useAnswer } from '../../../use-answer.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../chain/account-link.tsx'
import { transactionHref } from '../../chain/chain-links.ts'
import { HashText } from '../../chain/hash-text.tsx'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { InvoiceState } from '../invoice-state.tsx'
import { matterTexts, matterTones, matterWords } from '../invoice-words.ts'
import { Candidates } from '../payments/candidates.tsx'
import detail from '../detail/detail.module.css'
import { handleMatters, openMatter, reopenMatters, saveNote } from './matter-commands.ts'
import { amountWords, isRefundable, subjectOf } from './matter-words.ts'
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
  const { kind, advice, handledAt, payment, key } = matter
  const [refunding, setRefunding] = useState(false)
  const tone = handledAt === null ? advice.tone : 'neutral'
  return (
    <div className={detail['detail']}>
      <div className={pane['head']}>
        <h2 className={pane['title']}>
          <UntrustedText text={subjectOf(matter)} />
        </h2>
        <Tag tone={matterTones[kind]} title={matterTexts[kind]}>
          {matterWords[kind]}
        </Tag>
        {handledAt !== null && <Tag tone="ok">handled</Tag>}
        <span className={detail['end']}>
          <IconButton icon="close" label="Close" onClick={() => openMatter(network.id, null)} />
        </span>
      </div>
      <div className={detail['sections']} tabIndex={0} role="region" aria-label="The matter">
        <div className={classes(detail['advice'], detail[tone])}>
          <h3 className={detail['adviceTitle']}>
            <UntrustedText text={advice.title} />
          </h3>
          {advice.text !== '' && (
            <p className={detail['adviceText']}>
              <UntrustedText text={advice.text} />
            </p>
          )}
          <div className={detail['acts']}>
            {isRefundable(matter) && (
              <Button
                kind={handledAt === null ? 'main' : 'plain'}
                onClick={() => setRefunding(true)}
              >
                Prepare refund…
              </Button>
            )}
            {handledAt === null ? (
              <Button onClick={() => void handleMatters(network.id, [key])}>Mark handled</Button>
            ) : (
              <Button onClick={() => void reopenMatters(network.id, [key])}>Reopen</Button>
            )}
          </div>
        </div>
        <Facts network={network} matter={matter} />
        {kind === 'unmatched' && payment !== null && (
          <div className={pane['section']}>
            <h3>Is it of one of these?</h3>
            <Candidates network={network} payment={payment} />
          </div>
        )}
        <Note key={matter.note} matter={matter} resource={resource} />
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

function Facts({ network, matter }: { network: Network; matter: Matter }) {
  const { kind, invoice, payment, amount, currency, since, handledAt, refund } = matter
  const payer = payment?.payer ?? invoice?.paidBy ?? null
  const label = payment?.payerLabel ?? invoice?.payerLabel ?? null
  return (
    <KeyValues
      className={detail['facts']}
      pairs={[
        [
          'Invoice',
          invoice === null ? null : (
            <span key="invoice" className={styles['line']}>
              <a
                className={text['mono']}
                href={printRoute({ ...invoiceRoute(invoice.id), network: network.id })}
              >
                <UntrustedText text={invoice.id} />
              </a>
              <InvoiceState invoice={{ ...invoice, matters: [] }} />
            </span>
          ),
        ],
        [
          'Description',
          invoice === null || invoice.description === '' ? null : (
            <span key="text" className={detail['text']}>
              <UntrustedText text={invoice.description} />
            </span>
          ),
        ],
        [
          'Asked for',
          invoice === null ? null : (
            <InvoiceAmount key="amount" units={invoice.amount} currency={invoice.currency} />
          ),
        ],
        [
          'Amount',
          amount === null ? null : (
            <span key="sum">
              <InvoiceAmount units={amount} currency={currency} /> {amountWords[kind]}
            </span>
          ),
        ],
        [
          'Payer',
          payer === null ? null : (
            <AccountLink
              key="payer"
              account={{ address: payer, name: null, label, isScam: false, isWallet: true }}
            />
          ),
        ],
        [
          'Comment',
          payment === null || payment.comment === null ? null : (
            <span key="comment">
              “<UntrustedText text={payment.comment} />”
            </span>
          ),
        ],
        [
          'Transaction',
          payment === null ? null : (
            <HashText
              key="hash"
              hash={payment.hash}
              href={transactionHref(payment.hash, network.id)}
              what="Transaction hash"
            />
          ),
        ],
        ['Since', <InvoiceMoment key="since" at={since} />],
        [
          'Refund',
          refund === null ? null : (
            <span key="refund" className={styles['line']}>
              <InvoiceAmount units={refund.amount} currency={refund.currency} /> sent back{' '}
              <InvoiceMoment at={refund.at} />
              <HashText
                hash={refund.hash}
                href={transactionHref(refund.hash, network.id)}
                what="Transaction hash"
              />
            </span>
          ),
        ],
        ['Handled', handledAt === null ? null : <Moment key="handled" at={fromMs(handledAt)} />],
      ]}
    />
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
