import { type ReactNode, useEffect, useState } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { toAppError } from '../../app/bridge.ts'
import { printKeys, useShortcuts } from '../../ui/keyboard.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { DropZone, OpenFileButton } from '../files/drop-zone.tsx'
import type { AddressList } from './address-list.ts'
import { ListLines } from './list-lines.tsx'
import { ListSource } from './list-source.tsx'
import styles from './address-list.module.css'

type Entry = {
  readonly list: AddressList
  readonly network: Network
  /** "New lookup". */
  readonly title: string
  /** What the button says: of so many valid ones, none at first. */
  readonly action: (valid: number) => string
  /** Stands beside the button: where it happens. */
  readonly where: ReactNode
  /** Does it with a draft of `lookup.begin`; what it throws is told in the form. */
  readonly onHand: (draft: string) => Promise<void>
  /** More fields. */
  readonly children?: ReactNode
  /** For who has no addresses at hand. */
  readonly offer?: ReactNode
}

/** Puts a list together: at the left what is given, at the right what was understood of it. */
export function ListEntry(entry: Entry) {
  const { list, network } = entry
  const [percent, setPercent] = useState(42)
  useEffect(() => list.feed.useNetwork(network.id), [list, network.id])
  const open = (file: File) => void list.feed.open({ name: file.name, blob: file })
  return (
    <DropZone hint="Drop it to read its addresses" className={styles['page']} onFile={open}>
      <Splitter
        label="List width"
        percent={percent}
        min={28}
        max={64}
        onCommit={setPercent}
        left={<Given entry={entry} onFile={open} />}
        right={<Understood entry={entry} />}
      />
    </DropZone>
  )
}

function Given({ entry, onFile }: { entry: Entry; onFile: (file: File) => void }) {
  const { list, network, title, where, children } = entry
  const isEmpty = list.store(({ file, typed }) => file === null && typed === '')
  const { busy, problem, hand } = useHand(entry)
  useShortcuts([{ keys: ['mod+Enter'], label: 'Begin', group: title, run: () => void hand() }])
  return (
    <form
      className={styles['given']}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        void hand()
      }}
    >
      <ListSource list={list} />
      <div className={styles['line']}>
        <OpenFileButton label="Open a file…" accept=".txt,.csv,.tsv" onFile={onFile} />
        {!isEmpty && (
          <Button kind="quiet" onClick={() => list.feed.clear()}>
            Clear
          </Button>
        )}
      </div>
      {children}
      {problem !== null && (
        <p className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['line']}>
        <HandButton entry={entry} busy={busy} />
        <span className={styles['where']}>{where}</span>
      </div>
      {network.problem !== null && <p className={styles['hint']}>{network.problem}</p>}
    </form>
  )
}

function HandButton({ entry: { list, action }, busy }: { entry: Entry; busy: boolean }) {
  const valid = list.store(({ draft }) => draft?.counts.valid ?? 0)
  const isReadingFile = list.store(({ file, reading }) => file !== null && reading !== null)
  return (
    <Button type="submit" kind="main" busy={busy} disabled={valid === 0 || isReadingFile}>
      {busy ? 'Starting…' : action(valid)} <Kbd>{printKeys('mod+Enter')}</Kbd>
    </Button>
  )
}

function useHand({ list: { store, feed }, onHand }: Entry) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const hand = async () => {
    const { draft, file, reading } = store.getState()
    const isReady = (draft?.counts.valid ?? 0) > 0 && !(file !== null && reading !== null)
    if (busy || !isReady) return
    setBusy(true)
    setProblem(null)
    try {
      await feed.hand(onHand)
    } catch (error) {
      setProblem(toAppError(error).message)
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem, hand }
}

function Understood({ entry: { list, title, offer } }: { entry: Entry }) {
  const { draft, problem, reading } = list.store()
  if (problem !== null) {
    return (
      <FailedState
        what="The list could not be read"
        why={problem.message}
        onRetry={() => void list.feed.again()}
      />
    )
  }
  if (draft !== null) return <ListLines list={list} draft={draft} group={title} />
  if (reading !== null) return <Skeleton rows={8} label="Reading the list" />
  return (
    <EmptyState
      title="What was understood will stand here"
      detail="Each line is valid, a duplicate, of the wrong network, or invalid with the reason. Nothing is dropped silently, and the order is kept."
    >
      {offer}
    </EmptyState>
  )
}
