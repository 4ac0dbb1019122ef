import { useEffect, useState } from 'react'
import type { CaptureMeaning } from '../../../../src-preload/contract/meaning.ts'
import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, request } from '../../../app/bridge.ts'
import { throttle } from '../../../ui/throttle.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import warning from '../../../ui/warning.module.css'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { OfNetwork } from '../../../components/chain/of-network.tsx'
import { SentenceView } from '../../../components/chain/sentence-view.tsx'
import { useNetwork } from '../../../components/network-tag.tsx'
import { MessageTree } from '../../../components/trace/message-tree.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { setNetworkByHand } from './network-by-hand.ts'
import { MeaningFacts } from './meaning-facts.tsx'
import { MeaningInvoice } from './meaning-invoice.tsx'
import { NetworkMenu } from './network-menu.tsx'
import styles from './meaning.module.css'

/** What a capture is about: its transaction, and the invoice it tells of or pays. */
export function MeaningTab({ capture }: { capture: CaptureRow }) {
  const { id, kind } = capture
  const { state, resource } = useAnswer('meaning.get', { id })
  const [isAsking, setIsAsking] = useState(false)
  const shown = state.status === 'ready' ? state.value : null
  const network = shown?.network ?? null
  const invoice = shown?.invoice?.id ?? null

  useEffect(() => {
    const again = throttle(() => void resource.reload(), lookMs)
    const stops = [
      on('capture.changed', ({ ids }) => (ids === null || ids.includes(id)) && again.call()),
      on('label.changed', (changed) => changed.network === network && again.call()),
      on('invoice.changed', ({ network: of, ids }) => {
        const isMeant = invoice !== null && (ids === null || ids.includes(invoice))
        if (of === network && isMeant) again.call()
      }),
      again.cancel,
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [id, network, invoice, resource])

  if (state.status === 'idle' || state.status === 'loading') {
    return <Skeleton rows={7} label="Loading what it means" />
  }
  if (state.status === 'failed') {
    return (
      <FailedState
        what="What it means could not be read"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }

  if (kind === 'unknown') {
    return (
      <EmptyState
        title="None of the gateway’s deliveries"
        detail="Nothing is asked of a network for it. Its body and its headers are what there is."
      />
    )
  }

  const askAgain = async () => {
    setIsAsking(true)
    const answer = await attempt('Could not ask again', () =>
      request('meaning.get', { id, again: true }),
    )
    if (answer !== undefined) resource.set(answer)
    setIsAsking(false)
  }
  return (
    <div>
      {state.problem !== null && (
        <p className={warning['bar']} role="alert">
          What you see may be old: {state.problem.message}{' '}
          <Button onClick={() => void resource.reload()}>Try again</Button>
        </p>
      )}
      <Meaning
        meaning={state.value}
        isAsking={isAsking}
        onAsk={() => void askAgain()}
        onReload={() => void resource.reload()}
      />
    </div>
  )
}

/** Tells of many captures come often. */
const lookMs = 700

type Props = {
  meaning: CaptureMeaning
  isAsking: boolean
  onAsk: () => void
  onReload: () => void
}

function Meaning(props: Props) {
  const { network, capture, problem } = props.meaning
  return network === null ? (
    <EmptyState title="Of an unknown network" detail={problem ?? undefined}>
      <NetworkMenu
        label="Choose the network"
        current={null}
        onChoose={(id) => void setNetworkByHand([capture], id).then(props.onReload)}
      />
      <a href="#/webhooks">Webhooks</a>
    </EmptyState>
  ) : (
    <OfKnownNetwork {...props} network={network} />
  )
}

function OfKnownNetwork({
  meaning,
  isAsking,
  onAsk,
  onReload,
  network: id,
}: Props & { network: string }) {
  const network = useNetwork(id)
  const { transaction: answer, invoice, facts, problem } = meaning
  const trace = answer?.trace ?? null
  const isUnknown = answer === null && invoice === null
  return (
    <OfNetwork network={network}>
      {trace !== null && trace.sentence.length > 0 && (
        <div className={styles['says']}>
          <SentenceView parts={trace.sentence} />
        </div>
      )}
      {(problem !== null || (facts.state === 'waiting' && isUnknown)) && (
        <div className={styles['problem']} role="status">
          <p>
            <UntrustedText text={problem ?? 'Its transaction is being asked for.'} />
          </p>
          <Button icon="refresh" busy={isAsking} onClick={onAsk}>
            Ask {network.name} again
          </Button>
        </div>
      )}
      {invoice !== null && (
        <MeaningInvoice network={network} invoice={invoice} onChanged={onReload} />
      )}
      <MeaningFacts meaning={meaning} network={network} onReload={onReload} />
      {answer !== null && trace !== null && (
        <section className={styles['trace']}>
          <div
            className={styles['tree']}
            style={{ height: treeHead + treeRow * Math.min(10, trace.nodes.length) }}
          >
            <MessageTree
              key={answer.transaction.hash}
              trace={trace}
              here={answer.transaction.hash}
            />
          </div>
        </section>
      )}
      {answer !== null && (
        <p className={styles['foot']}>
          <a href={transactionHref(answer.transaction.hash, network.id)}>
            Open it in Transactions, with its trace
          </a>
          {problem === null && (
            <Button kind="quiet" icon="refresh" busy={isAsking} onClick={onAsk}>
              Ask again
            </Button>
          )}
        </p>
      )}
      {answer === null && invoice === null && problem === null && facts.state === 'none' && (
        <p className={pane['section']}>There is nothing to ask the network for.</p>
      )}
    </OfNetwork>
  )
}

/** Of the tree's own head and rows, in pixels. */
const treeHead = 40
const treeRow = 30
