import type { TraceNode } from '../../../../src-preload/contract/chain.ts'
import { formatUnits } from '../../../components/amount.ts'
import { formatNumber } from '../../../ui/format.ts'
import { classes } from '../../../ui/classes.ts'
import { Icon } from '../../../ui/icons.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { deepest, type TreeLine } from './message-tree.ts'
import { operationOf } from './node-words.ts'
import styles from './trace.module.css'

/** One transaction of a trace: the message that came, to whom, with what, and how it went. */
export function MessageTreeRow({
  node,
  line,
  top,
  elementId,
  isHere,
  isCurrent,
  isCollapsed,
  onChoose,
  onToggle,
}: {
  node: TraceNode
  line: TreeLine
  top: number
  elementId: string
  /** The transaction that the page is of. */
  isHere: boolean
  isCurrent: boolean
  isCollapsed: boolean
  onChoose: () => void
  onToggle: () => void
}) {
  const network = useShownNetwork().id
  const operation = operationOf(node)
  return (
    <div
      role="treeitem"
      id={elementId}
      aria-level={line.depth + 1}
      aria-selected={isCurrent}
      aria-current={isHere ? 'true' : undefined}
      aria-expanded={line.below > 0 ? !isCollapsed : undefined}
      className={classes(styles['row'], isCurrent && styles['current'], isHere && styles['here'])}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onChoose}
      onDoubleClick={() => line.below > 0 && onToggle()}
    >
      <span className={styles['what']}>
        {line.runsOn.map((runsOn, level) => (
          <span
            key={level}
            className={classes(
              styles['guide'],
              level === line.runsOn.length - 1 && styles['elbow'],
              runsOn && styles['runs'],
            )}
          />
        ))}
        {line.below > 0 ? (
          <span className={styles['twist']} onClick={onToggle} aria-hidden="true">
            <Icon name={isCollapsed ? 'right' : 'down'} size={12} />
          </span>
        ) : (
          <span className={styles['leaf']} />
        )}
        {line.depth > deepest && (
          <span className={styles['depth']} title="How deep it stands in the tree">
            {line.depth}
          </span>
        )}
        {node.hash === null || isHere ? (
          <span className={styles['operation']}>{operation}</span>
        ) : (
          <a
            className={styles['operation']}
            href={transactionHref(node.hash, network)}
            title={`Transaction ${node.hash}`}
            tabIndex={-1}
          >
            {operation}
          </a>
        )}
        <span className={styles['arrow']} aria-label="to">
          →
        </span>
        <AccountLink account={node.account} canCopy={false} tabIndex={-1} />
        {isHere && <Tag>this one</Tag>}
        {isCollapsed && <Tag title="Hidden below it">+{formatNumber(line.below)}</Tag>}
        {node.bounced && (
          <Tag tone="warn" title="What was sent came back, for it could not be taken.">
            bounced
          </Tag>
        )}
        {!node.success && (
          <Tag tone="bad" title={node.failure ?? undefined}>
            {node.exitCode === null || node.exitCode === 0 ? 'failed' : `exit ${node.exitCode}`}
          </Tag>
        )}
        {!node.success && node.failure !== null && (
          <span className={styles['failure']} title={node.failure}>
            {node.failure}
          </span>
        )}
        {node.comment !== null && (
          <span className={styles['comment']} title={node.comment}>
            “<UntrustedText text={node.comment} />”
          </span>
        )}
      </span>
      <span className={styles['value']}>
        {node.jetton !== null && (
          <>
            <Amount units={node.jetton.units} asset={node.jetton.asset} />
            {' · '}
          </>
        )}
        {node.source === null ? (
          <span className={text['faint']}>external</span>
        ) : (
          <Amount units={node.value} />
        )}
      </span>
      <span className={styles['fees']} title="Fees of this transaction, in TON">
        {formatUnits(node.fees, 9)}
      </span>
    </div>
  )
}
