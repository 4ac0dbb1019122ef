import type { CellNode } from '../../../../src-preload/contract/chain.ts'
import { formatNumber } from '../../../ui/format.ts'
import { Tag } from '../../../ui/tag.tsx'
import warning from '../../../ui/warning.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { VirtualRows } from '../../../components/body/virtual-rows.tsx'
import { Answered } from '../answered.tsx'
import styles from './cells.module.css'

const rowHeight = 21
const indentPx = 16
/** Deeper cells are not moved further right: their depth stands beside them. */
const deepest = 20

/** The cells of a BOC, each below the one that refers to it. */
export function CellTree({ boc }: { boc: string }) {
  const answer = useAnswer('cell.tree', { boc })
  return (
    <Answered answer={answer} what="The tree of cells">
      {({ cells, total }) => (
        <div className={styles['tree']}>
          {cells.length < total && (
            <p className={warning['box']} role="status">
              The first {formatNumber(cells.length)} of {formatNumber(total)} cells are shown. Hex
              and Base64 have all of it.
            </p>
          )}
          <VirtualRows
            count={cells.length}
            height={rowHeight}
            role="list"
            aria-label="Cells"
            render={(index, top) => {
              const cell = cells[index]
              return cell === undefined ? null : <CellRow key={index} cell={cell} top={top} />
            }}
          />
        </div>
      )}
    </Answered>
  )
}

function CellRow({ cell, top }: { cell: CellNode; top: number }) {
  return (
    <div
      role="listitem"
      className={styles['line']}
      style={{
        transform: `translateY(${top}px)`,
        paddingLeft: 14 + Math.min(cell.depth, deepest) * indentPx,
      }}
      title={`Cell ${cell.hash}`}
    >
      {cell.depth > deepest && <span className={styles['faint']}>{cell.depth}</span>}
      <span className={styles['faint']}>{formatNumber(cell.bits)} bits</span>
      {cell.kind !== 'ordinary' && <Tag>{cell.kind.replaceAll('_', ' ')}</Tag>}
      <span>{cell.data === '' ? '–' : cell.data}</span>
    </div>
  )
}
