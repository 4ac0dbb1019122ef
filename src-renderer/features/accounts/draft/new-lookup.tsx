import type { ClipboardEvent } from 'react'
import { useEffect, useId, useRef, useState } from 'react'
import type { Network } from '../../../../src-preload/contract/index.ts'
import { attempt } from '../../../attempt.ts'
import { request, toAppError } from '../../../bridge.ts'
import { accountsHome } from '../../../chain-route.ts'
import { formatBytes, formatCount } from '../../../format.ts'
import { printKeys, useShortcuts } from '../../../keyboard.ts'
import { navigate } from '../../../route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Select } from '../../../ui/select.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Splitter } from '../../../ui/splitter.tsx'
import { TextArea, TextField } from '../../../ui/text-field.tsx'
import { DropZone, OpenFileButton } from '../../files/drop-zone.tsx'
import { lookups } from '../lookups.ts'
import { NetworkTag } from '../../network-tag.tsx'
import { Progress } from '../../progress.tsx'
import { DraftLines } from './draft-lines.tsx'
import { mostTyped } from './draft-feed.ts'
import type { DraftFile } from './draft-state.ts'
import { currencies } from './draft-state.ts'
import { feed, useDraft } from './draft.ts'
import styles from './draft.module.css'

/** Puts a list together: at the left what is given, at the right what was understood of it. */
export function NewLookup({ network }: { network: Network }) {
  const [percent, setPercent] = useState(42)
  useEffect(() => feed.useNetwork(network.id), [network.id])
  const open = (file: File) => void feed.open({ name: file.name, blob: file })
  return (
    <DropZone hint="Drop it to read its addresses" className={styles['page']} onFile={open}>
      <Splitter
        label="List width"
        percent={percent}
        min={28}
        max={64}
        onCommit={setPercent}
        left={<Given network={network} onFile={open} />}
        right={<Understood network={network} />}
      />
    </DropZone>
  )
}

function Given({ network, onFile }: { network: Network; onFile: (file: File) => void }) {
  const { typed, file, name, currency } = useDraft()
  const { busy, problem, start } = useStart()
  const currencyId = useId()
  const isEmpty = file === null && typed === ''
  useShortcuts([
    {
      keys: ['mod+Enter'],
      label: 'Start the lookup',
      group: 'New lookup',
      run: () => void start(),
    },
  ])
  return (
    <form
      className={styles['given']}
      aria-label="New lookup"
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <div className={styles['source']}>
        {file === null ? <TypedList typed={typed} /> : <FileCard file={file} />}
      </div>
      <div className={styles['line']}>
        <OpenFileButton label="Open a file…" accept=".txt,.csv,.tsv" onFile={onFile} />
        {!isEmpty && (
          <Button kind="quiet" onClick={() => feed.clear()}>
            Clear
          </Button>
        )}
      </div>
      <div className={styles['options']}>
        <TextField
          label="Name"
          placeholder={file?.name ?? 'Chosen for you when left empty'}
          maxLength={100}
          value={name}
          onChange={(next) => useDraft.setState({ name: next })}
        />
        <div className={styles['field']}>
          <label className={styles['label']} htmlFor={currencyId}>
            Balances also in
          </label>
          <Select
            id={currencyId}
            label="Balances also in"
            value={currency}
            onChange={(next) => useDraft.setState({ currency: next })}
            options={currencies}
          />
        </div>
      </div>
      {problem !== null && (
        <p className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['line']}>
        <StartButton busy={busy} />
        <span className={styles['on']}>
          on <NetworkTag id={network.id} />
        </span>
      </div>
      {network.problem !== null && <p className={styles['hint']}>{network.problem}</p>}
    </form>
  )
}

function StartButton({ busy }: { busy: boolean }) {
  const valid = useDraft((state) => state.draft?.counts.valid ?? 0)
  const isReadingFile = useDraft((state) => state.file !== null && state.reading !== null)
  const can = valid > 0 && !isReadingFile
  return (
    <Button type="submit" kind="main" busy={busy} disabled={!can}>
      {busy ? 'Starting…' : valid === 0 ? 'Look up' : `Look up ${formatCount(valid, 'account')}`}{' '}
      <Kbd>{printKeys('mod+Enter')}</Kbd>
    </Button>
  )
}

function useStart() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const start = async () => {
    const { draft, file, reading } = useDraft.getState()
    const isReady = (draft?.counts.valid ?? 0) > 0 && !(file !== null && reading !== null)
    if (busy || !isReady) return
    setBusy(true)
    setProblem(null)
    try {
      const job = await feed.start()
      // Its page would say that there is no such lookup.
      await lookups.reload()
      navigate({ ...accountsHome, view: 'job', id: job.id })
    } catch (error) {
      setProblem(toAppError(error).message)
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem, start }
}

function TypedList({ typed }: { typed: string }) {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])

  // The browser would first lay out megabytes in the field, which takes it seconds.
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain')
    if (typed.length + pasted.length <= mostTyped) return
    event.preventDefault()
    feed.type(typed === '' ? pasted : `${typed}\n${pasted}`)
  }
  return (
    <TextArea
      ref={area}
      label="Addresses"
      hint="Any form, one a line or as CSV. Each line is checked while you type."
      placeholder={'EQCxE6…\n0:83df…\nor drop a .txt or .csv file here'}
      mono
      spellCheck={false}
      value={typed}
      onChange={(next) => feed.type(next)}
      onPaste={paste}
    />
  )
}

function FileCard({ file }: { file: DraftFile }) {
  const reading = useDraft((state) => state.reading)
  const isFull = useDraft((state) => state.draft?.isFull ?? false)
  const { size } = file.blob
  return (
    <div className={styles['file']} role="group" aria-label={file.name}>
      <p className={styles['fileName']}>{file.name}</p>
      {reading === null ? (
        <p className={styles['hint']}>
          {formatBytes(size)}
          {isFull && ', read as far as one lookup takes'}
        </p>
      ) : (
        <>
          <Progress label={`Reading ${file.name}`} done={reading.done} of={reading.total} />
          <p className={styles['hint']} role="status">
            {formatBytes(reading.done)} of {formatBytes(reading.total)} read
          </p>
        </>
      )}
      <Button onClick={() => feed.closeFile()}>
        {reading === null ? 'Put it away' : 'Stop reading'}
      </Button>
    </div>
  )
}

function Understood({ network }: { network: Network }) {
  const { draft, problem, reading } = useDraft()
  if (problem !== null) {
    return (
      <FailedState
        what="The list could not be read"
        why={problem.message}
        onRetry={() => void feed.again()}
      />
    )
  }
  if (draft !== null) return <DraftLines draft={draft} />
  if (reading !== null) return <Skeleton rows={8} label="Reading the list" />
  return (
    <EmptyState
      title="What was understood will stand here"
      detail="Each line is valid, a duplicate, of the wrong network, or invalid with the reason. Nothing is dropped silently, and the order is kept."
    >
      {network.kind === 'sandbox' && (
        <Button onClick={() => void typeWallets()}>Try it with the sandbox’s wallets</Button>
      )}
    </EmptyState>
  )
}

/** A newcomer has no addresses at hand. */
async function typeWallets(): Promise<void> {
  const chain = await attempt('Could not list the wallets', () =>
    request('sandbox.chain', { network: 'mainnet' }),
  )
  if (chain !== undefined) feed.type(chain.wallets.map(({ address }) => address).join('\n'))
}
