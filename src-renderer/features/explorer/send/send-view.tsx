import type { Emulation } from '../../../../src-preload/contract/message.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { SentencePart } from '../../../../src-preload/contract/chain.ts'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import { classes } from '../../../ui/classes.ts'
import colour from '../../../components/network-colour.module.css'
import { OfNetwork, useShownNetwork } from '../../../components/chain/of-network.tsx'
import { SentenceView } from '../../../components/chain/sentence-view.tsx'
import { EmulationPanel } from './emulation-panel.tsx'
import { SentPanel } from './sent-panel.tsx'
import {
  emulate,
  isCurrent,
  send,
  startOver,
  typeBoc,
  useSending,
  type Sending,
} from './sending.ts'
import styles from './send.module.css'

/** A signed message as BOC: seen first, then sent on confirmation, then followed. */
export function SendView() {
  const network = useShownNetwork()
  const sending = useSending(network.id)
  const { boc, emulation, sendProblem, isSending, sent } = sending
  const ready = emulation.status === 'ready' && isCurrent(sending) ? emulation : null
  return (
    <div className={styles['view']}>
      <form
        className={styles['form']}
        aria-label="Send a message"
        onSubmit={(event) => {
          event.preventDefault()
          if (boc.trim() !== '') void emulate(network.id)
        }}
      >
        <TextArea
          label="Signed external message as BOC"
          mono
          rows={5}
          spellCheck={false}
          placeholder="te6cck… or b5ee9c72…"
          hint="Hex, base64 or base64url. Emulating sends nothing: it shows what would happen."
          value={boc}
          onChange={(text) => typeBoc(network.id, text)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            if (boc.trim() !== '') void emulate(network.id)
          }}
        />
        <div className={styles['buttons']}>
          <Button
            kind={ready === null ? 'main' : 'plain'}
            type="submit"
            disabled={boc.trim() === ''}
            busy={emulation.status === 'asking'}
          >
            Emulate
          </Button>
          <Button
            kind={ready === null ? 'plain' : 'main'}
            icon="send"
            disabled={ready === null || sent?.messageHash === ready.emulation.messageHash}
            busy={isSending}
            title={ready === null ? 'Emulate it first.' : undefined}
            onClick={() => {
              if (ready !== null) void askAndSend(network, ready.boc, ready.emulation)
            }}
          >
            Send…
          </Button>
          {(boc !== '' || sent !== null) && (
            <Button kind="quiet" onClick={() => startOver(network.id)}>
              Start over
            </Button>
          )}
        </div>
        {sendProblem !== null && (
          <p className={styles['problem']} role="alert">
            It was not sent: {sendProblem.message}
          </p>
        )}
      </form>
      {sent !== null && <SentPanel sent={sent} />}
      <Outcome sending={sending} />
    </div>
  )
}

function Outcome({ sending }: { sending: Sending }) {
  const network = useShownNetwork()
  const { emulation } = sending
  if (emulation.status === 'none') {
    return (
      <EmptyState
        title="See what a message would do before it is sent"
        detail="Paste an external message that a wallet has signed. Its trace, what it moves, what it risks and how long it is valid are shown; only then can it be sent."
      />
    )
  }
  if (emulation.status === 'asking') return <Skeleton rows={6} label="Emulating" />
  if (emulation.status === 'failed') {
    return (
      <FailedState
        what="It could not be emulated"
        why={emulation.error.message}
        onRetry={() => void emulate(network.id)}
      />
    )
  }
  return <EmulationPanel emulation={emulation.emulation} isStale={!isCurrent(sending)} />
}

async function askAndSend(
  network: Network,
  boc: string,
  { trace, destination }: Emulation,
): Promise<void> {
  const sentence: SentencePart[] =
    trace.sentence.length > 0
      ? trace.sentence
      : [
          { kind: 'words', text: 'A message to ' },
          { kind: 'account', account: destination },
        ]
  const yes = await confirm({
    title: `Send this message on ${network.name}?`,
    detail: (
      <OfNetwork network={network}>
        <div className={styles['question']}>
          <p className={classes(colour[network.kind], styles['stakes'])}>{stakesOf(network)}</p>
          <SentenceView parts={sentence} links={false} />
        </div>
      </OfNetwork>
    ),
    action: `Send on ${network.name}`,
    destructive: true,
  })
  if (yes) await send(network.id, boc)
}

/** What can be lost on this network. */
function stakesOf({ kind, name, testOnly }: Network): string {
  if (kind === 'sandbox') return 'This is the sandbox: play money on this computer.'
  if (testOnly) return `This is ${name}: its coins are worth nothing.`
  return `This is ${name}: real money. It cannot be taken back.`
}
