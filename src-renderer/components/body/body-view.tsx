import { useMemo, useEffect, useRef, useState } from 'react'
import { create } from 'zustand'
import { attempt } from '../../app/bridge.ts'
import { saveBytes } from '../../app/save-bytes.ts'
import { Button, Choices } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { Note, Row, Stack, Small } from '../../ui/layout.tsx'
import { decodeUtf8 } from './bytes.ts'
import { HexView } from './hex-view.tsx'
import { TreeView } from './tree-view.tsx'
import styles from './body.module.css'
import { CopyButton } from '../../ui/toast.tsx'
import { UntrustedText } from './untrusted-text.tsx'
import { VirtualRows } from './virtual-rows.tsx'
import { columnsOf } from './visible-text.ts'

/** `raw`: the body as received. `decoded`: the decompressed body. */
export type BodyForm = 'raw' | 'decoded'

export type LoadedBody = {
  readonly form: BodyForm
  /** The first bytes; fewer than `totalBytes` if more can be fetched. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly totalBytes: number
  readonly decodeProblem: string | null
}

/** The source of the parts of a body that are not loaded. */
type BodySource = {
  readonly isLoadingMore: boolean
  readonly onLoadMore: () => void
  readonly onForm: (form: BodyForm) => void
  fetchPart(form: BodyForm, offset: number, limit: number): Promise<Uint8Array<ArrayBuffer>>
  fetchWhole(form: BodyForm): Promise<Uint8Array<ArrayBuffer>[]>
}

type View = 'tree' | 'text' | 'hex'

const views: readonly { value: View; label: string }[] = [
  { value: 'tree', label: 'Tree' },
  { value: 'text', label: 'Text' },
  { value: 'hex', label: 'Hex' },
]

const forms: readonly { value: BodyForm; label: string }[] = [
  { value: 'decoded', label: 'decoded' },
  { value: 'raw', label: 'as received' },
]

/** The view that the user has chosen; null to use the best one for each body. */
const useChosenView = create<{ view: View | null }>(() => ({ view: null }))

/** A larger tree would take too long to build. */
const maxTreeBytes = 4_194_304

/** Shows a body unchanged, as a tree, as text or in hex. */
export function BodyView({
  id,
  body,
  encoding,
  contentType,
  source,
}: {
  id: number
  body: LoadedBody
  /** The Content-Encoding; null if the body has only one form. */
  encoding: string | null
  contentType: string | null
  source: BodySource
}) {
  const chosen = useChosenView((state) => state.view)
  const content = useMemo(() => readBody(body), [body])
  const view = chosen ?? content.suits
  const isWhole = body.bytes.length >= body.totalBytes
  const save = () =>
    attempt('Could not save the body', async () => {
      const parts = isWhole ? [body.bytes] : await source.fetchWhole(body.form)
      saveBytes(parts, bodyFileName(id, contentType, content.suits))
    })
  return (
    <div className={styles['body']}>
      <Row pad="m" wrap>
        <Choices
          label="View"
          value={view}
          options={views}
          onChange={(next) => useChosenView.setState({ view: next })}
        />
        {encoding !== null && (
          <Choices
            label={`Content-Encoding ${encoding}`}
            value={body.form}
            options={forms}
            onChange={source.onForm}
          />
        )}
        <Row last>
          <Button icon="download" kind="quiet" onClick={() => void save()}>
            Save body
          </Button>
        </Row>
      </Row>
      <Stack gap="none">
        {body.decodeProblem !== null && <Note tone="warn">{body.decodeProblem}</Note>}
        {view !== 'hex' && content.invalidAt !== null && (
          <Note tone="warn">
            Not valid UTF-8 from byte {content.invalidAt} (0x{content.invalidAt.toString(16)}).
            Invalid bytes are shown as [U+FFFD]; Hex shows the bytes.
          </Note>
        )}
        {view !== 'hex' && !isWhole && (
          <Note>
            The first {formatBytes(body.bytes.length)} of {formatBytes(body.totalBytes)} are shown.{' '}
            <Button busy={source.isLoadingMore} onClick={source.onLoadMore}>
              Load more of the body
            </Button>
          </Note>
        )}
      </Stack>
      {view === 'hex' && (
        <HexView
          key={`${id}-${body.form}`}
          body={body}
          fetchPart={(offset, limit) => source.fetchPart(body.form, offset, limit)}
        />
      )}
      {view === 'text' && <TextView text={content.text} />}
      {view === 'tree' &&
        (body.bytes.length > maxTreeBytes ? (
          <EmptyState
            title="The body is too large for the tree view"
            detail={`The tree view shows bodies of up to ${formatBytes(maxTreeBytes)}. The Text and Hex views show the whole body.`}
          />
        ) : (
          <TreeView text={content.text} />
        ))}
    </div>
  )
}

/** Decodes a body as text, finds its first byte that is not UTF-8, and selects the best view. */
export function readBody(body: LoadedBody) {
  const { text, invalidAt } = decodeUtf8(body.bytes, body.bytes.length < body.totalBytes)
  const looksJson = /^\ufeff?\s*[{[]/.test(text)
  const isTree = looksJson && body.totalBytes <= maxTreeBytes
  const suits: View = invalidAt !== null ? 'hex' : isTree ? 'tree' : 'text'
  return { text, invalidAt, suits }
}

/** The name of the file in which a body is saved; the sender cannot influence it. */
export function bodyFileName(id: number, contentType: string | null, suits: View): string {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const ending =
    type.endsWith('json') || suits === 'tree' ? 'json' : suits === 'text' ? 'txt' : 'bin'
  return `capture-${id}.${ending}`
}

const rowHeight = 19
/** The width of the padding and the scroll bar in pixels. */
const aroundPx = 32

/** Shows the text as received, with line numbers; long lines wrap. */
function TextView({ text }: { text: string }) {
  const area = useRef<HTMLDivElement>(null)
  const ruler = useRef<HTMLSpanElement>(null)
  const [columns, setColumns] = useState(0)
  const rows = useMemo(() => (columns === 0 ? null : layOutText(text, columns)), [text, columns])
  const digits = String(rows?.lineCount ?? 1).length

  useEffect(() => {
    const box = area.current
    if (box === null) return undefined
    const measure = () => {
      const character = (ruler.current?.getBoundingClientRect().width ?? 0) / 10
      if (character === 0) return
      const fit = Math.floor((box.clientWidth - aroundPx) / character) - digits - 2
      setColumns(Math.max(20, fit))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [digits])

  return (
    <div ref={area} className={styles['view']}>
      <span ref={ruler} className={styles['ruler']} aria-hidden="true">
        0000000000
      </span>
      <Row pad="s" justify="between">
        <Small tone="faint">{formatCount(rows?.lineCount ?? 1, 'line')}</Small>
        <CopyButton text={text} what="Text" label="Copy all" kind="quiet" />
      </Row>
      {rows !== null && (
        <VirtualRows
          count={rows.count}
          height={rowHeight}
          role="region"
          aria-label="Body as text"
          render={(index, top) => (
            <div
              key={index}
              className={styles['line']}
              style={{ transform: `translateY(${top}px)` }}
            >
              <span className={styles['number']} style={{ width: `${digits}ch` }}>
                {rows.lines[index] === 0 ? '↪' : rows.lines[index]}
              </span>
              <span>
                <UntrustedText text={textOfRow(rows, index)} />
              </span>
            </div>
          )}
        />
      )}
    </div>
  )
}

/** A text that is cut into rows of the view's width. A row that continues a line has no line number. */
type TextRows = {
  readonly text: string
  readonly count: number
  /** The beginnings of rows, and one more entry for the end. */
  readonly starts: Int32Array
  /** Line number from 1, or 0 if the row continues the line above. */
  readonly lines: Int32Array
  readonly lineCount: number
}

/** Cuts at line feeds and at `columns`, so that a line with a megabyte becomes many short rows. */
export function layOutText(text: string, columns: number): TextRows {
  const starts: number[] = [0]
  const lines: number[] = [1]
  let line = 1
  let used = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x0a) {
      line += 1
      used = 0
      starts.push(at + 1)
      lines.push(line)
      continue
    }
    const secondHalf = code >= 0xdc00 && code <= 0xdfff && at > 0
    const width = secondHalf ? 0 : columnsOf(code)
    if (used > 0 && used + width > columns) {
      starts.push(at)
      lines.push(0)
      used = 0
    }
    used += width
  }
  starts.push(text.length)
  return {
    text,
    count: lines.length,
    starts: Int32Array.from(starts),
    lines: Int32Array.from(lines),
    lineCount: line,
  }
}

/** Returns the text of a row without its final line feed. */
export function textOfRow(rows: TextRows, row: number): string {
  const text = rows.text.slice(rows.starts[row], rows.starts[row + 1])
  return text.endsWith('\n') ? text.slice(0, -1) : text
}
