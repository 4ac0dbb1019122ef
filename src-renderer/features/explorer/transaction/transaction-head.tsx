import type { TransactionAnswer } from '../../../../src-preload/contract/chain.ts'
import { fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { SentenceView } from '../../../components/chain/sentence-view.tsx'
import { ExplorerLink } from '../explorer-link.tsx'
import styles from './transaction.module.css'

/** What it did in one sentence, when, and whether it worked. */
export function TransactionHead({
  answer: { transaction, trace },
  onRefresh,
}: {
  answer: TransactionAnswer
  onRefresh: () => void
}) {
  const { explorer } = useShownNetwork()
  return (
    <div className={styles['head']}>
      <div className={styles['says']}>
        {trace === null || trace.sentence.length === 0 ? (
          <p>
            Transaction of <AccountLink account={transaction.account} />
          </p>
        ) : (
          <SentenceView parts={trace.sentence} />
        )}
      </div>
      {transaction.success ? (
        <Tag tone="ok">done</Tag>
      ) : (
        <Tag tone="bad" title={transaction.failure ?? undefined}>
          failed
        </Tag>
      )}
      <span className={styles['when']}>
        <Moment at={fromMs(transaction.at)} />
      </span>
      <span className={styles['end']}>
        <IconButton icon="refresh" label="Reload from the gateway" onClick={onRefresh} />
        <CopyButton text={transaction.hash} what="Transaction hash" label="Copy hash" />
        <ExplorerLink template={explorer?.transaction} values={{ hash: transaction.hash }} />
      </span>
    </div>
  )
}
