/** The lists of the pages of assets: holders and NFTs. */
import { type ReactNode, useEffect, useMemo } from 'react'
import { create } from 'zustand'
import type { Output } from '../../../src-preload/contract/routes.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { toAppError } from '../../app/bridge.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Note, Pane, Row, Text } from '../../ui/layout.tsx'
import { createRowSource } from '../../ui/row-source.ts'
import { StaleNote, useReloadOnceAvailable } from './chain-data.tsx'

type Page<T> = Omit<Output<'asset.holders'>, 'rows'> & { readonly rows: readonly T[] }

/** A list that is loaded page by page as its end comes into sight. */
function createPages<T>(load: (offset: number) => Promise<Page<T>>, idOf: (row: T) => string) {
  type More = { next: number | null; unread: readonly string[]; problem: AppError | null }
  const use = create<More>(() => ({ next: null, unread: [], problem: null }))
  /** Replaced with each new list: answers for an earlier one no longer count. */
  let run: object | null = null
  const list = createRowSource<T>({
    idOf,
    onRefresh: () => void reload(),
    onEnd: () => {
      if (use.getState().problem === null) void loadMore()
    },
  })

  async function loadPage(offset: number, mine: object): Promise<void> {
    const page = await load(offset)
    if (run !== mine) return
    const known = list.use.getState().rows
    const ids = new Set(known.map(idOf))
    // Rows move to a later page when others are added before them.
    const rows = [...known, ...page.rows.filter((row) => !ids.has(idOf(row)))]
    const unread = [...use.getState().unread, ...page.unread]
    use.setState({ next: page.next, unread, problem: null })
    list.set(rows, { rowCount: page.next === null ? rows.length : null })
  }

  async function reload(): Promise<void> {
    const mine = (run = {})
    list.clear()
    use.setState({ next: null, unread: [], problem: null })
    try {
      await loadPage(0, mine)
    } catch (error) {
      if (run === mine) list.use.setState({ status: 'failed', error: toAppError(error) })
    }
  }

  async function loadMore(): Promise<void> {
    const { next } = use.getState()
    if (next === null || run === null) return
    const mine = run
    use.setState({ next: null, problem: null })
    try {
      await loadPage(next, mine)
    } catch (error) {
      if (run === mine) use.setState({ next, problem: toAppError(error) })
    }
  }
  return { list, use, reload, loadMore }
}

/** One list of an asset page: its rows, its states, and what could not be parsed. */
export function PagedList<T extends object>({
  name,
  of,
  thing,
  load,
  loadKey,
  idOf,
  columns,
  onOpen,
  empty,
}: {
  name: string
  of: string
  thing: string
  load: (offset: number) => Promise<Page<T>>
  /** Another key is another list. */
  loadKey: string
  idOf: (row: T) => string
  columns: DataColumn<T>[]
  onOpen: (row: T) => void
  empty: ReactNode
}) {
  // oxlint-disable-next-line react/exhaustive-deps -- the key names what `load` loads
  const pages = useMemo(() => createPages(load, idOf), [loadKey])
  const { unread, problem, next } = pages.use()
  const hasFailed = pages.list.use((state) => state.status === 'failed')
  useEffect(() => void pages.reload(), [pages])
  useReloadOnceAvailable(hasFailed, pages.reload)
  const [first] = unread
  return (
    <Pane role="region" aria-label={name}>
      {first !== undefined && (
        <Note tone="warn">
          <p role="status">
            {formatNumber(unread.length)} of the {of} could not be parsed and are not shown:{' '}
            <UntrustedText text={first} />
          </p>
        </Note>
      )}
      {problem !== null && (
        <StaleNote
          why={`Could not load more ${of}: ${problem.message}`}
          onRetry={() => pages.loadMore()}
        />
      )}
      <DataList
        list={pages.list}
        columns={columns}
        of={of}
        thing={thing}
        group="Assets"
        openId={null}
        onOpen={onOpen}
        empty={empty}
        foot={
          next === null ? null : (
            <Row pad="m">
              <Text tone="dim" size="s">
                More {of} are loaded at the end of the list.
              </Text>
            </Row>
          )
        }
      />
    </Pane>
  )
}
