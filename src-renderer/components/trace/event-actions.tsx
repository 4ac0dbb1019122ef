import type { EventView, Trace } from '../../../src-preload/contract/chain/transaction.ts'
import { queryHref } from '../../app/route.ts'
import { FailedState } from '../../ui/loaded.tsx'
import { Hint, Row, Section, Tag, textClasses, SmallLink } from '../../ui/layout.tsx'
import { transactionHref } from '../chain/chain-links.ts'
import { SentenceView } from '../chain/sentence-view.tsx'
import { useShownNetwork } from '../network-tag.tsx'
import { hashesTerm } from '../query-term.ts'

/** Lists the actions that the gateway recognized in the whole trace of a transaction. */
export function EventActions({
  query: { data, error, refetch },
  transaction,
  trace,
}: {
  query: {
    readonly data: { readonly event: EventView | null } | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  /** The hash of the transaction on this page. */
  transaction: string
  trace: Trace | null
}) {
  const network = useShownNetwork().id
  const event = data?.event
  const hashes =
    trace?.nodes.flatMap(({ hash }) => hash ?? []) ??
    event?.actions.flatMap((each) => each.transactions)
  return (
    <Section
      title="Actions"
      aria-label="Actions"
      actions={
        <>
          {event?.isScam === true && (
            <Tag
              tone="bad"
              title="The gateway marks this as spam. Do not follow its links or texts."
            >
              spam
            </Tag>
          )}
          {event?.inProgress === true && <Tag tone="warn">in progress</Tag>}
        </>
      }
      end={
        event &&
        hashes !== undefined &&
        hashes.length > 0 && (
          <SmallLink
            href={queryHref(hashesTerm(hashes))}
            title="Captures of every transaction of this event"
          >
            Show captures of the event
          </SmallLink>
        )
      }
    >
      {error !== null && (
        <FailedState
          what="Could not load the actions"
          why={error.message}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Hint>Loading the actions…</Hint>}
      {data !== undefined && !event && <Hint>The gateway has no event of this transaction.</Hint>}
      {event?.actions.length === 0 && <Hint>The gateway recognized no action.</Hint>}
      {event && event.actions.length > 0 && (
        <ol aria-label="Actions of the event" className={textClasses({ size: 's' })}>
          {event.actions.map(({ sentence, status, isConfirmed, transactions }, index) => {
            // A link to the current page would have no effect.
            const own = transactions.includes(transaction) ? undefined : transactions[0]
            return (
              <li key={index}>
                <SentenceView parts={sentence} />
                <Row wrap gap="s">
                  {status === 'failed' && <Tag tone="bad">failed</Tag>}
                  {isConfirmed === false && (
                    <Tag
                      tone="bad"
                      title="The gateway reports this transfer, but no transaction of the trace moves this amount between these accounts. Do not rely on it."
                    >
                      not confirmed by the transactions
                    </Tag>
                  )}
                  {own !== undefined && (
                    <>
                      <SmallLink href={transactionHref(own, network)}>
                        Open its transaction
                      </SmallLink>
                      <SmallLink href={queryHref(hashesTerm(transactions))}>
                        Show its captures
                      </SmallLink>
                    </>
                  )}
                </Row>
              </li>
            )
          })}
        </ol>
      )}
    </Section>
  )
}
