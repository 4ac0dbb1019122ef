import type { Emulation } from '../../../src-preload/contract/message.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { AccountLink, AccountName } from '../../components/chain/account-link.tsx'
import { Amount, HashText } from '../../components/chain/chain-text.tsx'
import { transactionHref } from '../../components/chain/chain-links.ts'
import { OfNetwork, useShownNetwork, confirmOn } from '../../components/network-tag.tsx'
import { SentenceView } from '../../components/chain/sentence-view.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { MessageTree } from '../../components/trace/message-tree.tsx'
import { EventActions } from '../../components/trace/event-actions.tsx'
import { ValueFlowTable } from '../../components/trace/value-flow.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, FailedState, Skeleton } from '../../ui/loaded.tsx'
import { formatCount, formatDuration, fromMs } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { Hint, Tag, Text, Note, Pane, Row, Section, Stack, Problem } from '../../ui/layout.tsx'
import { Moment, useSecondsLeft } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { TextArea } from '../../ui/form.tsx'
import {
  type Sending,
  type SentMessage,
  emulateDraft,
  isCurrent,
  sendDraft,
  startOver,
  typeBoc,
  useSending,
} from './sending.ts'

/**
 * The page that sends a signed message: it emulates the message, sends it after a confirmation, and
 * then follows it.
 */
export function SendView() {
  const network = useShownNetwork()
  const sending = useSending(network.id)
  const { boc, emulation, sendProblem, isSending, sent } = sending
  const ready = emulation.status === 'ready' && isCurrent(sending) ? emulation : null
  const submit = () => {
    if (boc.trim() !== '') void emulateDraft(network.id)
  }
  return (
    <Pane>
      <Stack
        as="form"
        pad="l"
        line="below"
        aria-label="Send a message"
        onSubmit={(event: React.SyntheticEvent) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextArea
          label="Signed external message as BOC"
          mono
          rows={4}
          spellCheck={false}
          placeholder="te6cck… or b5ee9c72…"
          hint="Hex, base64 or base64url. Emulation shows what would happen and sends nothing."
          value={boc}
          onChange={(text) => typeBoc(network.id, text)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            submit()
          }}
        />
        <Row wrap>
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
            title={ready === null ? 'Emulate the message first.' : undefined}
            onClick={() => {
              if (ready !== null) void confirmAndSend(network, ready.boc, ready.emulation)
            }}
          >
            Send…
          </Button>
          {(boc !== '' || sent !== null) && (
            <Button kind="quiet" onClick={() => startOver(network.id)}>
              Start over
            </Button>
          )}
        </Row>
        <Problem>{sendProblem && `The message was not sent: ${sendProblem.message}`}</Problem>
      </Stack>
      {sent !== null && <SentPanel sent={sent} />}
      <Outcome sending={sending} />
    </Pane>
  )
}

async function confirmAndSend(network: Network, boc: string, { trace, destination }: Emulation) {
  const yes = await confirmOn(network, {
    title: `Send this message on ${network.name}?`,
    stakes: describeStakes(network),
    detail: (
      <OfNetwork network={network}>
        {trace.sentence.length > 0 ? (
          <SentenceView parts={trace.sentence} links={false} />
        ) : (
          <p>
            Destination: <AccountName account={destination} />
          </p>
        )}
      </OfNetwork>
    ),
    action: `Send on ${network.name}`,
    destructive: true,
  })
  if (yes) await sendDraft(network.id, boc)
}

/** Describes what can be lost on a network. */
function describeStakes({ kind, name, testOnly }: Network): string {
  if (kind === 'sandbox') return 'This is the sandbox: play money on this computer.'
  if (testOnly) return `This is ${name}: its coins are worth nothing.`
  return `This is ${name}: real money. A transfer cannot be undone.`
}

/**
 * Shows the state of a message that was sent. Screen readers do not announce it, because the time
 * left changes every second.
 */
function SentPanel({ sent }: { sent: SentMessage }) {
  const { id } = useShownNetwork()
  const { messageHash, transactionHash, validUntil, state, problem, isUncertain } = sent
  const hasFailed = sent.transactionSuccess === false
  return (
    <Stack as="section" gap="xs" pad="m" line="below" aria-label="Sent message">
      {state === 'waiting' && (
        <p>
          <strong>Message sent. Waiting for its transaction…</strong>{' '}
          {validUntil !== null && <ValidUntil at={validUntil} />}
        </p>
      )}
      {state === 'waiting' && isUncertain && (
        <Text as="p" tone="warn" size="s">
          The connection failed while Tondesk sent the message. The message may have reached the
          gateway, so Tondesk does not send it again.
        </Text>
      )}
      {state === 'waiting' && problem !== null && (
        <Text as="p" tone="warn" size="s">
          The last check failed and is repeated: {problem.message}
        </Text>
      )}
      {state === 'found' && (
        <p>
          <Icon name={hasFailed ? 'warning' : 'check'} size={14} />{' '}
          <strong>
            {hasFailed
              ? 'The message is on the chain, but its transaction failed.'
              : 'The message is on the chain.'}
          </strong>{' '}
          {transactionHash !== null && (
            <a href={transactionHref(transactionHash, id)}>Open the transaction</a>
          )}
        </p>
      )}
      {state === 'expired' && (
        <p>
          <Icon name="warning" size={14} /> <strong>The message has expired.</strong> The network
          did not process the message in time, so it has no effect. Sign a new message.
        </p>
      )}
      <HashText hash={messageHash} what="Message hash" />
    </Stack>
  )
}

/** Shows a deadline and the time left by this computer's clock. */
function ValidUntil({ at }: { at: number }) {
  const seconds = useSecondsLeft(at)
  return (
    <>
      <Moment at={fromMs(at)} absolute="minute" />{' '}
      {seconds === 0 ? (
        <Tag tone="bad">expired</Tag>
      ) : (
        <Tag>{formatDuration(fromMs(seconds * 1000))} left</Tag>
      )}
    </>
  )
}

function Outcome({ sending }: { sending: Sending }) {
  const network = useShownNetwork()
  const { emulation } = sending
  switch (emulation.status) {
    case 'none':
      return (
        <EmptyState
          title="See what a message does before you send it"
          detail="Paste an external message that your wallet has signed. Tondesk shows the trace, the transfers, the possible loss, and when the message expires. You can send the message afterwards."
        />
      )
    case 'asking':
      return <Skeleton rows={6} label="Emulating the message" />
    case 'failed':
      return (
        <FailedState
          what="Emulation failed"
          why={emulation.error}
          onRetry={() => void emulateDraft(network.id)}
        />
      )
    case 'ready':
      return <EmulationPanel emulation={emulation.emulation} isStale={!isCurrent(sending)} />
  }
}

/** Shows the effects that the message would have. */
export function EmulationPanel({
  emulation,
  isStale,
}: {
  emulation: Emulation
  /** True if the message was edited after the emulation. */
  isStale: boolean
}) {
  const { trace, warnings, messageHash, event, validUntil, destination } = emulation
  const answered = { data: { event }, error: null, refetch: () => undefined }
  return (
    <Pane role="region" aria-label="Emulation">
      <Row pad="m" line="below">
        <Tag tone="warn" title="This is an emulation. Nothing was sent.">
          emulated
        </Tag>
        <Stack grow>
          <Text as="div" strong>
            <SentenceView key={messageHash} parts={trace.sentence} clamped />
          </Text>
        </Stack>
        {isStale && <Tag tone="bad">You changed the message. Emulate it again.</Tag>}
      </Row>
      {warnings.length > 0 && (
        <Note tone="warn">
          <ul aria-label="Warnings">
            {warnings.map((warning) => (
              <Row as="li" key={warning} gap="s">
                <Icon name="warning" size={14} />
                {warning}
              </Row>
            ))}
          </ul>
        </Note>
      )}
      <ListSplitter
        left={<MessageTree key={messageHash} trace={trace} here={null} />}
        right={
          <Stack
            fill
            scroll
            gap="none"
            tabIndex={0}
            role="region"
            aria-label="Effects of the message"
          >
            {event !== null && (
              <EventActions query={answered} transaction={messageHash} trace={trace} />
            )}
            <Section title="Value flow">
              <ValueFlowTable flow={trace.flow} />
            </Section>
            <Section title="Possible loss">
              <Risk risk={emulation.risk} />
            </Section>
            <Section title="Message">
              <KeyValues
                values={{
                  To: <AccountLink account={destination} />,
                  Hash: <HashText hash={messageHash} what="Message hash" />,
                  'Valid until': validUntil === null ? 'no limit' : <ValidUntil at={validUntil} />,
                }}
              />
            </Section>
          </Stack>
        }
      />
    </Pane>
  )
}

/** Shows the most that could be lost if the message acts differently from the emulation. */
function Risk({ risk }: { risk: Emulation['risk'] }) {
  if (risk === null) {
    return (
      <Hint>
        The gateway could not estimate the possible loss, because it does not support this type of
        wallet.
      </Hint>
    )
  }
  return (
    <KeyValues
      values={{
        'Whole balance': risk.transfersAll ? (
          <Tag tone="bad">sends the whole balance</Tag>
        ) : (
          'not sent'
        ),
        [coinName()]: <Amount units={risk.ton} />,
        Jettons:
          risk.jettons.length === 0
            ? null
            : risk.jettons.map(({ asset, units }) => (
                <div key={asset.jetton ?? asset.symbol}>
                  <Amount units={units} asset={asset} />
                </div>
              )),
        NFTs: risk.nftCount === 0 ? null : formatCount(risk.nftCount, 'item'),
      }}
    />
  )
}
