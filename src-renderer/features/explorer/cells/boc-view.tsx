import { useMemo, useState } from 'react'
import { formatBytes } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { hexRow } from '../../../components/body/hex-rows.ts'
import { saveBytes } from '../../../app/save-bytes.ts'
import { VirtualRows } from '../../../components/body/virtual-rows.tsx'
import { bytesToBase64, hexToBytes } from './boc-bytes.ts'
import { CellTree } from './cell-tree.tsx'
import styles from './cells.module.css'

type Form = 'cells' | 'hex' | 'base64'

const forms = [
  { value: 'cells', label: 'Cells' },
  { value: 'hex', label: 'Hex' },
  { value: 'base64', label: 'Base64' },
] as const

const rowHeight = 19
const perRow = 16

/** A bag of cells in three forms, each to be copied; as a file it is saved in its binary form. */
export function BocView({
  boc,
  what,
  fileName,
  first = 'cells',
}: {
  /** Hexadecimal. */
  boc: string
  /** "Transaction". */
  what: string
  fileName: string
  first?: Form
}) {
  const [form, setForm] = useState<Form>(first)
  const bytes = useMemo(() => hexToBytes(boc), [boc])
  const base64 = useMemo(() => bytesToBase64(bytes), [bytes])
  if (bytes.length === 0) {
    return <EmptyState title="There is no BOC of it" detail="The gateway gave none." />
  }
  const hex = boc.replace(/^0x/i, '')
  return (
    <div className={styles['boc']}>
      <div className={styles['bar']}>
        <Choices label={`Form of ${what}`} value={form} onChange={setForm} options={forms} />
        <span className={styles['size']}>{formatBytes(bytes.length)}</span>
        <CopyButton text={hex} what={`${what} as hex`} label="Copy hex" kind="quiet" />
        <CopyButton text={base64} what={`${what} as base64`} label="Copy base64" kind="quiet" />
        <Button kind="quiet" icon="download" onClick={() => saveBytes([bytes], fileName)}>
          Save
        </Button>
      </div>
      {form === 'cells' && <CellTree boc={hex} />}
      {form === 'hex' && <HexRows bytes={bytes} label={`${what} as bytes`} />}
      {form === 'base64' && (
        <pre className={styles['base64']} tabIndex={0} aria-label={`${what} as base64`}>
          {base64}
        </pre>
      )}
    </div>
  )
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
            <span className={styles['faint']}>{row.offset}</span>
            <span style={{ minWidth: `${perRow * 3 + 1}ch` }}>{row.hex}</span>
            <span className={styles['dim']}>{row.ascii}</span>
          </div>
        )
      }}
    />
  )
}
