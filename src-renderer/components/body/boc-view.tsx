import { useMemo, useState } from 'react'
import type { CellNode } from '../../../src-preload/contract/chain/transaction.ts'
import { useData } from '../../app/bridge.ts'
import { saveBytes } from '../../app/save-bytes.ts'
import { Button, Choices } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { formatBytes, formatNumber } from '../../ui/format.ts'
import { Note, Pane, Row, Stack, Tag, Text, Small } from '../../ui/layout.tsx'
import { bytesToBase64, hexToBytes } from './bytes.ts'
import styles from './body.module.css'
import { HexCells, hexRow } from './hex-view.tsx'
import { VirtualRows } from './virtual-rows.tsx'

type Form = 'cells' | 'hex' | 'base64'

const forms = [
  { value: 'cells', label: 'Cells' },
  { value: 'hex', label: 'Hex' },
  { value: 'base64', label: 'Base64' },
] as const

const rowHeight = 19
const perRow = 16
const indentPx = 16
/** Deeper cells are not indented further; their depth is shown as a number. */
const maxIndent = 20

/** Shows a bag of cells as a tree, in hex and in base64. It is saved as a file in binary form. */
export function BocView({
  boc,
  what,
  fileName,
  boxed = false,
}: {
  /** The BOC in hexadecimal. */
  boc: string
  /** The name of the cell, such as “Transaction”. */
  what: string
  fileName: string
  /** True for a frame with limited height. */
  boxed?: boolean
}) {
  const [form, setForm] = useState<Form>('cells')
  const bytes = useMemo(() => hexToBytes(boc), [boc])
  const base64 = useMemo(() => bytesToBase64(bytes), [bytes])
  if (bytes.length === 0) {
    return <EmptyState title="No BOC" detail="The gateway did not send a BOC." />
  }
  const hex = boc.replace(/^0x/i, '')
  const view = (
    <Pane>
      <Row wrap gap="s" pad="m">
        <Choices label={`${what} format`} value={form} onChange={setForm} options={forms} />
        <Small tone="faint">{formatBytes(bytes.length)}</Small>
        <Row last gap="s" wrap>
          <CopyButton text={hex} what={`${what} as hex`} label="Copy hex" kind="quiet" />
          <CopyButton text={base64} what={`${what} as base64`} label="Copy base64" kind="quiet" />
          <Button kind="quiet" icon="download" onClick={() => saveBytes([bytes], fileName)}>
            Save BOC file
          </Button>
        </Row>
      </Row>
      {form === 'cells' && <CellTree boc={hex} />}
      {form === 'hex' && <HexRows bytes={bytes} label={`${what} as bytes`} />}
      {form === 'base64' && (
        <Stack
          scroll
          pad="m"
          line="above"
          tabIndex={0}
          role="region"
          aria-label={`${what} as base64`}
        >
          <Text mono over="break">
            {base64}
          </Text>
        </Stack>
      )}
    </Pane>
  )
  return boxed ? <div className={styles['boxed']}>{view}</div> : view
}

function HexRows({ bytes, label }: { bytes: Uint8Array; label: string }) {
  return (
    <VirtualRows
      count={Math.ceil(bytes.length / perRow)}
      height={rowHeight}
      role="region"
      aria-label={label}
      render={(index, top) => {
        const offset = index * perRow
        const row = hexRow(bytes.subarray(offset, offset + perRow), offset, 8)
        return (
          <div key={index} className={styles['line']} style={{ transform: `translateY(${top}px)` }}>
            <HexCells row={row} perRow={perRow} />
          </div>
        )
      }}
    />
  )
}

/** Lists the cells, each below the cell that refers to it. */
function CellTree({ boc }: { boc: string }) {
  return (
    <Loaded query={useData('cell.tree', { boc })} of="the cells">
      {({ cells, total }) => (
        <Pane>
          {cells.length < total && (
            <Note tone="warn" role="status">
              Only the first {formatNumber(cells.length)} of {formatNumber(total)} cells are shown.
              Hex and Base64 contain all cells.
            </Note>
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
        </Pane>
      )}
    </Loaded>
  )
}

function CellRow({ cell, top }: { cell: CellNode; top: number }) {
  return (
    <div
      role="listitem"
      className={styles['line']}
      style={{
        transform: `translateY(${top}px)`,
        paddingLeft: 14 + Math.min(cell.depth, maxIndent) * indentPx,
      }}
      title={`Cell ${cell.hash}`}
    >
      {cell.depth > maxIndent && <Text tone="faint">{cell.depth}</Text>}
      <Text tone="faint">{formatNumber(cell.bits)} bits</Text>
      {cell.kind !== 'ordinary' && <Tag>{cell.kind.replaceAll('_', ' ')}</Tag>}
      <span>{cell.data === '' ? '–' : cell.data}</span>
    </div>
  )
}
