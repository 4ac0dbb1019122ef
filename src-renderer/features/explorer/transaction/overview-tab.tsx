import type { TransactionAnswer } from '../../../../src-preload/contract/chain.ts'
import { formatUtc, fromMs } from '../../../ui/format.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import { blockHref, transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../../components/chain/hash-text.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { MessageTree } from '../../../components/trace/message-tree.tsx'
import { ValueFlowTable } from '../../../components/trace/value-flow.tsx'
import { statusWords, typeWords } from './phase-words.ts'

/** The tree of its trace, beside what flowed and its own facts. */
export function OverviewTab({ answer, reload }: { answer: TransactionAnswer; reload: () => void }) {
  return (
    <ListSplitter
      left={<Tree answer={answer} reload={reload} />}
      right={<Facts answer={answer} />}
    />
  )
}

function Tree({ answer, reload }: { answer: TransactionAnswer; reload: () => void }) {
  const { trace, traceProblem, transaction } = answer
  if (trace !== null) {
    return <MessageTree key={transaction.hash} trace={trace} here={transaction.hash} />
  }
  if (traceProblem === null) {
    return <EmptyState title="There is no trace of it" detail="The gateway knows of none." />
  }
  return <FailedState what="The trace could not be loaded" why={traceProblem} onRetry={reload} />
}

const checkWords: Record<TransactionAnswer['check']['state'], string> = {
  agrees: 'its raw data has this hash and says the same',
  differs: 'no: it differs from its raw data',
  unchecked: 'no: the gateway gave no raw data to compare',
}

function Facts({ answer: { transaction, trace, check } }: { answer: TransactionAnswer }) {
  const { id } = useShownNetwork()
  const { previous, statusBefore, statusAfter } = transaction
  return (
    <div className={pane['facts']} tabIndex={0} role="region" aria-label="Transaction facts">
      {trace !== null && (
        <section className={pane['section']}>
          <h3>Value flow</h3>
          <ValueFlowTable flow={trace.flow} />
        </section>
      )}
      <section className={pane['section']}>
        <h3>This transaction</h3>
        <KeyValues
          pairs={[
            ['Account', <AccountLink key="a" account={transaction.account} />],
            ['Hash', <HashText key="h" hash={transaction.hash} what="Transaction hash" />],
            [
              'Message hash',
              transaction.inMessage === null ? null : (
                <HashText key="m" hash={transaction.inMessage.hash} what="Message hash" />
              ),
            ],
            ['Time', formatUtc(fromMs(transaction.at)).replace('.000000Z', 'Z')],
            ['Logical time', <LtText key="l" lt={transaction.lt} />],
            [
              'Block',
              <HashText
                key="b"
                hash={transaction.block}
                href={blockHref(transaction.block, id)}
                what="Block id"
                whole
              />,
            ],
            [
              'Previous',
              previous === null ? (
                'none: its first'
              ) : (
                <HashText
                  key="p"
                  hash={previous.hash}
                  href={transactionHref(previous.hash, id)}
                  what="Previous transaction hash"
                />
              ),
            ],
            ['Kind', typeWords(transaction.type)],
            ['Account state', statusWords(statusBefore, statusAfter)],
            ['Fees', <Amount key="f" units={transaction.fees} />],
            [
              'Balance after',
              transaction.balanceAfter === null ? null : (
                <Amount key="c" units={transaction.balanceAfter} />
              ),
            ],
            ['Checked', checkWords[check.state]],
            ['State before', <HashText key="x" hash={transaction.stateBefore} what="State hash" />],
            ['State after', <HashText key="y" hash={transaction.stateAfter} what="State hash" />],
          ]}
        />
      </section>
    </div>
  )
}
