import type { BlockView as Block } from '../../../../src-preload/contract/chain.ts'
import { formatUnits } from '../../../components/amount.ts'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { classes } from '../../../ui/classes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { blockHref, transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../../components/chain/hash-text.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { VirtualRows } from '../../../components/body/virtual-rows.tsx'
import { Answered, UnreadTransactions } from '../answered.tsx'
import styles from './block.module.css'

/** One block of a shard and the transactions in it. */
export function BlockView({ id }: { id: string }) {
  const network = useShownNetwork().id
  const answer = useAnswer('block.get', { network, id })
  return (
    <Answered answer={answer} what="The block">
      {(block) => <Content block={block} />}
    </Answered>
  )
}

const rowHeight = 30

function Content({ block }: { block: Block }) {
  const { id: network } = useShownNetwork()
  const { transactions } = block
  return (
    <div className={pane['pane']}>
      <div>
        <div className={pane['head']}>
          <h2 className={classes(pane['title'], styles['name'])}>
            Block <span className={text['mono']}>{block.id}</span>
          </h2>
          <Tag>{block.workchain === -1 ? 'masterchain' : `workchain ${block.workchain}`}</Tag>
          <span className={styles['when']}>
            <Moment at={fromMs(block.at)} />
          </span>
          <span className={styles['end']}>
            <CopyButton text={block.id} what="Block id" />
          </span>
        </div>
        <KeyValues
          className={styles['facts']}
          pairs={[
            ['Number', formatNumber(block.seqno)],
            [
              'Shard',
              <span key="s" className={text['mono']}>
                {block.shard}
              </span>,
            ],
            ['Root hash', <HashText key="r" hash={block.rootHash} what="Root hash" />],
            [
              'Previous',
              block.previous.length === 0 ? (
                'none'
              ) : (
                <span key="p" className={styles['previous']}>
                  {block.previous.map((each) => (
                    <HashText
                      key={each}
                      hash={each}
                      href={blockHref(each, network)}
                      what="Block id"
                      whole
                    />
                  ))}
                </span>
              ),
            ],
            ['Transactions', formatNumber(block.transactionCount)],
          ]}
        />
        <UnreadTransactions unread={block.unread} />
        {transactions.length > 0 && (
          <div className={classes(styles['row'], styles['columns'])} aria-hidden="true">
            <span>Transaction</span>
            <span>Account</span>
            <span>Logical time</span>
            <span />
            <span className={styles['number']}>Fees, TON</span>
          </div>
        )}
      </div>
      {transactions.length === 0 ? (
        <EmptyState
          title="No transactions in it"
          detail={
            block.transactionCount === 0
              ? 'An empty block: the chain goes on at its pace all the same.'
              : `The gateway told of ${formatCount(block.transactionCount, 'transaction')}, but gave none.`
          }
        />
      ) : (
        <VirtualRows
          count={transactions.length}
          height={rowHeight}
          role="list"
          aria-label="Transactions of the block"
          render={(index, top) => {
            const each = transactions[index]
            if (each === undefined) return null
            return (
              <div
                key={each.hash}
                role="listitem"
                className={classes(styles['row'], styles['placed'])}
                style={{ transform: `translateY(${top}px)` }}
              >
                <HashText
                  hash={each.hash}
                  href={transactionHref(each.hash, network)}
                  what="Transaction hash"
                />
                <AccountLink account={each.account} />
                <LtText lt={each.lt} />
                <span>
                  {!each.success && (
                    <Tag tone="bad" title={each.failure ?? undefined}>
                      failed
                    </Tag>
                  )}
                </span>
                <span className={classes(styles['number'], text['mono'], text['faint'])}>
                  {formatUnits(each.fees, 9)}
                </span>
              </div>
            )
          }}
        />
      )}
    </div>
  )
}
